"""Agents of a workspace by their names."""

from __future__ import annotations

from memoryhub.journal.models import Agent


def agent_id_named(workspace_id: int, name: str) -> int:
    """Return the id of an agent; 0 for an unknown name, which no row has."""
    rows = Agent.objects.filter(workspace=workspace_id, name=name)
    return rows.values_list("id", flat=True).first() or 0
