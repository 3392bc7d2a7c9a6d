"""Secret key of an installation, and secrets sealed with it.

The key is a file created with the hub, mode 0600.
"""

from __future__ import annotations

import re
import secrets
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from functools import cache
from hashlib import sha512
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.module_loading import import_string

from memoryhub.disk.files import locked, write_durably

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

NAME = "secret.key"
_MADE_ANEW = (
    f"memoryhub: {NAME} held no secret, and was made anew;"
    " browsers that were signed in have to sign in again\n"
)
#: Marks around a sealed secret: unescaped in addresses, not found in prose.
OPEN, _CLOSE = "~sealed.", "~"
_SEALED = re.compile(r"~sealed\.([A-Za-z0-9_-]{24,40000})~")
_FINDER = "memoryhub.formats.secrets.detection.find_secrets"
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


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
        write_durably(path, key.encode("ascii"))
    return key


def _read(path: Path) -> str:
    """Read the secret in a file; empty if the file is missing or has none."""
    with suppress(FileNotFoundError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip("\0 \r\n")
    return ""


def sealed(text: str) -> str:
    """Seal all probable secrets in a text."""
    parts, place = [], 0
    # A percent-encoded letter does not belong to the text after it.
    for start, end in import_string(_FINDER)(_ENCODED.sub("  /", text)):
        parts += [text[place:start], seal(text[start:end])]
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def opened(text: str) -> str:
    """Open this hub's sealed secrets in a text; the rest is unchanged."""
    return _SEALED.sub(_open, text) if OPEN in text else text


def seal(secret: str) -> str:
    """Encrypt a secret so that only this hub can open it."""
    data = _cipher().encrypt(secret.encode("utf-8", "surrogatepass"), None)
    return f"{OPEN}{urlsafe_b64encode(data).decode().rstrip('=')}{_CLOSE}"


def _open(found: re.Match[str]) -> str:
    from cryptography.exceptions import InvalidTag

    code = found[1]
    try:
        data = urlsafe_b64decode(code + "=" * (-len(code) % 4))
        return _cipher().decrypt(data, None).decode("utf-8", "surrogatepass")
    except (ValueError, InvalidTag):
        return found[0]


@cache
def _cipher() -> AESSIV:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    return AESSIV(sha512(b"memoryhub sealing" + settings.SECRET_KEY.encode()).digest())
