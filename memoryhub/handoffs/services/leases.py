"""Leases of taken handoffs: renewed by any call of the holder, ended by silence."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime
from functools import partial
from uuid import UUID

from memoryhub.database.passing import write_in_passing
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import SignOfLife
from memoryhub.handoffs.queries.alarms import silent_rows
from memoryhub.handoffs.services.sending import Author
from memoryhub.handoffs.services.steps import Step, move
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import HUB
from memoryhub.sync.edit.edits import Conflict

#: Seconds for which an agent's calls are noted once.
_ONCE_IN = 15.0
_noted: dict[tuple[UUID, str], float] = {}


def note_call(workspace: Workspace, agent: str, at: datetime) -> None:
    """Note that an agent called; at most every quarter of a minute."""
    name, now = (workspace.uuid, agent), time.monotonic()
    if not agent or now - _noted.get(name, -_ONCE_IN) < _ONCE_IN:
        return
    _noted[name] = now
    write_in_passing(partial(renew, workspace, agent, at))


def renew(workspace: Workspace, agent: str, at: datetime) -> None:
    """Renew the leases of an agent's tasks."""
    SignOfLife.objects.update_or_create(
        workspace=workspace, agent=agent[:200], defaults={"at": at}
    )


def put_back_silent(workspace: Workspace, now: datetime) -> int:
    """Put handoffs of silent holders back where the settings ask for it."""
    if not workspace.put_back_silent:
        return 0
    number = 0
    for row in silent_rows(workspace, now):
        reason = f"its holder {row.taken_by or row.recipient} is silent"
        step = Step("put back", reason, row.standing)
        author = Author(HUB, coordinates=True, at=now)
        with suppress(Conflict, FormatError, FileError):
            move(row, step, author)
            number += 1
    return number
