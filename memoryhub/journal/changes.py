"""A revision on its way into rows, with the context that importers need."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.db import models

from memoryhub.dialects import memory_index
from memoryhub.dialects.facts import Document, Fact
from memoryhub.dialects.file_days import is_report
from memoryhub.dialects.roles import Role, chosen_role, role_of
from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Agent, Revision, SyncRun, Workspace
from memoryhub.journal.ownership import is_agent, names_of_people
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Rows
from memoryhub.values.identity import derive, derive_run, nth_id

_INDEX = "MEMORY.md"
#: Blobs of the index of a workspace, up to a seq, newest first.
_VERSIONS: Prepared[int | None] = Prepared(
    lambda workspace_id, until: (
        Revision.objects.filter(workspace_id=workspace_id, path=_INDEX, seq__lte=until)
        .order_by("-seq")
        .values_list("blob_id", flat=True)[:1]
    ),
    int,
    int,
)
_NEWEST = 2**62
#: The first import of a workspace that came to its end.
_ENDED: Prepared[int] = Prepared(
    lambda workspace_id: (
        SyncRun.objects.filter(workspace_id=workspace_id, files__gt=0)
        .order_by("number")
        .values_list("number", flat=True)[:1]
    ),
    int,
)


def pointed_notes(workspace_id: int, until: int = _NEWEST) -> frozenset[str]:
    """Return the paths that the root's ``MEMORY.md`` names, in its version at a seq."""
    blobs = [blob for blob in _VERSIONS(workspace_id, until) if blob is not None]
    pointers = (
        pointer
        for data in bytes_by_id(blobs).values()
        for pointer in memory_index.parse(decode(data).text).pointers
    )
    return frozenset(normpath(pointer.target) for pointer in pointers)


#: Low bits of an event's position: its ordinal within the revision.
_POSITION_BITS = 20
#: One day inside the calendar's limits, so that any zone can show stored times.
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)
#: Every importer of a revision asks for its place.
_placed = lru_cache(maxsize=8)(placed)


@dataclass(frozen=True, slots=True)
class WorkspaceFacts:
    """Input of a projection besides the journal: identity, settings, people."""

    id: int
    uuid: bytes
    slug: str
    root: str
    zone: ZoneInfo
    memory_folder: str
    people: frozenset[str]
    #: Roles of files that people chose: pairs of pattern and role.
    roles: tuple[tuple[str, str], ...] = ()
    #: Notes that the newest ``MEMORY.md`` points to.
    pointed: frozenset[str] = frozenset()
    #: Number of the first import that came to its end; no limit before that.
    first_run: int = sys.maxsize

    @classmethod
    def of(
        cls, workspace: Workspace, people: frozenset[str] | None = None
    ) -> WorkspaceFacts:
        """Return the facts of a workspace; `people`, where their names are known."""
        return cls(
            workspace.pk,
            workspace.uuid.bytes,
            workspace.slug,
            workspace.root,
            ZoneInfo(workspace.time_zone),
            workspace.memory_folder,
            names_of_people() if people is None else people,
            tuple((pattern, role) for pattern, role in workspace.roles),
            pointed_notes(workspace.pk),
            next(iter(_ENDED(workspace.pk)), sys.maxsize),
        )

    def role_of(self, path: str, dialect: str, text: str) -> Role:
        """Return the role of a file of this workspace, read in a dialect."""
        if chosen := chosen_role(path, self.roles):
            return chosen
        place = placed(self.root, path)
        return role_of(
            place,
            dialect,
            self.memory_folder,
            dated=is_report(place, text),
            pointed=path in self.pointed,
        )


_Kind = TypeVar("_Kind", bound=Fact)


