"""Waiting for an agent's inbox: no thread is held, and only those concerned wake.

All waiters of a workspace share one task, which looks at its handoffs when they change,
and now and then because alarms come with time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connections
from django.utils import timezone

from memoryhub.errors.base import ToolError
from memoryhub.handoffs.queries.inbox import Heads, concerned, heads_of
from memoryhub.journal.models import Workspace
from memoryhub.runtime.live import LiveStream

_LOG = logging.getLogger(__name__)
#: Seconds between looks at alarms, which no change of a file announces.
_ALARMS = 10.0
#: Part of all connections that may wait, so that pages and writes find one.
_PART = 3


@dataclass(eq=False, slots=True)
class Listener:
    """Somebody who waits for news: an agent, or with "" for any change at all."""

    agent: str
    _rung: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """End the wait of now, or the next one."""
        self._rung.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for possible news; return whether there is a reason to look."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return True


class _Room:
    """The listeners of one workspace, and the task that wakes them."""

    def __init__(self, slug: str, live: LiveStream) -> None:
        self.listeners: set[Listener] = set()
        self.task = asyncio.ensure_future(self._watch())
        self._slug = slug
        self._live = live
        self._heads: Heads | None = None

    async def _watch(self) -> None:
        with self._live.joined():
            while self.listeners and not self._live.closed:
                news = self._live.next_change()
                before = self._live.state.get(self._slug)
                await self._look()
                while self._live.state.get(self._slug) == before:
                    done, _ = await asyncio.wait((news,), timeout=_ALARMS)
                    if not done or self._live.closed or not self.listeners:
                        break
                    news = self._live.next_change()
        for listener in self.listeners:
            listener.wake()

    async def _look(self) -> None:
        """Wake those for whom something changed; all of them at first."""
        names = await asyncio.to_thread(self._concerned)
        for listener in self.listeners:
            if names is None or not listener.agent or listener.agent in names:
                listener.wake()

    def _concerned(self) -> frozenset[str] | None:
        try:
            workspace = Workspace.objects.filter(slug=self._slug).first()
            if workspace is None:
                return None
            before, self._heads = self._heads, heads_of(workspace, timezone.now())
            return concerned(workspace, before, self._heads) if before else None
        except Exception:
            # The task serves every waiter of the workspace: each looks for itself.
            _LOG.exception("who has news is unknown")
            return None
        finally:
            connections.close_all()


class InboxWatch:
    """Who waits for which inbox of this process."""

    def __init__(self, live: LiveStream) -> None:
        self._live = live
        self._rooms: dict[str, _Room] = {}
        self._waiting: Counter[str] = Counter()

    @property
    def closed(self) -> bool:
        """Whether the server is shutting down."""
        return self._live.closed

    @contextmanager
    def admitted(self, holder: str) -> Iterator[None]:
        """Count a wait of a token's holder, named by how the token begins.

        Raises:
            ToolError: ``too-many-waits``.
        """
        most = settings.MEMORYHUB_MAX_CONNECTIONS // _PART
        is_full = self._waiting.total() >= most
        if is_full or self._waiting[holder] >= settings.MEMORYHUB_MAX_WAITS:
            raise ToolError("too-many-waits", retry_after=1)
        self._waiting[holder] += 1
        try:
            yield
        finally:
            self._waiting[holder] -= 1
            if not self._waiting[holder]:
                del self._waiting[holder]

    @contextmanager
    def listening(self, slug: str, agent: str) -> Iterator[Listener]:
        """Give a listener for an agent's inbox; look once before the first wait."""
        listener = Listener(agent)
        room = self._rooms.get(slug)
        if room is None or room.task.done():
            room = self._rooms[slug] = _Room(slug, self._live)
        room.listeners.add(listener)
        try:
            yield listener
        finally:
            room.listeners.discard(listener)
            if not room.listeners:
                room.task.cancel()
                self._rooms.pop(slug, None)
