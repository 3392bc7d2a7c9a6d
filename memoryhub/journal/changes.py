"""One revision on its way into rows, with what importers need to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from django.db import models

from memoryhub.formats.base import Document
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import is_agent
from memoryhub.journal.rows import Rows
from memoryhub.values.identity import derive, derive_run, nth_id

#: Events of one revision are told apart by the low bits of their position.
_POSITION_BITS = 20
#: A day within what a calendar can say, so that any zone can show what is stored.
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WorkspaceFacts:
    """What a projection depends on besides the journal: identity and settings."""

    id: int
    uuid: bytes
    slug: str
    root: str
    zone: ZoneInfo
    memory_folder: str

    @classmethod
    def of(cls, workspace: Workspace) -> WorkspaceFacts:
        return cls(
            workspace.pk,
            workspace.uuid.bytes,
            workspace.slug,
            workspace.root,
            ZoneInfo(workspace.time_zone),
            workspace.memory_folder,
        )


@dataclass(slots=True)
class Change:
    """A revision being projected.

    `document` is None when the file is gone or could not be parsed; then it says
    nothing any more. `fresh` means that no row of the file can exist yet.
    """

    workspace: WorkspaceFacts
    rows: Rows
    seq: int
    recorded_at: datetime
    run_number: int | None
    actor: str
    kind: str
    path: str
    pure_path: PurePosixPath
    file_id: int
    origin: str
    format: str
    text: str
    document: Document | None
    fresh: bool
    previous_format: str = ""
    events: int = 0
    #: Old and new id of the topic of a file that was renamed.
    renamed: tuple[int, int] | None = None
    #: Columns of rows that a person has set: files do not change them.
    assigned: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    bases: dict[tuple[object, ...], int] = field(default_factory=dict)
    #: Models of which the revision before said something, once that is known.
    said_before: frozenset[str] | None = None

    @property
    def acting_id(self) -> int | None:
        """The agent that wrote this version through the hub, which made it known."""
        return self.row_id(Agent, self.actor) if is_agent(self.actor) else None

    def next_position(self) -> int:
        """Return the place in the journal of the next event of this revision."""
        self.events += 1
        return position_at(self.seq, self.events)

    def row_id(self, model: type[models.Model], *key: object) -> int:
        """Return the id of a row with a natural key of its own."""
        return derive(self.workspace.uuid, model.__name__, *key)

    def id_at(self, model: type[models.Model], ordinal: int, *only: str) -> int:
        """Return the id of the n-th row that this revision is the first to tell of."""
        base = self.bases.get((model, *only))
        if base is None:
            base = self.bases[model, *only] = derive_run(
                self.workspace.uuid, self.seq, model.__name__, self.file_id, *only
            )
        return nth_id(base, ordinal)

    def local(self, moment: datetime, offset: int | None = None) -> datetime:
        """Return a wall-clock time as UTC: by its own zone, by `offset` minutes,
        else by the workspace's zone."""
        try:
            if moment.tzinfo is None and offset is not None:
                shifted = moment.replace(tzinfo=UTC) - timedelta(minutes=offset)
            elif moment.tzinfo is None:
                shifted = moment.replace(tzinfo=self.workspace.zone).astimezone(UTC)
            else:
                shifted = moment.astimezone(UTC)
        except OverflowError:
            shifted = moment.replace(tzinfo=UTC)
        return min(max(shifted, _EARLIEST), _LATEST)

    def start_of(self, day: date) -> datetime:
        """Return when a day begins in the workspace's zone."""
        return self.local(datetime.combine(day, time()))


def position_at(seq: int, ordinal: int) -> int:
    """Return the place of the n-th event of a journal entry."""
    return seq << _POSITION_BITS | ordinal


def end_of(seq: int) -> int:
    """Return the last place that an event of a journal entry can have."""
    return position_at(seq, (1 << _POSITION_BITS) - 1)
