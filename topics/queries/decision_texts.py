"""Decisions of the hub as the values of which formats make their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from zoneinfo import ZoneInfo

from memoryhub.formats.optimizer.decision_text import DecisionText, normalise
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from topics.models import Decision, HistoryEntry


def decision_text(decision: Decision) -> DecisionText:
    """Return what a decision's line says, whichever of its states it has."""
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


def decision_texts(workspace: Workspace) -> Iterator[DecisionText]:
    """Give every decision, oldest first; a rejection follows what it rejects."""
    known = Decision.objects.filter(workspace=workspace).select_related("workspace")
    said = [(decision_text(decision), decision) for decision in known]
    for text, decision in sorted(said, key=lambda pair: _age(*pair)):
        yield text
        if decision.state == Decision.State.REJECTED:
            yield DecisionText(text.date, text.text, rejected=True)


def _age(text: DecisionText, decision: Decision) -> tuple[date, str]:
    return text.date or local_day(decision), text.text


def lapsed_decisions(workspace: Workspace) -> dict[str, str]:
    """Return what was rejected or superseded, by the texts `normalise` gives."""
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.exclude(state__in=Decision.STANDING)
    return {
        normalise(text): str(state) for text, state in rows.values_list("text", "state")
    }


def history_lines(entries: Iterable[HistoryEntry]) -> Iterator[str]:
    """Give lines of a topic's history, each with its day where that is known."""
    for entry in entries:
        dated = entry.precision != Precision.NONE
        day = f"{local_day(entry)}: " if dated else ""
        yield folded(f"{day}{entry.text}")


def local_day(row: Decision | HistoryEntry) -> date:
    """Return the day of a row where its workspace is."""
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone)).date()
