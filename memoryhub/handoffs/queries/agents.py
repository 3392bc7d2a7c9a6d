"""What handoffs ask of a workspace's agents: which there are, and who coordinates."""

from __future__ import annotations

from typing import NamedTuple

from memoryhub.handoffs.rules.acting import is_coordinator
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import PEOPLE, is_person

#: More agents than that nobody looks through.
_MOST = 200
#: Published skills call an agent ``coordinator``, which elsewhere is a person.
_PEOPLE = PEOPLE - {"coordinator"}


class Candidate(NamedTuple):
    """An agent that a person can name as a coordinator; files may call it so."""

    name: str
    role: str
    is_called_so: bool


def coordinates(workspace: Workspace, agent: str) -> bool:
    """Tell whether an agent is a coordinator: one that a person has named as such.

    A caller who is no agent is a program of the operator's own, which coordinates.
    """
    return not agent or agent in workspace.coordinators


def candidates(workspace: Workspace) -> list[Candidate]:
    """Return the agents of a workspace, those that files call coordinators first."""
    rows = Agent.objects.filter(workspace=workspace).order_by("name")
    known = dict(rows.values_list("name", "role")[:_MOST])
    known |= {name: "" for name in workspace.coordinators if name not in known}
    found = [
        Candidate(name, role, is_coordinator(name, [role]))
        for name, role in known.items()
        if name.casefold() not in _PEOPLE
    ]
    return sorted(found, key=lambda one: (not one.is_called_so, one.name))


def is_known(workspace: Workspace, recipient: str) -> bool:
    """Tell whether a recipient is a person, or an agent that files declare."""
    slug, slash, agent = recipient.partition("/")
    other = Workspace.objects.filter(slug=slug).first() if slash and agent else None
    home, name = (other, agent) if other else (workspace, recipient)
    declared = Agent.objects.filter(workspace=home, name=name, declared=True)
    return is_person(name) or declared.exists()
