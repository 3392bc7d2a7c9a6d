"""Presenter of decisions and directives as rows of a card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memoryhub.journal.authors import owners_of
from memoryhub.journal.changes import position_at
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen
from memoryhub.recall.lists import written_by
from memoryhub.values.identity import code_of
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.prose import plain_text, shortened
from topics.models import Decision, Directive


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A decision or directive as a row; `url` is its page, else its line of a file."""

    row: Decision | Directive
    url: str
    is_new: bool = False
    #: Who wrote a directive, in words.
    by: str = ""
    #: When the file of an undated row was changed on disk, if that is shown.
    changed_at: datetime | None = None

    @property
    def text(self) -> str:
        return shortened(self.row.text)

    @property
    def reason(self) -> str:
        """Reason of a decision; empty if its text has it."""
        if not isinstance(self.row, Decision):
            return ""
        reason = shortened(self.row.reason)
        return "" if reason in plain_text(self.row.text) else reason

    @property
    def is_unsigned(self) -> bool:
        row = self.row
        return isinstance(row, Decision) and row.state == Decision.State.UNSIGNED

    @property
    def is_dated(self) -> bool:
        return self.row.precision != Precision.NONE

    @property
    def place(self) -> str:
        """Path and line of a directive, which has no page of its own."""
        row = self.row
        return "" if isinstance(row, Decision) else f"{row.file.path}:{row.first_line}"


def decision_rows(
    decisions: Iterable[Decision], addresses: Addresses, seen: Seen | None = None
) -> list[StatementRow]:
    """Return decisions as rows; those not yet seen are marked as new."""
    return [
        StatementRow(row, addresses.decision(code_of(row.pk)), _is_new(row, seen))
        for row in decisions
    ]


def _is_new(row: Decision, seen: Seen | None) -> bool:
    """Return whether a decision is newer than the last visit, if there was one."""
    if seen is None or seen.at is None:
        return False
    return seen.is_new(position_at(row.first_seq, 0))


def directive_rows(
    workspace: Workspace, directives: Iterable[Directive], addresses: Addresses
) -> list[StatementRow]:
    """Return directives as rows, each with its line of a file and who wrote it."""
    owner = owners_of(workspace)
    return [
        StatementRow(
            row,
            addresses.file(row.file.path, line=row.first_line),
            by=written_by(row, owner),
        )
        for row in directives
    ]


def dated_rows(
    rows: Iterable[StatementRow], changed_at: Mapping[int, datetime]
) -> list[StatementRow]:
    """Return rows with the times of their files, by the first seq of a row."""
    return [
        replace(each, changed_at=changed_at.get(each.row.first_seq)) for each in rows
    ]
