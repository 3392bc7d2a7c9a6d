"""Who asks through the agents' door, and what they may do there.

An agent has a token. A program on the operator's own computer needs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from memoryhub.people.loopback import why_not_local
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import OPERATOR, NoSuchWorkspace, workspaces
from memoryhub.people.services.names import checked_agent
from memoryhub.people.services.tokens import scopes_of, token_with
from memoryhub.scopes import ALL_SCOPES, Scope
from memoryhub.tools.base import Caller, ToolError
from memoryhub.workspaces.models import Workspace

#: By which agent a program without a token asks; a token has its own.
AGENT_HEADER = "memoryhub-agent"


@dataclass(frozen=True, slots=True)
class Access:
    """Who asks: an agent with its token, or without one the operator's own program."""

    agent: str = ""
    token: AccessToken | None = None

    @property
    def actor(self) -> str:
        """The name that the journal keeps."""
        return self.agent or OPERATOR

    @property
    def scopes(self) -> frozenset[Scope]:
        """What may be done; without a token of an agent everything."""
        return ALL_SCOPES if self.token is None else scopes_of(self.token)

    def allows(self, scope: Scope) -> bool:
        """Tell whether a tool of this scope may be used; admin may use all."""
        return not {scope, Scope.ADMIN}.isdisjoint(self.scopes)

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces that may be asked for."""
        return workspaces() if self.token is None else [self.token.workspace]

    def workspace(self, slug: str) -> Workspace:
        """Return the workspace of a name.

        Raises:
            NoSuchWorkspace: there is none, or not for this token.
        """
        known = {workspace.slug: workspace for workspace in self.workspaces()}
        if slug not in known:
            raise NoSuchWorkspace(slug, list(known))
        return known[slug]

    def caller(
        self, slug: str, scope: Scope, *, session: str = "", key: str = ""
    ) -> Caller:
        """Return who calls a tool of this scope in a workspace.

        Raises:
            NoSuchWorkspace: there is none of this name, or not for this token.
            ToolError: ``scope-missing``, the token does not allow it;
                ``agent-look-alike``.
        """
        workspace = self.workspace(slug)
        if not self.allows(scope):
            raise ToolError("scope-missing", scope=scope.value)
        if self.agent and self.token is None:
            checked_agent(self.agent, workspace)
        bound = self.token is not None
        return Caller(
            workspace,
            self.actor,
            self.agent,
            session,
            key,
            bound=bound,
            scopes=self.scopes,
            shared=self.token is not None and self.token.shared,
        )


def access_of(peer: str, headers: Mapping[str, str]) -> Access:
    """Return who sends a request from `peer` with these headers.

    Raises:
        ToolError: ``token-missing``, it is no program of this computer's operator;
            ``token-invalid``; ``agent-invalid``.
    """
    credentials = headers.get("authorization", "")
    if credentials:
        kind, _, secret = credentials.partition(" ")
        return access_by_token(secret.strip() if kind.lower() == "bearer" else "")
    if reason := why_not_local(peer, headers):
        raise ToolError("token-missing", reason=reason)
    named = headers.get(AGENT_HEADER, "")
    return Access(checked_agent(_name_in(named)) if named else "")


def _name_in(header: str) -> str:
    """Return a name that a header says in UTF-8, percent-encoded or as it is.

    Servers hand over the bytes of a header as Latin-1, whatever they are.
    """
    return unquote(header.encode("latin-1", "replace").decode("utf-8", "replace"))


def access_by_token(secret: str) -> Access:
    """Return what the token of a secret gives.

    Raises:
        ToolError: ``token-invalid``, it is unknown, has expired or was revoked.
    """
    token = token_with(secret)
    if token is None:
        raise ToolError("token-invalid")
    return Access(token.agent, token)
