"""The caller of a connection, and the arguments by which a call completes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub.audit.origins import Door, Origin
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.tools.base import Request, Tool
from memoryhub.tools.calling import (
    CallerOptions,
    caller_of,
    check_version,
    checked,
)
from memoryhub.tools.profiles import checked_profile

#: Names that a call may pass as arguments about its caller, and a connection in its
#: address: `/mcp?workspace=main&agent=builder`.
ARGUMENTS = ("workspace", "agent", "session")
_SCHEMAS: Mapping[str, Any] = CallerOptions.model_json_schema()["properties"]


@dataclass(frozen=True, slots=True)
class Connection:
    """The caller as far as the connection itself names it."""

    options: CallerOptions
    access: Access
    #: Name of the profile that the connection asks for; "" for the token's own.
    asked_profile: str = ""
    #: Network address of the client; empty over standard input.
    address: str = ""

    def origin(self) -> Origin:
        """Return the origin of a call, for the audit log."""
        command = "" if self.address else "mcp"
        return Origin(Door.MCP, command=command, address=self.address)

    @property
    def profile(self) -> str:
        """Name of the profile of listed tools.

        Raises:
            ToolError: ``profile-unknown``.
        """
        own = self.access.token.profile if self.access.token else ""
        return checked_profile(self.asked_profile or own)

    @property
    def agent(self) -> str:
        """Name of the agent, if the connection or its token names one."""
        return self.access.agent or self.options.agent

    def arguments(self, request: type[Request]) -> dict[str, Any]:
        """Return the schemas of the caller arguments that this request accepts.

        Without names that the connection has set or that the request has as fields.
        """
        return {
            name: _SCHEMAS[name]
            for name in ARGUMENTS
            if not self._names(name) and name not in request.model_fields
        }

    def caller(self, tool: Tool, request: Request, given: Mapping[str, Any]) -> Caller:
        """Return the caller; values set by the connection cannot be overridden.

        Raises:
            NoSuchWorkspace: no workspace of this name, or none named and several exist.
            ToolError: ``request-invalid``, ``scope-missing``, ``agent-invalid``,
                ``token-invalid``, ``database-other``.
        """
        self._check()
        options = self.options.or_else(checked(CallerOptions, tool.name, given))
        return caller_of(self.access, options, tool.scope_for(request))

    def reader(self, workspace: str = "") -> Caller:
        """Return the caller for reading in a workspace, by default the only one.

        Raises:
            NoSuchWorkspace: no workspace of this name, or the connection names another.
            ToolError: ``scope-missing``, ``agent-invalid``, ``token-invalid``,
                ``database-other``.
        """
        self._check()
        caller = caller_of(
            self.access,
            self.options.or_else(CallerOptions(workspace=workspace)),
            Scope.READ,
        )
        if workspace and caller.workspace.slug != workspace:
            raise NoSuchWorkspace(workspace, [caller.workspace.slug])
        return caller

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces that can be read.

        Raises:
            NoSuchWorkspace: no workspace of the name that the connection gives.
            ToolError: ``scope-missing``, ``agent-invalid``, ``token-invalid``,
                ``database-other``.
        """
        self._check()
        if self.options.workspace:
            return [self.reader().workspace]
        if not self.access.allows(Scope.READ):
            raise ToolError("scope-missing", scope=Scope.READ.value)
        return self.access.workspaces()

    def _check(self) -> None:
        """Check that the token is still valid: a waiting call can outlive it."""
        check_version()
        self.access.check_token()

    def _names(self, name: str) -> bool:
        by_token = name == "workspace" and len(self.access.rows) == 1
        by_access = name == "agent" and self.access.agent
        return bool(by_token or by_access or getattr(self.options, name))
