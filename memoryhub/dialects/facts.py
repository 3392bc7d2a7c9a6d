"""What files state: one vocabulary of facts, a class for each kind.

A document that states any has ``facts(place)``, which yields them in the order of its
rows; `place` is the path that tells the file's kind. `Change.stated` gives the facts of
one kind in a revision.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, TypeAlias

from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.text import frontmatter


@dataclass(frozen=True, slots=True)
class DecisionText:
    """A decision and the details of its line."""

    date: datetime.date | None
    text: str
    reason: str = ""
    supersedes: str = ""
    signed_off_by: str = ""
    signed_off_on: datetime.date | None = None
    rejected: bool = False
    #: Outcome by another line or file: ``rejected``, ``superseded`` or empty.
    lapsed: str = ""

    @property
    def stands(self) -> bool:
        """Whether it is in force: neither a rejection nor lapsed since."""
        return not (self.rejected or self.lapsed)


class Agent(NamedTuple):
    """An agent that a file declares: with lines in a role, without as a mere name."""

    name: str
    lines: Lines = NOWHERE
    responsibility: str = ""


class Author(NamedTuple):
    """The agent that a file names as its writer."""

    name: str


class Binding(NamedTuple):
    """The topic that a session works on."""

    key: str
    topic: str
    lines: Lines


class Decision(NamedTuple):
    """A decision in a grammar of its own; `of_topic`: of the topic that its file is."""

    said: DecisionText
    lines: Lines
    of_topic: bool = True
    confidence: float = 1.0
    why: str = ""


class Declared(NamedTuple):
    """A topic and the lines that are about it; `folder` is where the work is done.

    group: of Codex tasks; folder: where a thread worked; tag: of front matter;
    relation: to another note.
    """

    kind: Literal["project", "group", "folder", "tag", "relation"]
    name: str
    lines: Lines
    folder: str = ""


class History(NamedTuple):
    """A line of the history of the topic that a file describes.

    snap-memory tells there before what it saved, and with how many messages; and the
    messages before and after a compaction, as far as it says so.
    """

    text: str
    lines: Lines
    saved: tuple[str, int | None] | None = None
    compacted: tuple[int | None, int | None] | None = None


class PartOf(NamedTuple):
    """The folder whose topic a file belongs to, though others describe it."""

    folder: str


class Recalled(NamedTuple):
    """Where a remembered fact came from: its session; `of_person`: a person's words."""

    session_id: str
    of_person: bool


class Session(NamedTuple):
    """The session that a file is the transcript of."""

    key: str


class Topic(NamedTuple):
    """The topic that a file describes, or its folder is, and its status.

    Without a `key` it is known by its file, without a `name` it is called like the
    folder around, without a `title` it is titled by its name.
    """

    kind: Literal["context", "fact", "bank", "note"]
    name: str | None
    title: str | None
    status: str
    status_lines: Lines
    key: str = ""
    created_on: datetime.date | None = None
    updated_on: datetime.date | None = None
    session_key: str = ""


Fact: TypeAlias = (
    Agent
    | Author
    | Binding
    | Decision
    | Declared
    | History
    | PartOf
    | Recalled
    | Session
    | Topic
)


def of_page(
    text: str, place: PurePosixPath, title: str, status: str, lines: Lines | None
) -> Topic:
    """Return the topic that a page is, by the title in its front matter."""
    name = frontmatter.split(text).get("title").strip() or place.stem
    return Topic("note", name, title or name, status, lines or NOWHERE)


def last_part(folder: str) -> str:
    """Return the name of a folder from its path on any system."""
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2]


def whole(text: str) -> Lines:
    """Return the lines of a whole text."""
    return Lines(1, max(1, text.count("\n") + 1))
