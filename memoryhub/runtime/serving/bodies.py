"""Request bodies, read in the event loop: no thread ever waits for a client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import IO

from django.conf import settings

from memoryhub.errors.base import BODY_TOO_LARGE, Refusal
from memoryhub.runtime.asgi_messages import Message, Receive, Scope
from memoryhub.runtime.serving.admission import (
    BUSY,
    CANNOT_KEEP,
    TOO_SLOW,
    UNKNOWN,
    may_send,
)

#: Bytes of a body kept in memory; a larger one goes to an anonymous file.
_IN_MEMORY = 131_072
#: Minimum size in bytes of a write to that file, each in a thread.
_WRITTEN = 524_288
#: Required average rate: a body gets one more second per so many bytes.
_BYTES_PER_SECOND = 16_384
#: Limits for draining a body that is too large: its sender may read the answer only
#: after sending everything.
_DRAINED_BYTES, _DRAINED_SECONDS = 64_000_000, 10.0


class BodyRefused(Exception):
    """A refused body, with the refusal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


class ClientGone(Exception):
    """The client disconnected before its request was complete."""


@dataclass(slots=True)
class Allowance:
    """Limits of bodies: size in bytes, time in seconds, number at once."""

    size: int
    seconds: float
    at_once: int
    _under_way: int = field(default=0, init=False)

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a body while it is read.

        Raises:
            BodyRefused: too many at once.
        """
        if self._under_way >= self.at_once:
            raise BodyRefused(BUSY)
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1


async def body_of(scope: Scope, receive: Receive, allowed: Allowance) -> IO[bytes]:
    """Read the whole body of a request into a file, positioned at its start.

    Raises:
        BodyRefused: too large, too slow, no room for it, or a large one from an unknown
            sender.
        ClientGone: the client disconnected.
    """
    headers = dict(scope["headers"])
    may_be_large = b"transfer-encoding" in headers or _declared(headers) > _IN_MEMORY
    if may_be_large and not await may_send(scope):
        await _drain(headers, receive)
        raise BodyRefused(UNKNOWN)
    # Closed by the caller.
    home = str(settings.MEMORYHUB_DATA)
    buffer: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY, dir=home)  # noqa: SIM115
    if not {b"content-length", b"transfer-encoding"} & headers.keys():
        return buffer
    try:
        with allowed.one_more():
            if _declared(headers) > allowed.size:
                await _refuse_large(headers, receive)
            await _read(receive, buffer, allowed, headers)
        buffer.seek(0)
    except BaseException:
        buffer.close()
        raise
    return buffer


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body, then waits on the original."""
    left: list[Message] = [{"type": "http.request", "body": body}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again


async def _read(
    receive: Receive, buffer: IO[bytes], allowed: Allowance, headers: dict[bytes, bytes]
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
            await _keep(buffer, part, is_file=size > _IN_MEMORY)
            part = bytearray()


async def _keep(buffer: IO[bytes], part: bytearray, *, is_file: bool) -> None:
    try:
        if is_file:
            await asyncio.to_thread(buffer.write, part)
        else:
            buffer.write(part)
    except OSError as error:
        raise BodyRefused(CANNOT_KEEP) from error


async def _next(receive: Receive, seconds: float) -> tuple[bytes, bool]:
    """Return the next part of a body, and whether more follows."""
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
    """Read and discard some of a refused body."""
    waits = headers.get(b"expect", b"").lower() == b"100-continue"
    if waits or _declared(headers) > _DRAINED_BYTES:
        return
    read, more = 0, True
    ends = time.monotonic() + _DRAINED_SECONDS
    with suppress(BodyRefused):
        while more and read < _DRAINED_BYTES:
            chunk, more = await _next(receive, ends - time.monotonic())
            read += len(chunk)


def _declared(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0
