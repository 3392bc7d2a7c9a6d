"""Agent cards: how a client of the A2A protocol finds out about an agent."""

from __future__ import annotations

from typing import Any

from memoryhub import __version__
from memoryhub.handoffs.queries.agents import is_known
from memoryhub.journal.models import Agent, Workspace

PROTOCOL = "1.0"
_SKILL = {
    "id": "handoff",
    "name": "Take a task",
    "description": (
        "Takes a task as a handoff. It is carried out when the agent takes it, which"
        " can be hours later: ask for the task's state."
    ),
    "tags": ["handoff", "task"],
    "examples": ["Review the migration in db/migrations and list what can fail."],
}


def card_of(workspace: Workspace, agent: str, url: str) -> dict[str, Any] | None:
    """Return the card of an agent or pool, None if files do not name one so.

    `url` is the address of its JSON-RPC interface.
    """
    found = Agent.objects.filter(workspace=workspace, name=agent).first()
    if found is None and not is_known(workspace, agent):
        return None
    about = f"An agent of the workspace {workspace.name}."
    return {
        "name": agent,
        "description": f"{about} {found.role if found else ''}".strip(),
        "version": __version__,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": PROTOCOL}
        ],
        "capabilities": {"streaming": False, "pushNotifications": False},
        "securitySchemes": {
            "token": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
        },
        "securityRequirements": [{"schemes": {"token": {"list": []}}}],
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [_SKILL],
    }
