"""REST requests that wait for an agent's inbox: a long poll, and a stream of events.

Neither holds a thread: each look is an ordinary request to REST, made only when there
may be news, and whatever REST refuses is passed on.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlencode

from memoryhub.errors.base import ToolError
from memoryhub.people.services.tokens import SHOWN
from memoryhub.runtime.asgi_messages import (
    HEARTBEAT,
    Asgi,
    Message,
    Receive,
    Scope,
    Send,
    begin_events,
    disconnected,
    end_events,
    event_text,
    send_events,
)
from memoryhub.runtime.inbox_watch import InboxWatch, Listener
from memoryhub.runtime.serving.admission import refuse
from memoryhub.tools.inbox import MOST_WAIT
from memoryhub.web.kit.refusals import refusal_of

_INBOX = re.compile(r"/api/v1/workspaces/(?P<slug>[^/]+)/inbox(?P<stream>/stream)?")
#: Least seconds between two looks of one who waits.
_PAUSE = 0.15


class Looked(NamedTuple):
    """Answer of REST to one look: its messages, and the inbox if there is one."""

    messages: list[Message]
    inbox: dict[str, Any] | None

    @property
    def has_news(self) -> bool:
        return bool(self.inbox and self.inbox["news"])


class InboxWaits:
    """An ASGI application in front of REST; all but waits is passed on."""

    def __init__(self, inner: Asgi, watch: InboxWatch) -> None:
        self._inner = inner
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = _INBOX.fullmatch(scope["path"])
        query = parse_qs(scope["query_string"].decode("latin1"), keep_blank_values=True)
        streams = bool(place and place["stream"])
        seconds = 0 if streams else _seconds(query)
        if scope["method"] != "GET" or not place or not (streams or seconds):
            await self._inner(scope, receive, send)
            return
        try:
            with self._watch.admitted(_holder(scope)):
                # Its inner requests have no body.
                gone = asyncio.ensure_future(disconnected(receive))
                try:
                    wait = _Wait(self._inner, scope, query)
                    slug = unquote(place["slug"])
                    if streams:
                        await self._stream(slug, wait, gone, send)
                    else:
                        await self._poll(slug, wait, gone, send, seconds)
                finally:
                    gone.cancel()
        except ToolError as error:
            await refuse(scope, send, refusal_of(error), retry_after=1)

    async def _poll(
        self,
        slug: str,
        wait: _Wait,
        gone: asyncio.Future[None],
        send: Send,
        seconds: float,
    ) -> None:
        """Answer with the first news, or at the end of the time."""
        end = time.monotonic() + seconds
        looked = await wait.look()
        if looked.inbox is not None and not looked.has_news:
            with self._watch.listening(slug, looked.inbox["agent"]) as listener:
                looked = await wait.look()
                while looked.inbox is not None and not looked.has_news:
                    left = end - time.monotonic()
                    if left <= 0 or self._watch.closed or gone.done():
                        break
                    is_woken = await wait.woken(listener, gone, left)
                    # The server has no time for another look when it ends.
                    if is_woken and not self._watch.closed:
                        looked = await wait.look()
        for message in looked.messages:
            await send(message)

    async def _stream(
        self, slug: str, wait: _Wait, gone: asyncio.Future[None], send: Send
    ) -> None:
        """Send an event per news; its id is the cursor to go on from."""
        looked = await wait.look()
        if looked.inbox is None:
            for message in looked.messages:
                await send(message)
            return
        await begin_events(send, _event(looked.inbox))
        wait.since = looked.inbox["cursor"]
        with self._watch.listening(slug, looked.inbox["agent"]) as listener:
            listener.wake()
            while looked.inbox is not None and not self._watch.closed:
                woken = await wait.woken(listener, gone, HEARTBEAT)
                if gone.done():
                    return
                if self._watch.closed:
                    break
                if not woken:
                    await send_events(send)
                    continue
                looked = await wait.look()
                if looked.inbox is not None and looked.has_news:
                    await send_events(send, _event(looked.inbox))
                    wait.since = looked.inbox["cursor"]
        await end_events(send)


class _Wait:
    """A request that waits, as a series of looks at REST from its cursor on."""

    def __init__(self, inner: Asgi, scope: Scope, query: dict[str, list[str]]) -> None:
        self._inner = inner
        self._looked_at = 0.0
        headers = dict(scope["headers"])
        self._query = {name: query[name] for name in query if name != "wait"}
        last = headers.get(b"last-event-id", b"").decode("latin1")
        self.since = last or (self._query.pop("since", None) or [""])[0]
        self._query.pop("since", None)
        unread = {b"accept-encoding", b"content-length", b"transfer-encoding"}
        self._scope = {
            **scope,
            "path": scope["path"].removesuffix("/stream"),
            "headers": [(n, v) for n, v in scope["headers"] if n not in unread],
        }
        self._scope["raw_path"] = self._scope["path"].encode()

    async def woken(
        self, listener: Listener, gone: asyncio.Future[None], seconds: float
    ) -> bool:
        """Wait for a reason to look; False at the end of the time or of the client."""
        waiting = asyncio.ensure_future(listener.wait(seconds))
        try:
            await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
            is_rung = waiting.done() and waiting.result()
        finally:
            waiting.cancel()
        if is_rung:
            await asyncio.sleep(self._looked_at + _PAUSE - time.monotonic())
        return is_rung

    async def look(self) -> Looked:
        """Ask REST for the inbox as it is now."""
        self._looked_at = time.monotonic()
        query = {**self._query, **({"since": [self.since]} if self.since else {})}
        asked = urlencode(query, doseq=True).encode()
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self._inner({**self._scope, "query_string": asked}, _nothing, keep)
        if messages[0]["status"] != 200:
            return Looked(messages, None)
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return Looked(messages, json.loads(body)["data"])


def _seconds(query: dict[str, list[str]]) -> int:
    """Return how long a request wants to wait; 0 where REST will refuse it."""
    (text, *others) = query.get("wait", ["0"])
    is_number = text.isascii() and text.isdecimal() and len(text) < 4 and not others
    return int(text) if is_number and int(text) <= MOST_WAIT else 0


def _holder(scope: Scope) -> str:
    """Return how the request's token begins, by which the database knows it too."""
    credential: bytes = dict(scope["headers"]).get(b"authorization", b"")
    # However it is written, as in `people.access`.
    _, _, secret = credential.decode("latin1").partition(" ")
    return secret.strip()[:SHOWN]


def _event(inbox: dict[str, Any]) -> str:
    data = json.dumps(inbox, ensure_ascii=False)
    return event_text(inbox["cursor"], "inbox", data)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}
