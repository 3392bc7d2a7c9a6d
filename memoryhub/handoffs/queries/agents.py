"""Agents of a workspace as recipients and coordinators."""

from __future__ import annotations

from typing import NamedTuple

from memoryhub.handoffs.rules.coordinators import is_coordinator
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import PEOPLE, is_person

#: Most agents that are offered.
_MOST = 200
#: Published skills call an agent ``coordinator``, which elsewhere is a person.
_PEOPLE = PEOPLE - {"coordinator"}


class Candidate(NamedTuple):
    """A possible coordinator; `is_called_so`: files call it one."""

    name: str
    role: str
    is_called_so: bool


def coordinates(workspace: Workspace, agent: str) -> bool:
    """Return whether an agent is among the coordinators that a person has named.

    A caller without an agent name is the operator's own program, which coordinates.
    """
    return not agent or agent in workspace.coordinators


def candidates(workspace: Workspace) -> list[Candidate]:
    """Return possible coordinators of a workspace, those that files call so first."""
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
    """Return whether a recipient is a person or an agent that files declare."""
    slug, slash, agent = recipient.partition("/")
    other = Workspace.objects.filter(slug=slug).first() if slash and agent else None
    home, name = (other, agent) if other else (workspace, recipient)
    declared = Agent.objects.filter(workspace=home, name=name, declared=True)
    return is_person(name) or declared.exists()
