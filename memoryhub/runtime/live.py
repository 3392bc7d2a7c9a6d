"""The live stream: notifies open pages of workspaces with news. Raw ASGI.

One poller per process checks SQLite for writes by other connections, which costs
microseconds; pages get an event only if a journal grew or a folder was scanned.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

from django.conf import settings
from django.db import connections

from memoryhub.runtime.asgi_messages import (
    HEARTBEAT,
    Receive,
    Scope,
    Send,
    answer,
    begin_events,
    disconnected,
    end_events,
    event_text,
    send_events,
)

_STATE = (
    "SELECT slug, last_seq, checked_at, handoff_changes FROM workspaces_workspace"
    " WHERE removed_at IS NULL"
)
#: Workspaces of people, by their own memberships and those of their groups; all those
#: of who runs the hub.
_REACH = (
    "SELECT person, slug FROM ("
    " SELECT people_user.id AS person, workspaces_workspace.id AS workspace_id"
    " FROM people_user, workspaces_workspace WHERE hub_administrator UNION"
    " SELECT user_id AS person, workspace_id FROM people_membership"
    " UNION SELECT members.user_id, held.workspace_id FROM people_membership AS held"
    " JOIN people_group_members AS members USING (group_id)) AS memberships"
    " JOIN people_user ON people_user.id = person AND is_active"
    " JOIN workspaces_workspace ON workspaces_workspace.id = workspace_id"
)
#: Key in the scope of a person whose roles limit the stream.
PERSON = "memoryhub.person"
#: Key in the scope of a check whether who opened the stream is still signed in.
STILL_KNOWN = "memoryhub.still_known"


class News(NamedTuple):
    """A workspace's newest journal seq, last scan, and counter of handoff changes.

    The counter grows also with handoffs whose files are in another workspace.
    """

    seq: int
    checked_at: str | None
    handoff_changes: int = 0


State = Mapping[str, News]
#: Slugs of workspaces by the id of a person.
Reach = Mapping[int, frozenset[str]]


class LiveStream:
    """An ASGI application that streams server-sent events; at most `most` at once.

    Events: `changed`, a workspace's journal has grown, or a handoff that it sent to
    another one has changed; `checked`, its folder was scanned without changes. Query:
    ``?workspace=S`` limits it to one; ``&after=SEQ``, or the Last-Event-ID header, to
    what is newer.
    """

    def __init__(
        self,
        database: Path,
        *,
        period: float = 0.1,
        heartbeat: float = HEARTBEAT,
        most: int = 500,
    ) -> None:
        self._database = database
        self._period = period
        self._heartbeat = heartbeat
        self._most = most
        self._clients = 0
        self._closed = False
        self._state: State = {}
        self._reach: Reach = {}
        self._news: asyncio.Future[None] | None = None
        self._poller: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = self._refusal(scope)
        if status:
            await answer(scope, receive, send, status=status)
            return
        subscription = _Subscription.of(scope)
        with self.joined():
            gone = asyncio.ensure_future(disconnected(receive))
            try:
                await self._stream(subscription, gone, send, scope.get(STILL_KNOWN))
            finally:
                gone.cancel()

    @property
    def state(self) -> State:
        """The newest state of workspaces, while somebody has `joined`."""
        return self._state

    @property
    def clients(self) -> int:
        """The number of open streams and of others who wait."""
        return self._clients

    @property
    def closed(self) -> bool:
        """Whether the server is shutting down."""
        return self._closed

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Count a client, for which the database is polled."""
        self._clients += 1
        try:
            if self._poller is None or self._poller.done():
                self._read_once()
                self._poller = asyncio.ensure_future(self._poll())
            yield
        finally:
            self._clients -= 1

    def close(self) -> None:
        """End every stream, so that the server can shut down."""
        self._closed = True
        self._publish()

    def _refusal(self, scope: Scope) -> int:
        if scope["path"] != "/live/":
            return 404
        if scope["method"] != "GET":
            return 405
        return 503 if self._clients >= self._most else 0

    async def _stream(
        self,
        subscription: _Subscription,
        gone: asyncio.Future[None],
        send: Send,
        still_known: Callable[[], Awaitable[bool]] | None,
    ) -> None:
        known = subscription.known(self._state, self._reach)
        position = _position(subscription.narrowed(self._state, self._reach))
        await begin_events(send, event_text(position, "hello", "{}"))
        checked_at = time.monotonic()
        while not self._closed and not gone.done():
            if still_known and time.monotonic() - checked_at >= self._heartbeat:
                if not await still_known():
                    break
                checked_at = time.monotonic()
            news = self.next_change()
            state = subscription.narrowed(self._state, self._reach)
            if text := _events(known, state):
                await send_events(send, text)
            known = state
            done, _ = await asyncio.wait(
                (news, gone),
                timeout=self._heartbeat,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not done:
                await send_events(send)
        if not gone.done():
            await end_events(send)

    def next_change(self) -> asyncio.Future[None]:
        """Return a future that ends at the next change or when the stream closes."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    def _publish(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    async def _poll(self) -> None:
        """Poll for news while there are clients."""
        with ExitStack() as opened:
            look: Callable[[], State] | None = None
            while self._clients and not self._closed:
                try:
                    look = look or self._looker(opened)
                    state = look()
                except sqlite3.DatabaseError:
                    # Locked for a moment, damaged, or missing: retry at the next poll.
                    state = self._state
                if state != self._state:
                    self._state = state
                    self._publish()
                await asyncio.sleep(self._period)

    def _looker(self, opened: ExitStack) -> Callable[[], State]:
        """Return a function that reads the state if another connection has written."""
        connection = opened.enter_context(closing(self._connect()))
        version = -1

        def look() -> State:
            nonlocal version
            (now,) = connection.execute("PRAGMA data_version").fetchone()
            if now == version:
                return self._state
            state = _read(connection)
            self._reach = _read_reach(connection)
            version = now
            return state

        return look

    def _connect(self) -> sqlite3.Connection:
        place = f"{self._database.as_uri()}?mode=ro"
        return sqlite3.connect(place, uri=True, timeout=0, isolation_level=None)

    def _read_once(self) -> None:
        self._state, self._reach = {}, {}
        with suppress(sqlite3.DatabaseError), closing(self._connect()) as connection:
            self._state, self._reach = _read(connection), _read_reach(connection)


@cache
def live_stream() -> LiveStream:
    """Return the single stream of this process."""
    database = Path(connections.databases["default"]["NAME"])
    most = settings.MEMORYHUB_MAX_STREAMS
    return LiveStream(database, most=most)


class _Subscription(NamedTuple):
    """The request of a page: one workspace or all, and the last seq it has.

    `person`: id of who may see their own workspaces only, None for no such limit.
    """

    workspace: str
    after: int | None
    person: int | None = None

    @classmethod
    def of(cls, scope: Scope) -> _Subscription:
        query = parse_qs(scope["query_string"].decode("latin1"))
        last = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin1")
        after = last or query.get("after", [""])[0]
        known = int(after) if after.isdecimal() and len(after) < 19 else None
        return cls(query.get("workspace", [""])[0], known, scope.get(PERSON))

    def narrowed(self, state: State, reach: Reach) -> State:
        if self.person is not None:
            own = reach.get(self.person, frozenset())
            state = {slug: news for slug, news in state.items() if slug in own}
        if not self.workspace:
            return state
        return {slug: news for slug, news in state.items() if slug == self.workspace}

    def known(self, state: State, reach: Reach) -> State:
        """Return the state that the page has; by default the current one."""
        held = self.narrowed(state, reach)
        if self.after is None or self.after == _position(held):
            return held
        return {slug: news._replace(seq=-1) for slug, news in held.items()}


def _read(connection: sqlite3.Connection) -> State:
    rows = connection.execute(_STATE).fetchall()
    return {slug: News(*values) for slug, *values in rows}


def _read_reach(connection: sqlite3.Connection) -> Reach:
    found: dict[int, set[str]] = {}
    rows = connection.execute(_REACH) if settings.MEMORYHUB_TEAM else ()
    for person, slug in rows:
        found.setdefault(person, set()).add(slug)
    return {person: frozenset(slugs) for person, slugs in found.items()}


def _position(state: State) -> int:
    """Return an event id: the sum of seqs, which only grow."""
    return sum(news.seq for news in state.values())


def _events(known: State, state: State) -> str:
    parts = []
    for slug, news in state.items():
        before = known.get(slug)
        if before == news:
            continue
        is_new = before is None or before._replace(checked_at=news.checked_at) != news
        data = {"workspace": slug, "seq": news.seq, "checked_at": news.checked_at}
        kind = "changed" if is_new else "checked"
        parts.append(event_text(_position(state), kind, json.dumps(data)))
    return "".join(parts)
