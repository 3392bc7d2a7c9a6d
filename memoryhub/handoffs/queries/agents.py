"""Agents and people of a workspace as recipients, coordinators and signers."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import is_called
from memoryhub.handoffs.rules.acting import Actor
from memoryhub.handoffs.rules.parties import (
    ANY,
    BY_COORDINATOR,
    is_coordinator,
    is_member,
    is_pool,
    is_signer,
)
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import PEOPLE, is_person
from memoryhub.people.models import User
from memoryhub.people.rights import Right
from memoryhub.people.roles import is_team, people_with

#: Most agents that are offered.
_MOST = 200
#: Published skills call an agent ``coordinator``, which elsewhere is a person.
_PEOPLE = PEOPLE - {"coordinator"}


class Candidate(NamedTuple):
    """A possible coordinator or signer; `is_called_so`: files call it one."""

    name: str
    role: str
    is_called_so: bool


def coordinates(workspace: Workspace, agent: str) -> bool:
    """Return whether an agent is among the coordinators that a person has named.

    A caller without an agent name is the operator's own program, which coordinates.
    """
    return not agent or agent in workspace.coordinators


def is_reviewed_by(agent: str, workspace: Workspace) -> Q:
    """Return the condition for handoffs whose results an agent is to accept."""
    named = is_called("review", agent, workspace)
    if not coordinates(workspace, agent):
        return named
    return named | Q(workspace=workspace, review__iexact=BY_COORDINATOR)


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


def person_in(workspace: Workspace, name: str) -> Actor:
    """Return the actor of a person who is signed in to the hub's pages."""
    signers = tuple(workspace.signers)
    return Actor(name, coordinates=True, person=True, signers=signers)


def possible_signers(workspace: Workspace) -> list[Candidate]:
    """Return the members with the right to sign off.

    Those that files name are first: by the role of an agent with the same name,
    whatever its case.
    """
    rows = Agent.objects.filter(workspace=workspace).values_list("name", "role")
    roles = {name.casefold(): role for name, role in rows if is_signer(role)}
    found = [
        Candidate(name, roles.get(name.casefold(), ""), name.casefold() in roles)
        for name in _who_may_sign(workspace)
    ]
    return sorted(found, key=lambda one: (not one.is_called_so, one.name))


def able_signers(workspace: Workspace) -> set[str]:
    """Return the user names of the people who may sign a workspace's decisions off.

    Those chosen, less who is deactivated or has not the right any more; with nobody
    chosen, all who have it.
    """
    names = _who_may_sign(workspace)
    return names.intersection(workspace.signers) if workspace.signers else names


def _who_may_sign(workspace: Workspace) -> set[str]:
    """Return user names: members with the right; without a team everybody's."""
    if not is_team():
        return {one.username for one in User.objects.filter(is_active=True)}
    return {one.username for one in people_with(workspace, Right.SIGN)}


def role_of(workspace: Workspace, agent: str, recipient: str) -> str:
    """Return an agent's role, if it decides whether a task is for it."""
    if not is_pool(recipient):
        return ""
    rows = Agent.objects.filter(workspace=workspace, name=agent)
    return rows.values_list("role", flat=True).first() or ""


def pools_of(workspace: Workspace, agent: str) -> list[str]:
    """Return the pools that an agent is in, among those that handoffs are for."""
    used = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    named = used.filter(Q(recipient__istartswith="role:") | Q(recipient__iexact="any"))
    pools = list(named.order_by().values_list("recipient", flat=True).distinct())
    role = role_of(workspace, agent, pools[0]) if pools else ""
    return [pool for pool in pools if is_member(pool, agent, role)]


def _has_member(workspace: Workspace, pool: str) -> bool:
    agents = Agent.objects.filter(workspace=workspace, declared=True)
    rows = agents.values_list("name", "role")
    return any(is_member(pool, name, role) for name, role in rows)


def is_known(workspace: Workspace, recipient: str) -> bool:
    """Return whether a recipient is a person or an agent that files declare."""
    slug, slash, agent = recipient.partition("/")
    other = Workspace.objects.filter(slug=slug).first() if slash and agent else None
    home, name = (other, agent) if other else (workspace, recipient)
    if is_pool(name):
        return name.strip().casefold() == ANY or _has_member(home, name)
    declared = Agent.objects.filter(workspace=home, name=name, declared=True)
    return is_person(name) or declared.exists()
