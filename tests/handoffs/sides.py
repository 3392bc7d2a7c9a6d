"""A handoff from a baker in one workspace to a miller in another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.journal.models import Problem, Workspace

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PLACE = "memory/handoffs/20261120-01.md"


def by(actor: str, minutes: int = 0, *, coordinates: bool = False) -> Author:
    return Author(actor, coordinates, at=NOON + timedelta(minutes=minutes))


def sent(shop: Workspace, kind: str = "write", result_to: str = "") -> Handoff:
    task = Task("", "", "mill/miller", kind, "Grind", "Wheat")
    return send(shop, task, by("baker"), Terms(result_to=result_to)).handoff


def of(workspace: Workspace) -> Handoff:
    """Return the only handoff of a workspace, as it sees it."""
    (handoff,) = seen_from([workspace], handoffs_of(workspace))
    return handoff


def log_of(workspace: Workspace) -> list[str]:
    text = (Path(workspace.root) / PLACE).read_text()
    return [line for line in text.split("\n") if line.startswith("- 2026")]


def problems(workspace: Workspace) -> list[str]:
    rows = Problem.objects.filter(workspace=workspace, until_seq__isnull=True)
    return [row.code_name for row in rows]
