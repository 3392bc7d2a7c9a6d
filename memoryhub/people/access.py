"""Access of agents and programs: identity and scopes by token.

An agent has a token, a program of the operator the local token. Commands, hooks and MCP
over standard input have the data folder: they are the operator's own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from django.conf import settings

from memoryhub.audit.failures import record_stranger
from memoryhub.audit.origins import current_origin, identify
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import ALL_SCOPES, Scope
from memoryhub.people.callers import Caller
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import OPERATOR, NoSuchWorkspace, workspaces
from memoryhub.people.services.local_token import is_local_token
from memoryhub.people.services.names import checked_agent
from memoryhub.people.services.tokens import is_valid, scopes_now, token_with
from memoryhub.people.sites import why_not_local

#: Header in which an operator's program names the agent it acts for; an agent's token
#: has its own.
AGENT_HEADER = "memoryhub-agent"
#: Variable in which Claude Code names its session to programs that it starts.
_HOST_SESSION = "CLAUDE_CODE_SESSION_ID"
#: Refusals of a wrong credential, which the audit log records.
_WRONG = frozenset({"token-invalid", "token-elsewhere"})
#: Hint for a missing token.
_WHERE = "programs of this computer read it from the file of memoryhub token local"


@dataclass(frozen=True, slots=True)
class Access:
    """Identity and rights of a request: an agent with its token, or the operator.

    `person` is true only for a request by a browser that a person signed in: never for
    a token, a command, a hook or MCP. `host_session`: id of the session whose host
    started this process; empty without one. `also`: the token's rows of further
    workspaces.
    """

    agent: str = ""
    token: AccessToken | None = None
    person: bool = False
    host_session: str = ""
    also: tuple[AccessToken, ...] = ()

    @property
    def rows(self) -> tuple[AccessToken, ...]:
        """The token's rows, one for each workspace; none without a token."""
        return (self.token, *self.also) if self.token else ()

    @property
    def actor(self) -> str:
        """Actor name in the journal."""
        return self.agent or OPERATOR

    @property
    def scopes(self) -> frozenset[Scope]:
        """Scopes granted in any workspace; all without an agent's token.

        Of a person's token those that the person's role still allows.
        """
        if self.token is None:
            return ALL_SCOPES
        return frozenset[Scope]().union(*map(scopes_now, self.rows))

    def allows(self, scope: Scope) -> bool:
        """Return whether a tool of this scope may be used; admin includes all."""
        return not {scope, Scope.ADMIN}.isdisjoint(self.scopes)

    def identify(self) -> None:
        """Name the caller in the audit log."""
        identify(self.actor, self.token.prefix if self.token else "")

    def check_token(self) -> None:
        """Check that the token is still valid, for a request that lasts.

        Raises:
            ToolError: ``token-invalid``, it has expired or was revoked since.
        """
        if not all(map(is_valid, self.rows)):
            raise ToolError("token-invalid")

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces that this access reaches."""
        return [row.workspace for row in self.rows] if self.token else workspaces()

    def workspace(self, slug: str) -> Workspace:
        """Return the workspace with this slug.

        Raises:
            NoSuchWorkspace: none, or not for this token.
        """
        known = {workspace.slug: workspace for workspace in self.workspaces()}
        if slug not in known:
            raise NoSuchWorkspace(slug, list(known))
        return known[slug]

    def caller(
        self, slug: str, scope: Scope, *, session: str = "", key: str = ""
    ) -> Caller:
        """Return the caller of a tool with this scope in a workspace.

        Raises:
            NoSuchWorkspace: none of this name, or not for this token.
            ToolError: ``scope-missing``, the token does not grant it;
                ``agent-look-alike``.
        """
        self.identify()
        workspace = self.workspace(slug)
        row = next((row for row in self.rows if row.workspace == workspace), None)
        here = Access(self.agent, row)
        if not here.allows(scope):
            raise ToolError("scope-missing", scope=scope.value)
        if self.agent and self.token is None:
            checked_agent(self.agent, workspace)
        maker = row.maker.get_username() if row and row.maker else OPERATOR
        return Caller(
            workspace,
            self.actor,
            self.agent,
            session,
            key,
            bound=row is not None,
            scopes=here.scopes,
            shared=row is not None and row.shared,
            main=row is None or row.private,
            person=self.person,
            owner=maker if row else "",
            host_session=self.host_session,
        )


def own_access(*, session: str | None = None) -> Access:
    """Return the access of a command, or of MCP over standard input.

    `session`: the host's that started it; by default the one that started this process.
    """
    return Access(host_session=host_session() if session is None else session)


def host_session() -> str:
    """Return the id of the session whose host started this process, if it says so."""
    return os.environ.get(_HOST_SESSION, "")[:200]


def access_of(peer: str, headers: Mapping[str, str]) -> Access:
    """Return the access of a request from `peer` with these headers.

    An `Authorization` of another kind than Bearer belongs to a proxy in front. Wrong
    tokens are recorded in the audit log.

    Raises:
        ToolError: ``token-missing``; ``token-invalid``; ``token-elsewhere``, the local
            token from outside this computer; ``agent-invalid``.
    """
    try:
        access = _access_of(peer, headers)
    except ToolError as error:
        if error.code in _WRONG:
            record_stranger("sign-in", error.code)
            current_origin().entries += 1
        raise
    access.identify()
    return access


def _access_of(peer: str, headers: Mapping[str, str]) -> Access:
    kind, _, secret = headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer":
        if kind or not is_trusted(peer, headers):
            raise ToolError("token-missing", reason=_WHERE)
    elif not is_local_token(secret):
        return access_by_token(secret)
    elif reason := why_not_local(peer, headers):
        raise ToolError("token-elsewhere", reason=reason)
    named = headers.get(AGENT_HEADER, "")
    return Access(checked_agent(_name_in(named)) if named else "")


def is_trusted(peer: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request without a credential counts as the operator's."""
    trusts = settings.MEMORYHUB_TRUST_LOOPBACK and not settings.MEMORYHUB_TEAM
    return bool(trusts) and not why_not_local(peer, headers)


def _name_in(header: str) -> str:
    """Return a name from a header, in UTF-8, percent-encoded or raw.

    WSGI and ASGI servers decode header bytes as Latin-1.
    """
    return unquote(header.encode("latin-1", "replace").decode("utf-8", "replace"))


def access_by_token(secret: str) -> Access:
    """Return the access granted by an agent's token.

    Raises:
        ToolError: ``token-invalid``, it is unknown, has expired or was revoked.
    """
    found = token_with(secret)
    if not found:
        raise ToolError("token-invalid")
    token, *also = found
    return Access(token.agent, token, also=tuple(also))
