"""Errors of requests: a code, and the parameters of its message."""

from __future__ import annotations

from typing import Any


class ToolError(Exception):
    """A request that cannot be done: an error code, and parameters of its message."""

    def __init__(self, code: str, **parameters: Any) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters


class RefusedBefore(ToolError):
    """A repeated call whose first attempt was refused, for the same reason."""
