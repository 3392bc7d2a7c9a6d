"""What handoffs ask of a workspace's agents: which there are, and who coordinates."""

from __future__ import annotations

from memoryhub.handoffs.rules.acting import is_coordinator
from memoryhub.workspaces.models import Agent, Workspace
from memoryhub.workspaces.ownership import is_person


def coordinates(workspace: Workspace, agent: str) -> bool:
    """Tell whether an agent is a coordinator, by its name or its role.

    A caller who is no agent is a person, who coordinates.
    """
    if not agent:
        return True
    roles = Agent.objects.filter(workspace=workspace, name=agent, declared=True)
    return is_coordinator(agent, roles.values_list("role", flat=True))


def is_known(workspace: Workspace, recipient: str) -> bool:
    """Tell whether a recipient is a person, or an agent that files declare."""
    slug, slash, agent = recipient.partition("/")
    other = Workspace.objects.filter(slug=slug).first() if slash and agent else None
    home, name = (other, agent) if other else (workspace, recipient)
    declared = Agent.objects.filter(workspace=home, name=name, declared=True)
    return is_person(name) or declared.exists()
