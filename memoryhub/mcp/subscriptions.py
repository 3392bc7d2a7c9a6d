"""Subscriptions to resources: who subscribed hears that a text has changed.

Over the stateless HTTP of 2026-07-28 and over standard input and output. A notice has
only the address of the resource; the client reads it again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
from anyio.abc import TaskGroup
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.resources import INBOX_KIND, read, resources
from memoryhub.mcp.waiting import PAUSE, Listener, Watch, holder_of

#: Most resources of one subscription.
MOST = 50
#: Longest wait in seconds between looks for changes.
_LONGEST = 3600.0
#: Stands for the list of resources among the addresses.
_LIST = ""

Notify = Callable[[str], Awaitable[None]]
Context = ServerRequestContext[Any]
Run = Callable[[Callable[[], Any]], Awaitable[Any]]


class Subscribed:
    """Resources that one client follows, and digests of their texts.

    `fixed`: none is added later, so that an inbox needs news of its agent alone.
    """

    def __init__(
        self, connection: Connection, run: Run, notify: Notify, *, fixed: bool
    ) -> None:
        self._connection = connection
        self._run = run
        self._notify = notify
        self._fixed = fixed
        self._texts: dict[str, str] = {}
        #: Whether the client's token is no longer valid.
        self.has_ended = False

    async def add(self, uris: Iterable[str]) -> None:
        """Follow more resources.

        Raises:
            MCPError: one cannot be read by this caller, or there are too many.
        """
        wanted = list(uris)
        if len({*self._texts, *wanted}) > MOST:
            raise MCPError(INVALID_PARAMS, f"at most {MOST} resources")
        for uri in wanted:
            self._texts[uri] = await self._run(partial(self._digest, uri))

    def remove(self, uri: str) -> None:
        """Follow a resource no longer."""
        self._texts.pop(uri, None)

    async def follow(self, watch: Watch, slug: str) -> None:
        """Notify of changed texts of a workspace until cancelled."""
        with watch.listening(slug, self._agent(slug)) as listener:
            while not watch.closed:
                await self._wait(listener)
                for uri in [uri for uri in self._texts if _slug(uri) in ("", slug)]:
                    await self._compare(uri)

    async def _wait(self, listener: Listener) -> None:
        await listener.wait(_LONGEST)
        await anyio.sleep(PAUSE)

    async def _compare(self, uri: str) -> None:
        try:
            text = await self._run(lambda: self._digest(uri))
            if self._texts.get(uri, text) != text:
                self._texts[uri] = text
                await self._notify(uri)
        except MCPError as error:
            code = (error.error.data or {}).get("code")
            self.has_ended = self.has_ended or code == "token-invalid"

    def _digest(self, uri: str) -> str:
        if uri == _LIST:
            found = [resource.uri for resource in resources(self._connection)]
            return _hash("\n".join(map(str, found)))
        return _hash(read(uri, self._connection))

    def _agent(self, slug: str) -> str:
        """Return the agent whose inbox alone is followed; "" where more is."""
        kinds = [_parts(uri) for uri in self._texts if _slug(uri) in ("", slug)]
        is_inbox = all(kind == INBOX_KIND for kind, _ in kinds)
        names = {name for _, name in kinds}
        is_one = self._fixed and is_inbox and len(names) == 1
        return names.pop() if is_one else ""


async def listened(
    context: Context,
    params: SubscriptionsListenRequestParams,
    connection: Connection,
    watch: Watch,
    run: Run,
) -> SubscriptionsListenResult:
    """Serve one stream of notices until its client leaves or the server ends.

    Raises:
        MCPError: a resource cannot be read, or too many are followed.
        ToolError: ``too-many-waits``.
    """
    bus = InMemorySubscriptionBus()
    handler = ListenHandler(bus)

    async def publish(uri: str) -> None:
        event = ResourceUpdated(uri) if uri else ResourcesListChanged()
        await bus.publish(event)

    followed = Subscribed(connection, run, publish, fixed=True)
    wanted = list(params.notifications.resource_subscriptions or ())
    wanted += [_LIST] * bool(params.notifications.resources_list_changed)
    await followed.add(wanted)
    slugs = {_slug(uri) for uri in wanted if uri}
    if _LIST in wanted:
        slugs |= set(await run(lambda: [w.slug for w in connection.workspaces()]))
    with watch.admitted(holder_of(connection.access)):
        async with anyio.create_task_group() as tasks:
            for slug in slugs:
                tasks.start_soon(followed.follow, watch, slug)
            tasks.start_soon(_closed_with, watch, followed, handler)
            result = await handler(context, params)
            tasks.cancel_scope.cancel()
    return result


class StandingSubscriptions:
    """The subscriptions of the one client over standard input and output."""

    def __init__(self, tasks: TaskGroup, watch: Watch) -> None:
        self._tasks = tasks
        self._watch = watch
        self._followed: Subscribed | None = None
        self._slugs: set[str] = set()

    async def subscribe(
        self, context: Context, uri: str, connection: Connection, run: Run
    ) -> None:
        """Follow a resource.

        Raises:
            MCPError: it cannot be read, or too many are followed.
        """
        await self._add(context, uri, [_slug(uri)], connection, run)

    async def follow_list(
        self, context: Context, connection: Connection, run: Run
    ) -> None:
        """Follow the list of resources, because the client has read it."""
        slugs = await run(lambda: [w.slug for w in connection.workspaces()])
        await self._add(context, _LIST, slugs, connection, run)

    async def _add(
        self,
        context: Context,
        uri: str,
        slugs: Iterable[str],
        connection: Connection,
        run: Run,
    ) -> None:
        if self._followed is None:

            async def notify(uri: str) -> None:
                if uri == _LIST:
                    await context.session.send_resource_list_changed()
                else:
                    await context.session.send_resource_updated(uri)

            self._followed = Subscribed(connection, run, notify, fixed=False)
        await self._followed.add([uri])
        for slug in set(slugs) - self._slugs:
            self._slugs.add(slug)
            self._tasks.start_soon(self._followed.follow, self._watch, slug)

    def unsubscribe(self, uri: str) -> None:
        """Follow a resource no longer."""
        if self._followed is not None:
            self._followed.remove(uri)


async def _closed_with(
    watch: Watch, followed: Subscribed, handler: ListenHandler
) -> None:
    """End a stream with its token, and in time for the shutdown of its server."""
    while not (watch.closed or followed.has_ended):
        await anyio.sleep(1)
    handler.close()


def _slug(uri: str) -> str:
    with suppress(ValueError):
        return unquote(urlsplit(uri).netloc)
    return ""


def _parts(uri: str) -> tuple[str, str]:
    kind, _, name = urlsplit(uri).path.removeprefix("/").partition("/")
    return kind, unquote(name)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
