"""Start the courier, which sends one message through Apprise."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from memoryhub.notices import web_push

#: Seconds until a courier is killed.
PATIENCE = 20.0
#: Seconds after which a courier that ended by itself is replaced.
_PAUSE = 60.0
_log = logging.getLogger(__name__)
_COURIER = Path(__file__).with_name("courier.py")
#: Variables that a courier gets: none of the hub's own.
_ENVIRONMENT = (
    "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL", "TZ",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY",
    "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip


class NotSent(Exception):
    """A message was not sent; the text is the reason, without parts of the address."""


class BadAddress(Exception):
    """An address cannot be used.

    `code`: unknown-service, local, several (recipients), invalid or failed; `reason`:
    Apprise's words.
    """

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class Service(NamedTuple):
    """Target of an address: the service, and its server if it is self-hosted."""

    name: str
    host: str

    def __str__(self) -> str:
        return " · ".join(filter(None, self))


def service_of(address: str, *, private: bool = True) -> Service:
    """Return the service of an Apprise URL; sends nothing.

    `private`: private networks may be reached.

    Raises:
        BadAddress: it cannot be used.
    """
    try:
        known = _courier(address, Message("", ""), private=private)
    except NotSent as error:
        raise BadAddress("failed", str(error)) from error
    if known["error"]:
        raise BadAddress(known["error"], known["reason"])
    return Service(known["service"][:60], known["host"][:100])


class Message(NamedTuple):
    """Plain texts of a message, and the hub's page that a click on it opens.

    `title` and `body` quote agents: a link in them can lead anywhere.
    """

    title: str
    body: str
    link: str = ""


def send(address: str, message: Message, *, private: bool = True) -> None:
    """Send a message to an Apprise URL; takes a second, and `PATIENCE` at most.

    `private`: private networks may be reached.

    Raises:
        NotSent: the service did not accept it.
    """
    known = _courier(address, message, private=private)
    if known["error"]:
        raise NotSent(known["reason"] or "its address cannot be used")


class _Ahead:
    """The courier that waits for a message, if any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._not_before = 0.0
        self.courier: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        with self._lock:
            if self.courier and self.courier.poll() is not None:
                # It cannot work, as without Apprise: not at once again.
                self._not_before = time.monotonic() + _PAUSE
                self._end()
            if not self.courier and time.monotonic() >= self._not_before:
                self.courier = _started()

    def take(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self.courier and self.courier.poll() is not None:
                self._end()
            found, self.courier = self.courier, None
            return found

    def dismiss(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self.courier:
            self.courier.communicate()
            self.courier = None


_ahead = _Ahead()


def prepare() -> None:
    """Start a courier that waits for a message: the next one is sent without delay."""
    _ahead.prepare()


def dismiss() -> None:
    """End the courier that waits."""
    _ahead.dismiss()


def _started() -> subprocess.Popen[bytes]:
    known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    known["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-P", str(_COURIER)],
        env=known,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _courier(address: str, message: Message, *, private: bool) -> dict[str, str]:
    task = {"address": address, "private": private, **message._asdict()}
    if address.startswith(f"{web_push.SCHEME}://"):
        task["key"] = web_push.private_key()
    try:
        with _ahead.take() or _started() as courier:
            try:
                out, _ = courier.communicate(json.dumps(task).encode(), PATIENCE)
            finally:
                courier.kill()
        found: dict[str, str] = json.loads(out)
    except subprocess.TimeoutExpired:
        raise NotSent(f"no answer within {PATIENCE:g} seconds") from None
    except ValueError:
        raise NotSent(f"{sys.executable} ended without running Apprise") from None
    except OSError as error:
        # A program that cannot be started: its path, or its folder's, is the cause.
        path = error.filename or sys.executable
        _log.error("no message can be sent: %s cannot be run: %s", path, error.strerror)
        raise NotSent(f"{path} cannot be run: {error.strerror}") from None
    return found
