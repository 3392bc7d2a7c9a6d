"""Access to workspaces: the single lookup for all interfaces.

A hub on one machine has one operator, who may do everything; teams come later. A
request's sender is known by its session alone (`people.middleware`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from memoryhub.disk.files import folder_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import pin
from memoryhub.journal.prepared import Prepared
from memoryhub.people.models import User

#: User name of the only person of a hub on one machine; created on first use.
OPERATOR = "operator"


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
    """Return all workspaces the operator may see."""
    return _ALL()


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


def workspace_or_404(slug: str) -> Workspace:
    """Return the workspace of a page; raise `Http404` if there is none."""
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
