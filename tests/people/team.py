"""People of a team with roles, and their browsers."""

from __future__ import annotations

from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from tests.signing import PageReader

#: Roles from the lowest; "none" has no membership, "hub" runs the hub.
ROLES = ("none", "viewer", "editor", "coordinator", "administrator", "hub")


def person(name: str, workspace: Workspace | None = None, role: str = "none") -> User:
    """Create a person, named so and with a role in a workspace."""
    made = User.objects.create_user(name, hub_administrator=role == "hub")
    if workspace is not None and role not in ("none", "hub"):
        given = Role.of_word(role)
        assert given
        grant(workspace, made, given)
    return made


def browser_of(who: User) -> Client:
    """Return a browser that a person signed in."""
    client = PageReader(headers={"host": "localhost"})
    client.force_login(who)
    return client
