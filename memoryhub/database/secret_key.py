"""The secret of an installation: a file that is made with the hub, mode 0600."""

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
    """Return the secret of the hub in a folder; a new one where there is none yet.

    Nothing is written: `keep_secret_key` does that once there is a hub.
    """
    with suppress(OSError):
        if key := _read(data / NAME):
            return key
    return secrets.token_urlsafe(50)


def keep_secret_key(data: Path, key: str) -> str:
    """Return the secret of a hub, which is this one from now on if there was none.

    Of several programs that start at once the first one's is it. A file that holds no
    secret, as a loss of power can leave one, is made anew, and that is told.

    Raises:
        OSError: it cannot be read or written.
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
    """Return the secret in a file; nothing where there is none in it."""
    with suppress(FileNotFoundError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip("\0 \r\n")
    return ""
