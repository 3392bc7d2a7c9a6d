"""Agents' names: none may pass for a person or another agent."""

from __future__ import annotations

from memoryhub.errors.base import ToolError
from memoryhub.formats.text.likeness import looks_like, skeleton
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import AGENT_NAME, PEOPLE
from memoryhub.people.models import AccessToken

#: Skeletons of names for a person, the hub, or a source of instructions to models.
#: ``coordinator`` is allowed: published skills call an agent so.
_RESERVED = frozenset(
    map(
        skeleton,
        (PEOPLE - {"coordinator"})
        | {"admin", "administrator", "root", "system", "memoryhub"}
        | {"我", "你", "人类", "用户", "系统", "管理员", "操作员"},
    )
)


def checked_agent(name: str, workspace: Workspace | None = None) -> str:
    """Return the name of an agent as the journal stores it.

    With a workspace, the name must not look like another agent's there.

    Raises:
        ToolError: ``agent-invalid``, it means a person or looks like that, is too long,
            or has invalid letters; ``agent-look-alike``, with the agent it looks like.
    """
    name = name.strip()
    if not AGENT_NAME.fullmatch(name) or skeleton(name) in _RESERVED:
        raise ToolError("agent-invalid", agent=name[:80])
    if workspace is not None and (other := _look_alike(workspace, name)):
        raise ToolError("agent-look-alike", agent=name, other=other)
    return name


def _look_alike(workspace: Workspace, name: str) -> str:
    """Return the earlier known agent that a name looks like, or ""."""
    rows = Agent.objects.filter(workspace=workspace)
    known = dict(rows.values_list("name", "first_seq"))
    own = [seq for other, seq in known.items() if other.casefold() == name.casefold()]
    if not own:
        tokens = AccessToken.objects.filter(workspace=workspace, revoked_at=None)
        known |= dict.fromkeys(tokens.values_list("agent", flat=True), 0)
    before = (other for other, seq in known.items() if not own or seq < min(own))
    return next((other for other in before if looks_like(name, other)), "")
