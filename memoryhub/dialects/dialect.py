"""The values of a dialect: name, detection, parser, and properties of its files.

A folder of this package has one, ``DIALECT``; `registry` finds them all. Each field is
read somewhere: a dialect says here what pages, importers and checks need of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from memoryhub.formats.base import Problem


class Role(StrEnum):
    """A role of a file: the kinds of rows that are read from it."""

    #: Everything is read.
    MEMORY = "memory"
    #: Open items are read: boxes, states, owners.
    WORK = "work list"
    #: Decisions are read.
    RECORD = "record"
    #: Nothing is read: hosts obey it.
    INSTRUCTION = "instruction"
    #: Nothing is read.
    DOCUMENT = "document"

    @property
    def is_read(self) -> bool:
        """Whether anything of such a file is memory of work."""
        return self not in (Role.INSTRUCTION, Role.DOCUMENT)


#: Roles of files of which something is read.
READ = tuple(role for role in Role if role.is_read)
#: Rank of a file that is no long-term memory.
NO_RANK = 9

OfPath = Callable[[PurePosixPath], bool]


def gettext_noop(text: str) -> str:
    """Mark a text for translation where it is shown; nothing of Django is loaded."""
    return text


def always(_: PurePosixPath) -> bool:
    """Return True for any path."""
    return True


def never(_: PurePosixPath) -> bool:
    """Return False for any path."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A dialect of memory files, as its folder states it.

    `title` is its files as people call them, `kind` one of them; both are translated
    where they are shown. Dialects with a smaller `order` are asked first.
    """

    title: str
    kind: str
    order: int
    #: The name of its folder, and two functions there, all set by the registry: whether
    #: a text at a path is of this dialect, by path, front matter or text; the document
    #: of a text at a path, which raises nothing but `FormatError`.
    name: str = ""
    matches: Callable[[PurePosixPath, str], bool] = lambda *_: False
    parse: Callable[..., Any] = never
    #: The defects of blocks in its files.
    problems_in: Callable[[str], Iterable[Problem]] = lambda _: ()

    #: Whether its files may be other than Markdown.
    is_data: bool = False
    #: Pattern of the ends of paths that a scan takes in any folder, though other files
    #: of such a name only in folders of memory.
    scanned: str = ""
    #: Whether a path is so surely of it that a day in the file's name does not count.
    in_place: OfPath = never
    #: Whether its files may have a name that begins with a day, as a log's has.
    has_days: bool = False

    #: The role of its files; None: their folder decides.
    role: Role | Callable[[PurePosixPath], Role] | None = Role.MEMORY
    #: Whether its files declare the agents of a workspace.
    declares_agents: bool = False
    #: Whether a path is of a file in which agents hand over work.
    hands_over: OfPath = never
    #: Whether its files say more of a session's topic than a topic's own file.
    maps_sessions: bool = False
    #: Whether it is a conversation, whose text quotes blocks of other dialects.
    is_conversation: bool = False
    #: The program that keeps its files as lists of tasks, for the board; or nothing.
    program: str = ""

    #: Whether no one but its program can change the lines of its files.
    is_read_only: bool = False
    #: Whether its files only grow, so that `parse` can go on from a known length.
    append_only: bool = False
    #: Whether an agent keeps its files for long; None: their place decides.
    lives_long: bool | None = False
    #: Whether its files are records, of which lines may not get lost.
    is_record: bool = False
    #: Whether an agent reads its files whole, so that their size counts.
    read_whole: bool = False
    #: Whether agents find its files without a pointer: by day, session or name.
    is_found: bool = False

    #: Whether it is the index of a workspace's memory.
    is_index: bool = False
    #: Whether pages and recalls have the content of a file as rows of other kinds.
    in_rows: OfPath = never
    #: Whether its files have pages of their own, so that they are no notes of a day.
    has_pages: bool = False
    #: The rank of a file among long-term memory, 0 to 8, or `NO_RANK`.
    recall_rank: Callable[[PurePosixPath], int] = lambda _: NO_RANK
