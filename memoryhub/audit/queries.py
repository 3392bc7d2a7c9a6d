"""Filters and pages of the audit log, and its export as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from io import StringIO

from django.db.models import QuerySet

from memoryhub.audit.models import AuditEntry

PAGE_SIZE = 100
#: First parts of actions, each with what is recorded below it.
KINDS = (
    "write", "tool", "page", "rest", "a2a", "command", "comment", "sign-in",
    "sign-out", "token", "account", "permission", "secrets", "export", "forget",
    "settings", "workspace", "backup", "audit",
)  # fmt: skip
COLUMNS = (
    "id", "at", "actor", "token", "command", "door", "address", "workspace", "action",
    "subject", "outcome", "detail", "sha256",
)  # fmt: skip
#: First characters that spreadsheets take as the start of a formula.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_PIECE = 1_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter of entries; empty parts do not filter. `until` is exclusive."""

    actor: str = ""
    kind: str = ""
    action: str = ""
    workspace: str = ""
    outcome: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None

    def rows(self) -> QuerySet[AuditEntry]:
        """Return the entries, newest first."""
        found = AuditEntry.objects.order_by("-id")
        exact = {
            "actor": self.actor,
            "action": self.action,
            "workspace": self.workspace,
            "outcome": self.outcome,
            "at__gte": self.since,
            "at__lt": self.until,
            "id__lt": self.before,
        }
        found = found.filter(**{name: value for name, value in exact.items() if value})
        return _of_kind(found, self.kind) if self.kind else found


def _of_kind(rows: QuerySet[AuditEntry], kind: str) -> QuerySet[AuditEntry]:
    # A range, so that an index could serve: "/" follows "." in ASCII.
    below = rows.filter(action__gt=f"{kind}.", action__lt=f"{kind}/")
    return rows.filter(action=kind) | below


def actors(workspace: str = "", since: datetime | None = None) -> list[str]:
    """Return the names in the log by the alphabet.

    Of a workspace: in the entries about it from a time on.
    """
    return _distinct("actor", Wanted(workspace=workspace, since=since).rows())


def workspaces() -> list[str]:
    """Return the short names of workspaces in the log, removed ones too."""
    return _distinct("workspace")


def _distinct(column: str, rows: QuerySet[AuditEntry] | None = None) -> list[str]:
    rows = AuditEntry.objects.all() if rows is None else rows
    values = rows.order_by(column).values_list(column, flat=True)
    return [value for value in values.distinct() if value]


def csv_lines(wanted: Wanted) -> Iterator[str]:
    """Yield the entries as lines of CSV, the names of the columns first.

    A text that a spreadsheet would take as a formula gets an apostrophe before it.
    """
    yield _line(COLUMNS)
    for entry in wanted.rows().iterator(_PIECE):
        values = (getattr(entry, name) for name in COLUMNS)
        yield _line([_cell(value) for value in values])


def _cell(value: object) -> str:
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: tuple[str, ...] | list[str]) -> str:
    out = StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()
