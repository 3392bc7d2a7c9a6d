"""Dependents of a deactivated account, and their transfer to another person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from memoryhub.accounts.services.persons import set_active
from memoryhub.audit.recording import record
from memoryhub.comments.models import Thread
from memoryhub.comments.queries import waiting_threads
from memoryhub.handoffs.queries.agents import able_signers
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken, TurnAssignment, User
from memoryhub.people.rights import Right, allows
from memoryhub.people.roles import OPERATOR, role_of, roles_in, workspaces_of
from memoryhub.people.services.tokens import VALID, scopes_now, states_of, tokens_of


@dataclass(frozen=True, slots=True)
class Hanging:
    """What hangs on a person in a workspace.

    `tokens`: valid ones that the person made; `threads`: ids of open comments that wait
    for the person; `assigned`: number of rows of Your turn; `signs`: a chosen signer;
    `alone`: nobody else could sign decisions off.
    """

    workspace: Workspace
    tokens: Sequence[AccessToken] = ()
    threads: Sequence[int] = ()
    assigned: int = 0
    signs: bool = False
    alone: bool = False


def hanging_on(person: User) -> list[Hanging]:
    """Return the tokens and duties of a person, by workspace that has any."""
    found = (_hanging_in(one, person) for one in workspaces_of(person))
    return [one for one in found if one != Hanging(one.workspace)]


def heirs_of(hanging: Sequence[Hanging]) -> list[User]:
    """Return who may take over all that hangs on a person in one of the workspaces."""
    may: set[int] = set()
    for found in hanging:
        needed = {Right.READ}
        needed |= {Right.TOKENS} if found.tokens else set()
        needed |= {Right.SIGN} if found.signs else set()
        held = roles_in(found.workspace).items()
        may |= {pk for pk, role in held if all(allows(one, role) for one in needed)}
    people = User.objects.filter(pk__in=may).exclude(username=OPERATOR)
    return list(people.order_by("username"))


def _hanging_in(workspace: Workspace, person: User) -> Hanging:
    name = person.get_username()
    made = [one for one in tokens_of(workspace) if one.maker_id == person.pk]
    states = states_of(made)
    threads = waiting_threads(workspace)
    return Hanging(
        workspace,
        tuple(one for one in made if states[one.pk] == VALID),
        tuple(one.number for one in threads if name in one.waits_for),
        TurnAssignment.objects.filter(workspace=workspace, person=person).count(),
        name in workspace.signers,
        able_signers(workspace) == {name},
    )


@transaction.atomic
def deactivate(person: User, heir: User | None, by: str) -> None:
    """Deactivate a person; hand tokens, comments and sign-offs to an heir by rights.

    A token goes, with the scopes that it has now, to who may make one there; a sign-off
    to who may sign; the rest to a member. What nobody gets: tokens stop, comments and
    rows wait for anybody. The last signer stays recorded: nobody else signs instead.

    Raises:
        ToolError: ``last-hub-administrator``, ``last-administrator``.
    """
    for found in hanging_on(person):
        _hand_over(found, person, heir)
    set_active(person, active=False, by=by)


def _hand_over(found: Hanging, person: User, heir: User | None) -> None:
    workspace, name = found.workspace, person.get_username()
    role = role_of(heir, workspace) if heir else None
    to = heir if allows(Right.READ, role) else None
    if to and allows(Right.TOKENS, role):
        for token in found.tokens:
            scopes = [one.value for one in Scope if one in scopes_now(token)]
            rows = AccessToken.objects.filter(pk=token.pk)
            rows.update(maker=to, scopes=scopes)
            subject = f"{token.prefix} {token.agent} to {to}"
            record("token.given", workspace=workspace.slug, subject=subject)
    for thread in Thread.objects.filter(pk__in=found.threads):
        next_one = to.get_username() if to else OPERATOR
        asked = (next_one if one == name else one for one in thread.waits_for)
        thread.waits_for = list(dict.fromkeys(asked))
        thread.save(update_fields=["waits_for"])
    assigned = TurnAssignment.objects.filter(workspace=workspace, person=person)
    assigned.update(person=to) if to else assigned.delete()
    if found.signs:
        kept = [one for one in workspace.signers if one != name]
        if to and allows(Right.SIGN, role):
            kept = list(dict.fromkeys([*kept, to.get_username()]))
        if kept:
            workspace.signers = kept
            workspace.save(update_fields=["signers"])
