"""Recording of actions with their origin.

An entry about a change of the database belongs to the change's transaction: without the
entry there is no change. Other entries are recorded after the fact; one that cannot be
written then waits in a file of the data folder, and the log says so.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypedDict, Unpack

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from memoryhub.audit.chain import Fact, append, trim
from memoryhub.audit.models import AuditEntry
from memoryhub.audit.origins import Door, Origin, current_origin, entered
from memoryhub.disk.files import locked

DONE, STAGED = AuditEntry.Outcome.DONE, AuditEntry.Outcome.STAGED
REFUSED, FAILED = AuditEntry.Outcome.REFUSED, AuditEntry.Outcome.FAILED
#: Entries that could not be written yet, one JSON object a line.
WAITING = "audit-waiting.jsonl"
_log = logging.getLogger(__name__)


class Details(TypedDict, total=False):
    """Fields of an entry besides its action; `origin` defaults to the current one."""

    workspace: str
    subject: str
    outcome: str
    detail: str
    actor: str
    origin: Origin
    at: datetime


def fact_of(action: str, **fields: Unpack[Details]) -> Fact:
    """Return an entry, by default of the current origin and done now."""
    origin = fields.get("origin") or current_origin()
    return Fact(
        at=fields.get("at") or timezone.now(),
        actor=fields.get("actor") or origin.actor,
        token=origin.token,
        command=origin.command,
        door=origin.door,
        address=origin.address,
        workspace=fields.get("workspace", ""),
        action=action,
        outcome=fields.get("outcome", DONE),
        detail=fields.get("detail", ""),
        subject=fields.get("subject", ""),
    )


def record(action: str, **fields: Unpack[Details]) -> None:
    """Record an action in the transaction of the change it is about.

    Raises:
        DatabaseError: it cannot be written; the change must not be committed.
    """
    record_facts([fact_of(action, **fields)])
    current_origin().entries += 1


def record_facts(facts: list[Fact]) -> None:
    """Record entries in the caller's transaction; those that wait come first."""
    append([*_taken(), *facts])


def record_after(action: str, **fields: Unpack[Details]) -> None:
    """Record an action that has happened; never fails.

    If the database refuses, the entry waits in a file until the next one is recorded.
    """
    fact = fact_of(action, **fields)
    try:
        with transaction.atomic():
            record_facts([fact])
    except DatabaseError as error:
        _log.error("the audit log has to wait: %s: %s", action, error)
        wait(Path(settings.MEMORYHUB_DATA), [fact])
    current_origin().entries += 1


def wait(data: Path, facts: Iterable[Fact]) -> None:
    """Append entries to the file of those that wait, in a hub's data folder."""
    fields = [fact._asdict() | {"at": fact.at.isoformat()} for fact in facts]
    lines = [f"{json.dumps(each)}\n" for each in fields]
    try:
        with locked(data / "locks" / WAITING):
            _add_lines(data / WAITING, lines)
    except OSError as error:
        _log.error("lost from the audit log: %s (%s)", "; ".join(lines), error)


def _add_lines(file: Path, lines: Iterable[str]) -> None:
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY
    with os.fdopen(os.open(file, flags, 0o600), "w") as opened:
        opened.writelines(lines)
        opened.flush()
        os.fsync(opened.fileno())


def waiting(data: Path) -> list[Fact]:
    """Return the entries that wait; unreadable lines are logged."""
    files = [data / f"{WAITING}.taken", data / WAITING]
    lines = [line for file in files if file.exists() for line in _lines(file)]
    return [fact for line in lines if (fact := _fact_in(line))]


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8", "replace").splitlines(keepends=True)


def _fact_in(line: str) -> Fact | None:
    try:
        fields = json.loads(line)
        return Fact(**fields | {"at": datetime.fromisoformat(fields["at"])})
    except (ValueError, TypeError, KeyError):
        _log.error("unreadable line in %s: %.200r", WAITING, line)
        return None


def _taken() -> list[Fact]:
    """Return the entries that wait; their file is removed with the commit.

    After a kill between the two they are recorded twice.
    """
    data = Path(settings.MEMORYHUB_DATA)
    file, taken = data / WAITING, data / f"{WAITING}.taken"
    if not (file.exists() or taken.exists()):
        return []
    with locked(data / "locks" / WAITING):
        if file.exists():
            _add_lines(taken, _lines(file))
            file.unlink()
        facts = waiting(data)
    transaction.on_commit(lambda: taken.unlink(missing_ok=True))
    return facts


@contextmanager
def hub_action(action: str, **fields: Unpack[Details]) -> Iterator[None]:
    """Record an action of the hub itself; failed if it raises."""
    with entered(Origin(Door.HUB)):
        try:
            yield
        except Exception as error:
            name = type(error).__name__
            record_after(action, **fields | {"outcome": FAILED, "detail": name})
            raise
        record_after(action, **fields)


def trim_old(now: datetime) -> int:
    """Remove entries past their retention; return how many."""
    days = settings.MEMORYHUB_AUDIT_DAYS
    if not days:
        return 0
    with entered(Origin(Door.HUB)):
        fact = fact_of("audit.trimmed", at=now)
        return trim(now - timedelta(days=days), fact)
