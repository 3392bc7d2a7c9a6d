"""The secret of an installation: a file that is made with the hub, mode 0600."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

NAME = "secret.key"


def secret_key(data: Path) -> str:
    """Return the secret of the hub in a folder; a new one where there is none yet.

    Nothing is written: `keep_secret_key` does that once there is a hub.
    """
    with suppress(OSError, UnicodeDecodeError):
        if key := (data / NAME).read_text(encoding="ascii").strip():
            return key
    return secrets.token_urlsafe(50)


def keep_secret_key(data: Path, key: str) -> str:
    """Return the secret of a hub, which is this one from now on if there was none.

    Of several programs that start at once the first one's is it. An empty file, which
    a loss of power can leave, is none.
    """
    path = data / NAME
    with suppress(FileNotFoundError):
        if known := path.read_text(encoding="ascii").strip():
            return known
        path.unlink()
    draft = data / f"{NAME}.{os.getpid()}"
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii").strip()
