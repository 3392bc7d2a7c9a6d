"""MCP calls that wait for an inbox, and the server's part in waiting."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from mcp_types import CallToolResult
from pydantic import Field

from memoryhub.mcp.connections import Connection
from memoryhub.people.access import Access
from memoryhub.tools.base import Request
from memoryhub.tools.calling import checked
from memoryhub.tools.inbox import INBOX, MOST_WAIT

#: Least seconds between two looks of one who waits.
PAUSE = 0.15


class Listener(Protocol):
    """Somebody who waits for news."""

    async def wait(self, seconds: float) -> bool:
        """Wait for possible news; return whether there is a reason to look."""


class Watch(Protocol):
    """Watch over the handoffs of all workspaces."""

    @property
    def closed(self) -> bool:
        """Whether the server is shutting down."""

    def listening(self, slug: str, agent: str) -> AbstractContextManager[Listener]:
        """Give a listener for an agent's inbox, or with "" for any change."""

    def admitted(self, holder: str) -> AbstractContextManager[None]:
        """Count a wait of a token's holder; `ToolError` if it has too many."""


class WaitOption(Request):
    """Option of a call that a server of MCP can wait for."""

    wait: int = Field(
        0,
        ge=0,
        le=MOST_WAIT,
        description=f"Seconds to wait for news, at most {MOST_WAIT}.",
    )


#: Schema of the option; described for the inbox alone.
WAIT_SCHEMA: Mapping[str, Any] = {
    "type": "integer",
    "description": WaitOption.model_fields["wait"].description,
}


def holder_of(access: Access) -> str:
    """Return how the caller's token begins; "" for the operator's own."""
    return access.token.prefix if access.token else ""


def wait_in(arguments: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
    """Return how long a call of the inbox wants to wait, and its other arguments.

    Raises:
        ToolError: ``request-invalid``.
    """
    own = {name: value for name, value in arguments.items() if name == "wait"}
    others = {name: value for name, value in arguments.items() if name != "wait"}
    return checked(WaitOption, INBOX, own).wait, others


async def first_news(
    look: Callable[[], Awaitable[CallToolResult]],
    connection: Connection,
    watch: Watch,
    seconds: float,
) -> CallToolResult:
    """Return the first answer of the inbox with news, or that at the end of the time.

    Raises:
        ToolError: ``too-many-waits``.
    """
    end = time.monotonic() + seconds
    found = await look()
    if not seconds or has_ended(found):
        return found
    told = found.structured_content or {}
    with (
        watch.admitted(holder_of(connection.access)),
        watch.listening(told["workspace"], told["agent"]) as listener,
    ):
        found = await look()
        while not has_ended(found) and not watch.closed:
            left = end - time.monotonic()
            is_woken = left > 0 and await listener.wait(left)
            if not is_woken or watch.closed:
                break
            found = await look()
    return found


def has_ended(found: CallToolResult) -> bool:
    """Return whether an answer of the inbox has news, or is a refusal."""
    return bool(found.is_error or (found.structured_content or {}).get("news"))
