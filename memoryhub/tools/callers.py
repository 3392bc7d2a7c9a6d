"""The caller of a tool, from a connection, a call or a command line."""

from __future__ import annotations

from pydantic import Field

from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.people.services.names import checked_agent
from memoryhub.tools.base import Request


class Said(Request):
    """Options that identify a caller; empty ones are unset."""

    workspace: str = Field(
        default="",
        max_length=200,
        description="the workspace's short name; not needed when there is only one",
    )
    agent: str = Field(
        default="", max_length=80, description="the name of the agent that calls"
    )
    session: str = Field(
        default="",
        max_length=500,
        description="the key of the session that calls, if known",
    )
    key: str = Field(
        default="",
        max_length=200,
        description="names this call: made again with the same key, it is done once",
    )

    def or_else(self, other: Said) -> Said:
        """Return these fields, with empty ones taken from `other`."""
        names = type(self).model_fields
        return Said(**{n: getattr(self, n) or getattr(other, n) for n in names})


def caller_of(access: Access, said: Said, scope: Scope) -> Caller:
    """Return the caller of a tool with this scope; a token's agent takes precedence.

    Raises:
        NoSuchWorkspace: no workspace of this name, or none named and several exist.
        ToolError: ``scope-missing``, ``agent-invalid``.
    """
    if said.agent and not access.agent:
        access = Access(checked_agent(said.agent))
    slug = said.workspace or _only_workspace(access)
    return access.caller(slug, scope, session=said.session, key=said.key)


def _only_workspace(access: Access) -> str:
    known = [workspace.slug for workspace in access.workspaces()]
    if len(known) != 1:
        raise NoSuchWorkspace(None, known)
    return known[0]
