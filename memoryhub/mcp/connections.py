"""What a connection says of its caller, and what is left for each call to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.tools.base import Request, Tool
from memoryhub.tools.callers import Said, caller_of
from memoryhub.tools.calling import check_version, checked

#: What a call may say of its caller as arguments, beside the tool's own, and an
#: address of the connection's: `/mcp?workspace=main&agent=builder`.
SAYABLE = ("workspace", "agent", "session")
_SCHEMAS: Mapping[str, Any] = Said.model_json_schema()["properties"]


@dataclass(frozen=True, slots=True)
class Connection:
    """Who is at the other end, as far as the connection itself says."""

    said: Said
    access: Access

    def arguments(self, request: type[Request]) -> dict[str, Any]:
        """Return the schemas of what a call with this request may say of its caller.

        Left out are names that the connection says, or that the request has itself.
        """
        return {
            name: _SCHEMAS[name]
            for name in SAYABLE
            if not self._says(name) and name not in request.model_fields
        }

    def caller(self, tool: Tool, request: Request, told: Mapping[str, Any]) -> Caller:
        """Return who calls; what the connection says cannot be said otherwise.

        Raises:
            NoSuchWorkspace: there is none of the name, or it is not told which.
            ToolError: ``request-invalid``, ``scope-missing``, ``agent-invalid``,
                ``database-other``.
        """
        check_version()
        said = self.said.or_else(checked(Said, tool.name, told))
        return caller_of(self.access, said, tool.scope_for(request))

    def reader(self, workspace: str = "") -> Caller:
        """Return who reads in a workspace; without a name in the one there is.

        Raises:
            NoSuchWorkspace: there is none of the name, or the connection says another.
            ToolError: ``scope-missing``, ``agent-invalid``, ``database-other``.
        """
        check_version()
        caller = caller_of(
            self.access, self.said.or_else(Said(workspace=workspace)), Scope.READ
        )
        if workspace and caller.workspace.slug != workspace:
            raise NoSuchWorkspace(workspace, [caller.workspace.slug])
        return caller

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces that can be read.

        Raises:
            NoSuchWorkspace: there is none of the name that the connection says.
            ToolError: ``scope-missing``, ``agent-invalid``, ``database-other``.
        """
        check_version()
        if self.said.workspace:
            return [self.reader().workspace]
        if not self.access.allows(Scope.READ):
            raise ToolError("scope-missing", scope=Scope.READ.value)
        return self.access.workspaces()

    def _says(self, name: str) -> bool:
        by_token = self.access.token is not None and name in {"workspace", "agent"}
        by_header = name == "agent" and self.access.agent
        return bool(by_token or by_header or getattr(self.said, name))
