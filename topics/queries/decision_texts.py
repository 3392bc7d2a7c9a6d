"""Decisions of the hub as the values from which formats render lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

from memoryhub.formats.optimizer.decision_text import DecisionText, normalise
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from topics.models import Decision, HistoryEntry


def decision_text(decision: Decision) -> DecisionText:
    """Return the content of a decision's line, in any of its states."""
    day = decision.decided_on
    if day is None and decision.precision != Precision.NONE:
        day = local_day(decision)
    return DecisionText(
        day,
        folded(decision.text),
        folded(decision.reason),
        folded(decision.supersedes_text),
        folded(decision.signed_off_by),
        decision.signed_off_on,
    )


def rejection_text(decision: Decision) -> DecisionText:
    """Return the content of the line that rejects a decision."""
    text, reason = folded(decision.text), folded(decision.rejected_for)
    return DecisionText(decision.rejected_on, text, reason, rejected=True)


def statements_of(
    decision: Decision, *, has_successor: bool = False
) -> Iterator[DecisionText]:
    """Yield the lines that state a decision, so that it reads in its present state.

    Its rejection follows it. A superseded one is marked, unless the line of its
    successor says so.
    """
    text = decision_text(decision)
    if decision.state == Decision.State.SUPERSEDED and not has_successor:
        text = replace(text, text=f"Superseded: {text.text}")
    if decision.is_stated:
        yield text
    if decision.state == Decision.State.REJECTED:
        yield rejection_text(decision)


def decision_texts(workspace: Workspace) -> Iterator[DecisionText]:
    """Yield all decisions, oldest first; a rejection follows the rejected one."""
    known = Decision.objects.filter(workspace=workspace).select_related("workspace")
    rows = sorted(known, key=lambda row: _age(decision_text(row), row))
    replaced = {row.supersedes_id for row in rows}
    for row in rows:
        yield from statements_of(row, has_successor=row.pk in replaced)


def _age(text: DecisionText, decision: Decision) -> tuple[date, str]:
    return text.date or local_day(decision), text.text


def lapsed_decisions(workspace: Workspace) -> dict[str, str]:
    """Return the states of rejected or superseded decisions, by `normalise`d texts."""
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.exclude(state__in=Decision.STANDING)
    return {
        normalise(text): str(state) for text, state in rows.values_list("text", "state")
    }


def history_lines(entries: Iterable[HistoryEntry]) -> Iterator[str]:
    """Yield lines of a topic's history, each with its day if known."""
    for entry in entries:
        dated = entry.precision != Precision.NONE
        day = f"{local_day(entry)}: " if dated else ""
        yield folded(f"{day}{entry.text}")


def local_day(row: Decision | HistoryEntry) -> date:
    """Return the day of a row in its workspace's time zone."""
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone)).date()
