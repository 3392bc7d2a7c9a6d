"""What a connection says of its caller, and what is left for each call to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub.tools.base import Caller, Request, Tool
from memoryhub.tools.callers import Said, operators_caller
from memoryhub.tools.calling import checked

#: What a call may say as arguments, beside the tool's own.
_ARGUMENTS = ("workspace", "agent", "session")


@dataclass(frozen=True, slots=True)
class Connection:
    """Who is at the other end, as far as the connection itself says."""

    said: Said

    def arguments(self, request: type[Request]) -> dict[str, Any]:
        """Return the schemas of what a call with this request may say of its caller.

        Left out are names that the connection says, or that the request has itself.
        """
        schemas = Said.model_json_schema()["properties"]
        return {
            name: schemas[name]
            for name in _ARGUMENTS
            if not getattr(self.said, name) and name not in request.model_fields
        }

    def caller(self, tool: Tool, told: Mapping[str, Any]) -> Caller:
        """Return who calls; what the connection says cannot be said otherwise.

        Raises:
            ToolError: ``request-invalid``, what the call says is no text or too long.
            NoSuchWorkspace: there is none of the name, or it is not told which.
        """
        return operators_caller(self.said.or_else(checked(Said, tool, told)))
