"""The local token: by it programs of the person who runs the hub ask over HTTP.

It is in a file of the data folder that only its owner can read, so whoever has it
could read the database too.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from django.conf import settings
from django.utils.crypto import constant_time_compare

from memoryhub.people.services.secret_files import write_secret

_NAME = "local.token"
_MARK = "mhub_local_"
_BYTES = 32


def local_token_file() -> Path:
    """Return where the token is, or will be."""
    return Path(settings.MEMORYHUB_DATA) / _NAME


def local_token() -> str:
    """Return the token; it is made where there is none."""
    return _read() or rotated_local_token()


def rotated_local_token() -> str:
    """Return a new token; the one before is invalid from now on."""
    write_secret(local_token_file(), f"{_MARK}{secrets.token_urlsafe(_BYTES)}\n")
    return _read()


def is_local_token(secret: str) -> bool:
    """Tell whether a secret is the token of the moment."""
    known = _read() if secret.startswith(_MARK) else ""
    return bool(known) and constant_time_compare(known, secret)


def _read() -> str:
    try:
        return local_token_file().read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
