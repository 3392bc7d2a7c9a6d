"""Addresses of this hub's pages: those of running servers, and the public one.

A server holds a lock on a file with its address as long as it runs: a killed one is not
mistaken for a running one, whoever has its port by now.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest

#: Folder of the files with addresses, beneath the data folder.
_SERVED = "served"


@contextmanager
def noted(data: Path, address: str) -> Iterator[None]:
    """Publish the server's address while the context lasts."""
    path = data / _SERVED / quote(address, safe="")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, address.encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def served_at(data: Path) -> str:
    """Return the address of a running server, the newest of several; "" if none."""
    files = sorted(
        (data / _SERVED).glob("*"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    return next((path.read_text() for path in files if _is_held(path)), "")


def _is_held(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def hub_address() -> str:
    """Return the hub's URL for a command: MEMORYHUB_URL, or that of a running server.

    Without either it is that of the settings, at which a server would run.
    """
    if settings.MEMORYHUB_URL:
        return str(settings.MEMORYHUB_URL)
    host: str = settings.MEMORYHUB_HOST
    shown = f"[{host}]" if ":" in host else host
    here = f"http://{shown}:{settings.MEMORYHUB_PORT}/"
    return served_at(Path(settings.MEMORYHUB_DATA)) or here


def own_path(path: str) -> str:
    """Return a path without the base path of MEMORYHUB_URL, if it begins with it.

    `reverse` adds that base path in threads that answer requests, and in no others.
    """
    prefix: str = settings.FORCE_SCRIPT_NAME or ""
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def absolute(path: str, base: str) -> str:
    """Return the absolute URL of a page: at MEMORYHUB_URL, else at another address."""
    return f"{(settings.MEMORYHUB_URL or base).rstrip('/')}{own_path(path)}"


def absolute_for(request: HttpRequest, path: str) -> str:
    """Return the absolute URL of a page, without MEMORYHUB_URL by the request."""
    return absolute(path, f"{request.scheme}://{request.get_host()}")