@dataclass(slots=True)
class Change:
    """A revision being projected.

    `document` is None when the file is deleted or could not be parsed; it then has no
    facts. `fresh` means that no row of the file can exist yet.
    """

    workspace: WorkspaceFacts
    rows: Rows
    seq: int
    recorded_at: datetime
    #: When the file was changed, by the disk: the time of facts that state none.
    changed_at: datetime
    run_number: int | None
    actor: str
    kind: str
    path: str
    pure_path: PurePosixPath
    file_id: int
    origin: str
    text: str
    document: Document | None
    #: What is read from the file; nothing is for those without a document.
    role: Role
    fresh: bool
    previous_format: str = ""
    previous_path: str = ""
    #: Seq of the file's revision before; 0 without one.
    previous_seq: int = 0
    #: When that was recorded.
    previous_at: datetime | None = None
    #: The topic that its file is, or belongs to.
    topic_id: int | None = None
    events: int = 0
    #: Whether an event of it follows when the batch is written.
    told_later: bool = False
    #: Whether one of its events has a time.
    has_timed_event: bool = False
    #: Old and new id of the topic of a file that was renamed.
    renamed: tuple[int, int] | None = None
    #: Column values that a person has set, by row id or key of a suggestion's text.
    assigned: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    #: Kind and text of what a person has accepted, or assigned, at any time.
    accepted: frozenset[tuple[str, str]] = frozenset()
    bases: dict[tuple[object, ...], int] = field(default_factory=dict)
    #: Lines of probable secrets, of which nothing is stated.
    secrets: Sequence[Lines] = ()
    #: Names of models with facts in the revision before; None until queried.
    stated_before: frozenset[str] | None = None
    #: Ids that statements keep, by those that their texts give; None until queried.
    kept: Mapping[int, int] | None = None
    #: What the document states, by kind; None until asked.
    by_kind: dict[type, list[Any]] | None = None

    def stated(self, kind: type[_Kind]) -> list[_Kind]:
        """Return the facts of a kind that the revision states."""
        if self.by_kind is None:
            self.by_kind = {}
            for fact in self.said.facts(self.place):
                self.by_kind.setdefault(type(fact), []).append(fact)
        return self.by_kind.get(kind, [])

    @property
    def said(self) -> Document:
        """What the file says; of one that is not read, nothing."""
        return self.document or Document("")

    @property
    def since(self) -> int:
        """The first line of which the document states anything; mostly 1."""
        return self.said.since

    @property
    def same(self) -> int:
        """How many lines are as in the version before; mostly unknown, 0."""
        return self.said.same

    @property
    def acting_id(self) -> int | None:
        """Row id of the agent that wrote this version through the hub, else None."""
        if not self.actor or not is_agent(self.actor, self.workspace.people):
            return None
        return self.row_id(Agent, self.actor)

    @property
    def read_at(self) -> datetime:
        """When it was recorded; in the first import when its file was changed."""
        return self.changed_at if self.is_first_read else self.recorded_at

    @property
    def is_first_read(self) -> bool:
        """Whether it is of the first import, which a crash may cut into several."""
        number = self.run_number
        return number is not None and number <= self.workspace.first_run

    @property
    def came_at(self) -> datetime:
        """When the file became so: by the disk, if that is after the version before."""
        if self.actor or self.previous_at is None:
            return self.recorded_at
        is_later = self.previous_at < self.changed_at
        return self.changed_at if is_later else self.recorded_at

    @property
    def is_told(self) -> bool:
        """Whether it has an event; after the first import, one with a time."""
        return bool(self.events) if self.is_first_read else self.has_timed_event

    @property
    def place(self) -> PurePosixPath:
        """The path for telling the file's kind, as `placed` gives it."""
        return _placed(self.workspace.root, self.path)

    @property
    def previous_place(self) -> PurePosixPath:
        return _placed(self.workspace.root, self.previous_path)

    def has_secret(self, lines: Lines) -> bool:
        """Return whether one of these lines holds a probable secret."""
        return any(
            one.first <= lines.last and lines.first <= one.last for one in self.secrets
        )

    def next_position(self) -> int:
        """Return the position of the revision's next event."""
        self.events += 1
        return position_at(self.seq, self.events)

    def row_id(self, model: type[models.Model], *key: object) -> int:
        """Return the id of a row with a natural key of its own."""
        return derive(self.workspace.uuid, model.__name__, *key)

    def id_at(self, model: type[models.Model], ordinal: int, *only: str) -> int:
        """Return the id of the n-th row that this revision introduces."""
        base = self.bases.get((model, *only))
        if base is None:
            base = self.bases[model, *only] = derive_run(
                self.workspace.uuid, self.seq, model.__name__, self.file_id, *only
            )
        return nth_id(base, ordinal)

    def local(self, moment: datetime, offset: int | None = None) -> datetime:
        """Convert a wall-clock time to UTC, clamped to the storable range.

        By its own zone, else by `offset` in minutes, else by the workspace's zone.
        """
        try:
            if moment.tzinfo is None and offset is not None:
                shifted = moment.replace(tzinfo=UTC) - timedelta(minutes=offset)
            elif moment.tzinfo is None:
                shifted = moment.replace(tzinfo=self.workspace.zone).astimezone(UTC)
            else:
                shifted = moment.astimezone(UTC)
        except OverflowError:
            shifted = moment.replace(tzinfo=UTC)
        if _EARLIEST.year < shifted.year < _LATEST.year:
            return shifted
        return min(max(shifted, _EARLIEST), _LATEST)

    def start_of(self, day: date) -> datetime:
        """Return the start of a day in the workspace's zone, as UTC."""
        return self.local(datetime.combine(day, time()))


def position_at(seq: int, ordinal: int) -> int:
    """Return the position of the n-th event of a journal entry."""
    return seq << _POSITION_BITS | ordinal


def end_of(seq: int) -> int:
    """Return the last possible event position of a journal entry."""
    return position_at(seq, (1 << _POSITION_BITS) - 1)
