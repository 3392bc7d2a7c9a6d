"""Who may see which workspace: the one door to a workspace for every interface.

A hub on one machine has one operator, who may do everything; teams come later.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404

from memoryhub.workspaces.models import Workspace


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
    return list(Workspace.objects.all())


def workspace_for_operator(slug: str | None) -> Workspace:
    """Return the workspace that a command names; the only one needs no naming.

    Raises:
        NoSuchWorkspace: it does not exist, or the name is missing.
    """
    known = workspaces()
    named = [w for w in known if slug is None or w.slug == slug]
    if len(named) != 1:
        raise NoSuchWorkspace(slug, [w.slug for w in known])
    return named[0]


def workspace_or_404(slug: str) -> Workspace:
    """Return the workspace of a page, or answer that there is none."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise Http404
    return workspace
