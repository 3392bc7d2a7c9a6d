"""The local token: access over HTTP for programs of the person who runs the hub.

It is in a file of the data folder that only its owner can read: whoever has it could
read the database too.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.utils.crypto import constant_time_compare

from memoryhub.audit.recording import record_after

_NAME = "local.token"
_MARK = "mhub_local_"
_BYTES = 32


def local_token_file() -> Path:
    """Return the path of the token's file."""
    return Path(settings.MEMORYHUB_DATA) / _NAME


def local_token() -> str:
    """Return the token; created if missing, once for processes that start together."""
    if not local_token_file().exists():
        write_secret(local_token_file(), _new(), replace=False)
    return _read() or rotated_local_token()


def rotated_local_token() -> str:
    """Return a new token; the previous one becomes invalid."""
    write_secret(local_token_file(), _new())
    record_after("token.rotated", subject="local")
    return _read()


def is_local_token(secret: str) -> bool:
    """Return whether a secret is the current local token."""
    known = _read() if secret.startswith(_MARK) else ""
    return bool(known) and constant_time_compare(known, secret)


def _read() -> str:
    try:
        return local_token_file().read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _new() -> str:
    return f"{_MARK}{secrets.token_urlsafe(_BYTES)}\n"


def write_secret(path: Path, text: str, *, replace: bool = True) -> None:
    """Write a file with mode 0600, atomically; with `replace` over an existing one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    made = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(text)
    if replace:
        draft.replace(path)
        return
    with suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
