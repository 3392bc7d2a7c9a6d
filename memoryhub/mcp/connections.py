"""The caller of a connection, and the arguments by which a call completes it."""

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

#: Names that a call may pass as arguments about its caller, and a connection in its
#: address: `/mcp?workspace=main&agent=builder`.
SAYABLE = ("workspace", "agent", "session")
_SCHEMAS: Mapping[str, Any] = Said.model_json_schema()["properties"]


@dataclass(frozen=True, slots=True)
class Connection:
    """The caller as far as the connection itself names it."""

    said: Said
    access: Access

    def arguments(self, request: type[Request]) -> dict[str, Any]:
        """Return the schemas of the caller arguments that this request accepts.

        Without names that the connection has set or that the request has as fields.
        """
        return {
            name: _SCHEMAS[name]
            for name in SAYABLE
            if not self._says(name) and name not in request.model_fields
        }

    def caller(self, tool: Tool, request: Request, told: Mapping[str, Any]) -> Caller:
        """Return the caller; values set by the connection cannot be overridden.

        Raises:
            NoSuchWorkspace: no workspace of this name, or none named and several exist.
            ToolError: ``request-invalid``, ``scope-missing``, ``agent-invalid``,
                ``database-other``.
        """
        check_version()
        said = self.said.or_else(checked(Said, tool.name, told))
        return caller_of(self.access, said, tool.scope_for(request))

    def reader(self, workspace: str = "") -> Caller:
        """Return the caller for reading in a workspace, by default the only one.

        Raises:
            NoSuchWorkspace: no workspace of this name, or the connection names another.
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
            NoSuchWorkspace: no workspace of the name that the connection gives.
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
