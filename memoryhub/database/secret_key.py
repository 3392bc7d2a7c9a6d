"""Secret key of an installation: a file created with the hub, mode 0600."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

from memoryhub.backups.contents import sync_folder
from memoryhub.disk.files import locked

NAME = "secret.key"
_MADE_ANEW = (
    f"memoryhub: {NAME} held no secret, and was made anew;"
    " browsers that were signed in have to sign in again\n"
)


def secret_key(data: Path) -> str:
    """Return the secret key of the hub in a folder; a new one if missing.

    Nothing is written: `keep_secret_key` does that once there is a hub.
    """
    with suppress(OSError):
        if key := _read(data / NAME):
            return key
    return secrets.token_urlsafe(50)


def keep_secret_key(data: Path, key: str) -> str:
    """Return the stored secret key of a hub; store this one if missing.

    The first of several starting programs wins. A file without a secret, as after a
    loss of power, is replaced, with a message on stderr.

    Raises:
        OSError: the file cannot be read or written.
    """
    path = data / NAME
    if known := _read(path):
        return known
    with locked(data / "locks" / NAME):
        if known := _read(path):
            return known
        if path.exists():
            sys.stderr.write(_MADE_ANEW)
        draft = data / f"{NAME}.{os.getpid()}"
        flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        with os.fdopen(os.open(draft, flags, 0o600), "w") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(data)
    return key


def _read(path: Path) -> str:
    """Read the secret in a file; empty if the file is missing or has none."""
    with suppress(FileNotFoundError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip("\0 \r\n")
    return ""
