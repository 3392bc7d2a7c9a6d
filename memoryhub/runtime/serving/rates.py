"""Rate limits per credential, and of wrong credentials."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from math import ceil

from django.conf import settings

from memoryhub.errors.base import Refusal
from memoryhub.people.addresses import network_of
from memoryhub.runtime.asgi_messages import Asgi, Message, Receive, Scope, Send
from memoryhub.runtime.serving.admission import is_for_agents, refuse

TOO_OFTEN = Refusal("too-often", "too many requests: ask again in a moment", 429)
#: Burst: seconds' worth of requests that a caller may be ahead of its rate.
_BURST_SECONDS = 10.0
#: Rate of wrong credentials per second from one address, and burst.
_WRONG_PER_SECOND, _WRONG_AT_ONCE = 10.0, 50
#: Most remembered credentials; interval in seconds of logging wrong ones.
_REMEMBERED, _LOGGED_SECONDS = 10_000, 60.0
#: Tolerance for floating-point rounding, in seconds.
_INSTANT = 1e-6
_log = logging.getLogger(__name__)


class Rate:
    """A rate limit per name: so many per second, with a burst after a pause.

    Stores one number per name: the time until which it has used its turns (GCRA).
    """

    def __init__(
        self,
        per_second: float,
        at_once: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cost = 1 / per_second
        self._ahead = at_once / per_second
        self._clock = clock
        self._used: OrderedDict[bytes, float] = OrderedDict()

    def wait(self, name: bytes) -> float:
        """Return the seconds until the name's next turn."""
        now = self._clock()
        wait = self._used.get(name, now) - now + self._cost - self._ahead
        return wait if wait > _INSTANT else 0.0

    def take(self, name: bytes) -> None:
        """Use one turn."""
        now = self._clock()
        self._used[name] = max(now, self._used.pop(name, now)) + self._cost
        if len(self._used) > _REMEMBERED:
            self._used.popitem(last=False)


class Callers:
    """Rate limits and known validity of the credentials sent so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        per_second = settings.MEMORYHUB_REQUESTS_PER_SECOND
        self._rate = Rate(per_second, per_second * _BURST_SECONDS, clock)
        self._wrong = Rate(_WRONG_PER_SECOND, _WRONG_AT_ONCE, clock)
        self._right: OrderedDict[bytes, None] = OrderedDict()
        self._clock = clock
        self._untold = 0
        self._told_at = -_LOGGED_SECONDS

    def wait(self, name: bytes, peer: str) -> float:
        """Return the seconds that a caller has to wait; 0 uses a turn.

        A credential that was valid before does not wait because of guessing callers;
        another one waits for those of its own network alone.
        """
        wait = self._rate.wait(name)
        if name not in self._right:
            wait = max(wait, self._wrong.wait(network_of(peer).encode()))
        if not wait:
            self._rate.take(name)
        return wait

    def was_right(self, name: bytes) -> None:
        """Remember a credential as valid."""
        self._right[name] = None
        self._right.move_to_end(name)
        if len(self._right) > _REMEMBERED:
            self._right.popitem(last=False)

    def was_wrong(self, name: bytes, peer: str) -> None:
        """Count a wrong credential; logged at most once per interval."""
        self._right.pop(name, None)
        self._wrong.take(network_of(peer).encode())
        self._untold += 1
        if self._clock() - self._told_at >= _LOGGED_SECONDS:
            _log.warning("%d wrong tokens, the last from %s", self._untold, peer)
            self._untold, self._told_at = 0, self._clock()


class RateLimited:
    """An ASGI application that limits the rate of each credential."""

    def __init__(self, inner: Asgi, callers: Callers) -> None:
        self._inner = inner
        self._callers = callers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        credential = dict(scope["headers"]).get(b"authorization", b"")
        if not (credential and is_for_agents(scope)):
            await self._inner(scope, receive, send)
            return
        name = hashlib.blake2b(credential, digest_size=16).digest()
        peer, _ = scope["client"] or ("", 0)
        if wait := self._callers.wait(name, peer):
            await refuse(scope, send, TOO_OFTEN, retry_after=ceil(wait))
            return
        await self._inner(scope, receive, self._watching(name, peer, send))

    def _watching(self, name: bytes, peer: str, send: Send) -> Send:
        async def watched(message: Message) -> None:
            status = message.get("status", 0)
            if status == HTTPStatus.UNAUTHORIZED:
                self._callers.was_wrong(name, peer)
            # Other refusals can come before the credential is looked at.
            elif HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
                self._callers.was_right(name)
            await send(message)

        return watched
