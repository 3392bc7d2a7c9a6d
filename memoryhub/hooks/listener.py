"""Server side of hooks and commands: a Unix socket that only its owner can open.

An event without an answer is spooled before it is acknowledged: from then on it cannot
be lost, and the agent need not wait until it is done.
"""

from __future__ import annotations

import errno
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from django.db import connection

from memoryhub.hooks.client import (
    BEFORE_EDIT,
    MAGIC,
    MOST_BYTES,
    NOTIFYING,
    SOCKET,
    frame_from,
    socket_address,
    spool_frame,
)
from memoryhub.hooks.delivery import OperatorsHub, Refused, deliver
from memoryhub.hooks.spool import NotNow, Spool

_THREADS = 4
#: Seconds in which a client must have sent its event.
_PATIENCE = 5.0
#: Polling interval of the spool in seconds.
_LOOK_SECONDS = 1.0
_OK, _FAILED = b"+", b"-"
#: Runs a command for a client: its frame, and what says that it begins.
RunCommand = Callable[[bytes, Callable[[bytes], object]], bytes]
_log = logging.getLogger(__name__)


class Listener:
    """Server that answers hooks, and runs commands, until `stop` is set."""

    def __init__(
        self, data: Path, stop: threading.Event, run_command: RunCommand | None = None
    ) -> None:
        self._data = data
        self._run_command = run_command
        #: Apart from those of hooks, which cannot wait as long.
        self._commands = ThreadPoolExecutor(_THREADS, "command")
        self._stop = stop
        self._spool = Spool(data, OperatorsHub(), pause=_LOOK_SECONDS)
        self._kept = threading.Event()
        self._failed = ""

    def run(self) -> None:
        """Listen, and work off the spool, until `stop` is set."""
        spooling = threading.Thread(target=self._work_off, name="spool", daemon=True)
        spooling.start()
        listening = listen(self._data)
        if listening is None:
            _log.warning("another server answers the hooks of this hub")
            return
        with closing(listening), self._commands, ThreadPoolExecutor(_THREADS) as pool:
            while not self._stop.is_set():
                with suppress(TimeoutError):
                    client, _ = listening.accept()
                    pool.submit(self._serve, client)

    def answer(self, data: bytes) -> bytes:
        """Return the response to a client's frame."""
        try:
            frame = frame_from(data)
            if frame["event"].decode() in NOTIFYING:
                spool_frame(frame, str(self._data))
                self._kept.set()
                return _OK
            # Earlier spooled events come first; no claim of a file depends on them.
            if frame["event"].decode() not in BEFORE_EDIT:
                self._spool.deliver()
            return _OK + deliver(frame)
        except (Refused, NotNow, ValueError) as error:
            return _FAILED + str(error).encode("utf-8", "replace")

    def _serve(self, client: socket.socket) -> None:
        with ExitStack() as held, self._failures_answered(client):
            held.enter_context(closing(client))
            client.settimeout(_PATIENCE)
            data = _received(client)
            client.settimeout(_PATIENCE)
            if self._run_command and not data.startswith(MAGIC):
                self._commands.submit(self._run, client, data)
                held.pop_all()
            else:
                client.sendall(self.answer(data))

    def _run(self, client: socket.socket, data: bytes) -> None:
        with closing(client), self._failures_answered(client):
            assert self._run_command is not None
            client.sendall(self._run_command(data, client.sendall))

    @contextmanager
    def _failures_answered(self, client: socket.socket) -> Iterator[None]:
        """Log a failure and answer the client with it; the listener goes on."""
        try:
            yield
        except OSError as error:
            _log.info("a client of the hub's socket went away: %s", error)
        except ValueError as error:
            with suppress(OSError):
                client.sendall(_FAILED + str(error).encode("utf-8", "replace"))
        except Exception:
            _log.exception("a hook or command failed")
            with suppress(OSError):
                client.sendall(_FAILED + b"the hub failed; its log says why")

    def _work_off(self) -> None:
        try:
            while not self._stop.is_set():
                self._kept.clear()
                self._deliver()
                self._kept.wait(_LOOK_SECONDS)
        finally:
            connection.close()

    def _deliver(self) -> None:
        """Work off the spool; a repeated error is logged once."""
        try:
            self._spool.deliver()
        except Exception as error:  # what waits must not wait for a restart
            if str(error) != self._failed:
                _log.exception("the spool of hooks cannot be worked off")
            self._failed = str(error)
        else:
            self._failed = ""


def listen(data: Path) -> socket.socket | None:
    """Return the hub's listening socket; None if another server has it."""
    address = socket_address(str(data))
    if _answers(address):
        return None
    (data / SOCKET).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    (data / SOCKET).chmod(0o600)
    listening.listen(64)
    listening.settimeout(0.5)
    return listening


def _answers(address: str) -> bool:
    with closing(socket.socket(socket.AF_UNIX)) as trying:
        return trying.connect_ex(address) not in (errno.ENOENT, errno.ECONNREFUSED)


def _received(client: socket.socket) -> bytes:
    """Return all that a client sends, within one deadline.

    Raises:
        TimeoutError: the client had not finished by then.
        ValueError: it sent too much.
    """
    ends = time.monotonic() + _PATIENCE
    parts, size = [], 0
    while part := client.recv(1 << 16):
        parts.append(part)
        client.settimeout(max(0.001, ends - time.monotonic()))
        size += len(part)
        if size > 2 * MOST_BYTES:
            raise ValueError("the event is too large")
    return b"".join(parts)
