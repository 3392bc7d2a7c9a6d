"""Bodies of requests, read in the event loop: no thread ever waits for a client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import IO

from django.conf import settings

from memoryhub.errors.shape import BODY_TOO_LARGE, Refusal
from memoryhub.runtime.admission import may_send
from memoryhub.runtime.live import Message, Receive, Scope
from memoryhub.runtime.serving.refusing import (
    BUSY,
    CANNOT_KEEP,
    TOO_SLOW,
    UNKNOWN,
)

#: What is kept in memory of a body; the rest goes into a file without a name.
_IN_MEMORY = 131_072
#: A file is written in parts of at least this size, each by a turn of a thread.
_WRITTEN = 524_288
#: After its first seconds a body has one more for each of so many bytes that came.
_BYTES_PER_SECOND = 16_384
#: How much of a body that is too large is read away, so that its sender, who may
#: listen only when all is sent, sees the answer; and how long that may take.
_DRAINED_BYTES, _DRAINED_SECONDS = 64_000_000, 10.0


class BodyRefused(Exception):
    """A body that is not taken, and why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


class ClientGone(Exception):
    """The client went away before its request was complete."""


@dataclass(slots=True)
class Allowance:
    """How large a body may be, how long it may take, and how many at one time."""

    size: int
    seconds: float
    at_once: int
    _under_way: int = field(default=0, init=False)

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a body that is being read.

        Raises:
            BodyRefused: there are too many.
        """
        if self._under_way >= self.at_once:
            raise BodyRefused(BUSY)
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1


async def body_of(scope: Scope, receive: Receive, allowed: Allowance) -> IO[bytes]:
    """Return the whole body of a request, to be read from its start.

    Raises:
        BodyRefused: it is too large or too slow, cannot be kept, or is a large one
            of somebody who is not known.
        ClientGone: it broke off.
    """
    headers = dict(scope["headers"])
    if _may_be_large(headers) and not await may_send(scope):
        await _drain(headers, receive)
        raise BodyRefused(UNKNOWN)
    # Who asked for the body closes it.
    home = str(settings.MEMORYHUB_DATA)
    kept: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY, dir=home)  # noqa: SIM115
    if not {b"content-length", b"transfer-encoding"} & headers.keys():
        return kept
    try:
        with allowed.one_more():
            if _declared(headers) > allowed.size:
                await _refuse_large(headers, receive)
            await _read(receive, kept, allowed, headers)
        kept.seek(0)
    except BaseException:
        kept.close()
        raise
    return kept


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read as the server gave it, and then waits."""
    left: list[Message] = [{"type": "http.request", "body": body}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again


async def _read(
    receive: Receive, kept: IO[bytes], allowed: Allowance, headers: dict[bytes, bytes]
) -> None:
    size, began = 0, time.monotonic()
    part = bytearray()
    more = True
    while more:
        earned = settings.MEMORYHUB_CLIENT_SECONDS + size / _BYTES_PER_SECOND
        left = began + min(allowed.seconds, earned) - time.monotonic()
        chunk, more = await _next(receive, left)
        size += len(chunk)
        if size > allowed.size:
            await _refuse_large(headers, receive)
        part += chunk
        if len(part) >= _WRITTEN or not more:
            await _keep(kept, part, is_file=size > _IN_MEMORY)
            part = bytearray()


async def _keep(kept: IO[bytes], part: bytearray, *, is_file: bool) -> None:
    try:
        if is_file:
            await asyncio.to_thread(kept.write, part)
        else:
            kept.write(part)
    except OSError as error:
        raise BodyRefused(CANNOT_KEEP) from error


async def _next(receive: Receive, seconds: float) -> tuple[bytes, bool]:
    """Return the next part of a body, and whether there is more."""
    try:
        message = await asyncio.wait_for(receive(), seconds)
    except TimeoutError as error:
        raise BodyRefused(TOO_SLOW) from error
    if message["type"] == "http.disconnect":
        raise ClientGone
    return message.get("body", b""), message.get("more_body", False)


async def _refuse_large(headers: dict[bytes, bytes], receive: Receive) -> None:
    await _drain(headers, receive)
    raise BodyRefused(BODY_TOO_LARGE)


async def _drain(headers: dict[bytes, bytes], receive: Receive) -> None:
    """Read some of what still comes of a body that is not taken."""
    waits = headers.get(b"expect", b"").lower() == b"100-continue"
    if waits or _declared(headers) > _DRAINED_BYTES:
        return
    read, more = 0, True
    ends = time.monotonic() + _DRAINED_SECONDS
    with suppress(BodyRefused):
        while more and read < _DRAINED_BYTES:
            chunk, more = await _next(receive, ends - time.monotonic())
            read += len(chunk)


def _may_be_large(headers: dict[bytes, bytes]) -> bool:
    return b"transfer-encoding" in headers or _declared(headers) > _IN_MEMORY


def _declared(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0
