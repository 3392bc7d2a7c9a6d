"""Messages of ASGI: types, an empty response, streams of server-sent events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Seconds between comments, by which proxies see that a stream is in use.
HEARTBEAT = 15.0
#: Reconnect delay of clients in milliseconds.
_RETRY = 2000
_STREAM_START: Message = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
        (b"x-content-type-options", b"nosniff"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ],
}


async def answer(scope: Scope, receive: Receive, send: Send, *, status: int) -> None:
    """Send a response without a body."""
    headers = [(b"content-length", b"0")]
    headers += [(b"allow", b"GET")] * (status == 405)
    headers += [(b"www-authenticate", b"Bearer")] * (status == 401)
    headers += [(b"retry-after", b"30")] * (status == 503)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def disconnected(receive: Receive) -> None:
    """Return once the client has gone; a body is ignored."""
    while (await receive())["type"] != "http.disconnect":
        pass


def event_text(number: object, name: str, data: str) -> str:
    """Return an event; clients send its `number` back as Last-Event-ID."""
    return f"id: {number}\nevent: {name}\ndata: {data}\n\n"


async def begin_events(send: Send, event: str) -> None:
    """Begin a stream with its first event."""
    await send(_STREAM_START)
    await send_events(send, f"retry: {_RETRY}\n{event}")


async def send_events(send: Send, text: str = ": \n\n") -> None:
    """Send events of a stream; by default a comment."""
    body = text.encode()
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def end_events(send: Send) -> None:
    """End a stream."""
    await send({"type": "http.response.body", "body": b""})
