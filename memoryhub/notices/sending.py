"""Start the courier, which sends one message through Apprise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

#: Seconds until a courier is killed.
PATIENCE = 20.0
_spare: list[subprocess.Popen[bytes]] = []
_lock = threading.Lock()
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

    `code`: unknown-service, local, invalid or failed; `reason`: Apprise's words.
    """

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class Service(NamedTuple):
    """What an address leads to: name of the service, and its server if it has one."""

    name: str
    host: str

    def __str__(self) -> str:
        return " · ".join(filter(None, self))


def service_of(address: str) -> Service:
    """Return the service of an Apprise URL; sends nothing.

    Raises:
        BadAddress: it cannot be used.
    """
    try:
        known = _courier(address)
    except NotSent as error:
        raise BadAddress("failed", str(error)) from error
    if known["error"]:
        raise BadAddress(known["error"], known["reason"])
    return Service(known["service"][:60], known["host"][:100])


def send(address: str, title: str, body: str) -> None:
    """Send a message to an Apprise URL; takes a second, and `PATIENCE` at most.

    Raises:
        NotSent: the service did not accept it.
    """
    known = _courier(address, title, body)
    if known["error"]:
        raise NotSent(known["reason"] or "its address cannot be used")


def prepare() -> None:
    """Start a courier that waits for a message: the next one is sent without delay."""
    with _lock:
        if _spare and _spare[0].poll() is not None:
            _end_spare()
        if not _spare:
            _spare.append(_started())


def dismiss() -> None:
    """End the courier that waits."""
    with _lock:
        _end_spare()


def _end_spare() -> None:
    while _spare:
        _spare.pop().communicate()


def _taken() -> subprocess.Popen[bytes]:
    """Return the courier that waits, else a new one."""
    with _lock:
        if _spare and _spare[0].poll() is None:
            return _spare.pop()
        _end_spare()
    return _started()


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


def _courier(address: str, title: str = "", body: str = "") -> dict[str, str]:
    task = {
        "address": address,
        "title": title,
        "body": body,
        "private": settings.MEMORYHUB_CHANNELS_PRIVATE,
    }
    try:
        with _taken() as courier:
            try:
                out, _ = courier.communicate(json.dumps(task).encode(), PATIENCE)
            finally:
                courier.kill()
        found: dict[str, str] = json.loads(out)
    except subprocess.TimeoutExpired:
        raise NotSent(f"no answer within {PATIENCE:g} seconds") from None
    except ValueError:
        raise NotSent("Apprise could not be started") from None
    except OSError as error:
        raise NotSent(f"cannot send: {error.strerror}") from None
    return found
