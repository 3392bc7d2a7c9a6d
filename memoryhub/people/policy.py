"""Access to workspaces: the single lookup for all interfaces.

A hub on one machine has one operator, who may do everything. In team mode a page's
request has a `Visitor`, whose roles decide; commands, hooks and the hub itself have
none, and reach all workspaces. A request's sender is known by its session alone
(`people.middleware`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from memoryhub.disk.files import folder_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import pin
from memoryhub.journal.prepared import Prepared
from memoryhub.people import roles
from memoryhub.people.models import User
from memoryhub.people.rights import Right, Role, allows, rights_of
from memoryhub.people.roles import (
    is_hub_administrator,
    is_team,
    roles_of,
    workspaces_of,
)

#: User name of the operator, see `roles`.
OPERATOR = roles.OPERATOR


@dataclass(slots=True)
class Visitor:
    """The signed-in person of a page's request, with the roles looked up so far.

    `slug`: workspace of the page's address, "" for a page of the hub.
    """

    person: User
    slug: str = ""
    _roles: dict[str, Role] | None = None

    def role(self, slug: str) -> Role | None:
        """Return the person's role in the workspace with a slug.

        None without one, and for no such workspace. All roles are looked up once, in
        one query.
        """
        if self.runs_the_hub:
            return Role.ADMINISTRATOR
        if self._roles is None:
            self._roles = roles_of(self.person)
        return self._roles.get(slug)

    @property
    def role_here(self) -> Role | None:
        """The role in the page's workspace, without a query; None if not looked up."""
        return (self._roles or {}).get(self.slug)

    @property
    def runs_the_hub(self) -> bool:
        return is_hub_administrator(self.person)

    def rights(self) -> frozenset[Right]:
        """Return the rights on this page: of the hub and of the page's workspace."""
        return rights_of(self.role_here, hub_administrator=self.runs_the_hub)


_VISITOR: ContextVar[Visitor | None] = ContextVar("visitor", default=None)


def visitor() -> Visitor | None:
    """Return the visitor of the current request; None outside a page's request."""
    return _VISITOR.get()


@contextmanager
def visits() -> Iterator[None]:
    """End with this context the visit that `admit` begins in it."""
    token = _VISITOR.set(None)
    try:
        yield
    finally:
        _VISITOR.reset(token)


def admit(person: User, right: Right, slug: str = "") -> None:
    """Begin a person's visit of a page that needs a right; `slug` of its workspace.

    Raises:
        Http404: the workspace is not theirs, or does not exist.
        PermissionDenied: their role is too low, or they do not run the hub.
    """
    _VISITOR.set(Visitor(person, slug))
    check_right(right, slug)


def check_right(right: Right, slug: str) -> None:
    """Check that the current request's person has a right in a workspace.

    `slug`: "" for a right of the hub. Without a visitor everything is allowed.

    Raises:
        Http404: the workspace is not theirs, or does not exist.
        PermissionDenied: their role is too low.
    """
    who = _VISITOR.get()
    if who is None:
        return
    role = who.role(slug) if slug else None
    if slug and role is None:
        raise Http404
    if not allows(right, role, hub_administrator=who.runs_the_hub):
        raise PermissionDenied


def may(right: Right, slug: str) -> bool:
    """Return whether the current request's person has a right in a workspace."""
    try:
        check_right(right, slug)
    except (Http404, PermissionDenied):
        return False
    return True


def rights_in(slug: str) -> frozenset[Right]:
    """Return the rights of the current request's person in a workspace."""
    if (who := _VISITOR.get()) is None:
        return frozenset(Right)
    role = who.role(slug)
    if role is None:
        return frozenset()
    return rights_of(role, hub_administrator=who.runs_the_hub)


def rights_now() -> frozenset[Right]:
    """Return the rights of the current request's person on its page, without a query.

    All without team mode.
    """
    if not is_team():
        return frozenset(Right)
    who = _VISITOR.get()
    return who.rights() if who else frozenset()


def team_member() -> User | None:
    """Return the current request's person in team mode; None for a command."""
    who = _VISITOR.get()
    return who.person if who and is_team() else None


def me() -> str:
    """Return the user name of the current request's person, else the operator's."""
    who = _VISITOR.get()
    return who.person.get_username() if who else OPERATOR


class NoSuchWorkspace(Exception):
    """No workspace has this name, or none was named and there are none or several."""

    def __init__(self, slug: str | None, known: Sequence[str]) -> None:
        super().__init__(slug, known)
        self.slug = slug
        self.known = tuple(known)

    def __str__(self) -> str:
        known = ", ".join(self.known)
        if self.slug:
            return f"no workspace is called {self.slug} (there are: {known or 'none'})"
        if not self.known:
            return "there is no workspace yet: memoryhub add PATH"
        return f"name one of the workspaces: {known}"


def workspaces() -> list[Workspace]:
    """Return the workspaces of the request's person; all for commands and the hub."""
    who = _VISITOR.get()
    if who is None:
        return _ALL()
    return workspaces_of(who.person)


_ALL: Prepared[Workspace] = Prepared(lambda: Workspace.objects.all())


def workspace_for_operator(slug: str | None) -> Workspace:
    """Return the workspace that a command names; the only one needs no name.

    Raises:
        NoSuchWorkspace: none of this name, or none named and not exactly one exists.
    """
    known = workspaces()
    named = [w for w in known if slug is None or w.slug == slug]
    if len(named) != 1:
        raise NoSuchWorkspace(slug, [w.slug for w in known])
    return named[0]


def workspace_of_folder(folder: str) -> Workspace | None:
    """Return the workspace that contains a folder; the innermost of several."""
    here = folder_of(folder)
    around = {str(place) for place in (here, *here.parents)}
    holding = [w for w in workspaces() if str(folder_of(w.root)) in around]
    return max(holding, key=lambda w: len(w.root), default=None)


def workspace_or_404(slug: str, right: Right = Right.READ) -> Workspace:
    """Return a workspace in which the request's person has a right.

    The right of the page's own address was checked before its view was called.

    Raises:
        Http404: there is none, or it is not theirs.
        PermissionDenied: their role is too low.
    """
    if not slug:
        raise Http404
    check_right(right, slug)
    read_at = time.monotonic()
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise Http404
    pin(workspace, read_at)
    return workspace


def person_of(request: HttpRequest) -> User:
    """Return the signed-in person of a browser's request.

    Raises:
        PermissionDenied: nobody is signed in.
    """
    person = getattr(request, "user", None)
    if not isinstance(person, User):
        raise PermissionDenied
    return person


def operator() -> User:
    """Return the operator's user, created on first use."""
    person, made = User.objects.get_or_create(username=OPERATOR)
    if made:
        person.set_unusable_password()
        person.save(update_fields=["password"])
    return person


def actor_of(request: HttpRequest) -> str:
    """Return the actor name in the journal of a request's person."""
    return person_of(request).get_username()
