"""The vocabulary of facts that files state: a class for each kind.

A `Document` gives them, with its entries, its statements, its snapshots and its memory,
and with the time and the agent of each line.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, TypeAlias

from memoryhub.dialects.file_days import day_of_note
from memoryhub.dialects.task_snapshot import TaskSnapshot as TaskSnapshot
from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.formats.base import NOWHERE, Lines, Problem
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import ClockTime
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.list_items import Choice, unstamped
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.model import Kind
from memoryhub.prose.stated import OpenItem, Reports, Stated, find_stated

_OPEN: tuple[Kind, ...] = ("open",)
_NAME, _EXCERPT, _LONGEST = 300, 240, 4_000


class Time(NamedTuple):
    """A time that a file states for some of its lines; nothing: that of the file.

    `at` is a moment, perhaps in a zone, or a day. A heading may state a `day`, which
    may be one to come, and a time of day.
    """

    at: datetime.date | None = None
    zone: str = ""
    day: datetime.date | None = None
    clock: ClockTime | None = None


class Compaction(NamedTuple):
    """A compaction of a session that a history line reports, with both its sizes."""

    lines: Lines
    before: int | None
    after: int | None
    saved_before: bool
    sessions: tuple[str, ...]


class Entry(NamedTuple):
    """A note of a log, a session, or a piece of work that a file reports.

    One without a `kind` is no entry: it only gives its lines a time and an agent. It
    is told from others by its `source`, else by its `heading`. Without a title it is
    called like its file. `words` are title and excerpt where they are slow to find.
    """

    title: str
    excerpt: str
    lines: Lines
    time: Time = Time()
    session: str = ""
    agent: str = ""
    kind: Literal["entry", "session", "dream", ""] = "session"
    source: str = ""
    heading: str = ""
    level: int = 0
    words: Callable[[], tuple[str, str]] | None = None
    #: A heading in which a known agent may be named.
    signed: str = ""
    #: Whether the entry is the file: it is of the topic that the file describes.
    is_file: bool = False


class Memory(NamedTuple):
    """A session memory, with the decisions and the open items of its lists."""

    memory_id: str
    session_ref: str
    project_root: str
    objective: str
    plan_source: str
    last_action: str
    pending: int
    summary: str
    tags: list[str]
    archived: bool
    time: Time
    decisions: tuple[Choice, ...]
    open_items: tuple[OpenItem, ...]


_OF_FILE, _NOTHING = Time(), Stated()


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text: its title, its facts, its entries and its statements.

    Dialects whose files are edited have documents of their own, and say more there.
    `place` is the path that tells the file's kind.
    """

    text: str
    #: What lists of files call it.
    title: str = ""
    _: KW_ONLY
    #: Topics, agents, decisions and other facts outside of prose.
    told: tuple[Fact, ...] = ()
    #: What its prose states; a function where that is slow and may not be asked.
    stated: Stated | Callable[[], Stated] = _NOTHING
    #: Its entries, and lines with a time or an agent of their own; `time` is of others.
    parts: tuple[Entry, ...] = ()
    time: Time = _OF_FILE
    #: The agents that may have written it, the likeliest first. An empty name leaves it
    #: to the file's place; without any it is of nobody. Some may be people.
    authors: tuple[str, ...] = ("",)
    names_people: bool = False
    #: The keys of the sessions that it names, the zone of its times of day.
    sessions: tuple[str, ...] = ()
    zone: str = ""
    #: Whether its name or first lines give it a day.
    has_day: bool = False
    #: Defects that do not prevent reading it.
    problems: tuple[Problem, ...] = ()
    #: Of a log that goes on, mostly not: how many lines are as in the version before;
    #: the first line of which statements, and that of which entries are given, as those
    #: above are as there; reports that close items above.
    same: int = 0
    since: int = 1
    entries_since: int = 1
    closing: Reports = ()

    def facts(self, place: PurePosixPath) -> Iterable[Fact]:
        """Return topics, agents, decisions and other facts outside of prose."""
        return self.told

    @property
    def snapshots(self) -> tuple[TaskSnapshot, ...]:
        """The snapshots in the file, in its order."""
        return find_snapshots(self.text)

    @property
    def memory(self) -> Memory | None:
        """The session memory that it is."""
        return None

    @property
    def compactions(self) -> Iterator[Compaction]:
        """The compactions that the file reports."""
        return iter(())

    def day_of(self, place: PurePosixPath) -> datetime.date | None:
        """Return the day of a file whose name does not begin with one."""
        return day_of_note(place, self.text) if self.has_day else None

    def entry_lines(self) -> Sequence[Lines]:
        """Return the lines of all entries."""
        return [part.lines for part in self.parts if part.kind]

    def entries_from(self, start: int = 0) -> Iterator[Entry]:
        """Yield the entries from one on, with their sources."""
        lines = split_lines(self.text)
        for part in [part for part in self.parts if part.kind][start:]:
            if part.source:
                yield part
                continue
            source = "".join(lines[part.lines.first - 1 : part.lines.last]).rstrip()
            yield part._replace(
                source=source,
                excerpt=one_line(part.excerpt),
                session=part.session[:_NAME],
                heading=part.title,
            )

    def entry_at(self, line: int) -> Entry:
        """Return the entry whose time and agent a line has."""
        for part in self.parts:
            if part.lines.first <= line <= part.lines.last:
                return part
        return Entry("", "", NOWHERE, self.time)

    def statements(self) -> Stated:
        """Return decisions, directives and open items outside grammars of their own."""
        return self.stated() if callable(self.stated) else self.stated


class Quoting(Document):
    """A conversation: the snapshots in it are only quoted."""

    __slots__ = ()

    @property
    def snapshots(self) -> tuple[TaskSnapshot, ...]:
        return ()


def dated(at: datetime.date | None, place: PurePosixPath) -> Time:
    """Return a time of a note on work, else the day in its name."""
    return Time(at or day_in(place.stem.replace("_", " ")))


def without_stamps(items: Iterable[OpenItem]) -> tuple[OpenItem, ...]:
    """Return items without the times before their texts."""
    return tuple(item._replace(text=unstamped(item.text)) for item in items)


def open_without_stamps(text: str) -> Stated:
    """Return the open items of a text alone, without the times before them."""
    found = find_stated(text, asked=_OPEN)
    return Stated(open_items=without_stamps(found.open_items))


def one_line(text: str) -> str:
    """Return the beginning of a text as an excerpt."""
    return " ".join(text[:_LONGEST].split())[:_EXCERPT]


def whole_lines(text: str) -> Lines:
    """Return the lines of a text without blank ones at its end."""
    return Lines(1, max(1, text.rstrip().count("\n") + 1))


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
