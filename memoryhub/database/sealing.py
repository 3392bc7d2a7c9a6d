"""Sealing of secrets in addresses, forms and columns, reversible by this hub.

A link's target or a form's value must stay exact, yet not be readable in the page, the
address bar or the browser's history. A sealed text is the secret encrypted with this
hub's key (AES-SIV, deterministic, so that addresses stay the same); the middleware of
`memoryhub.web.kit.masking` opens it before a view gets the request.

Models import this module, so the cipher and the rules for secrets are loaded at first
use: most commands need neither.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from hashlib import sha512
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

#: Marks around a sealed secret: unescaped in addresses, not found in prose.
OPEN, _CLOSE = "~sealed.", "~"
_SEALED = re.compile(r"~sealed\.([A-Za-z0-9_-]{24,40000})~")

_FINDER = "memoryhub.formats.secrets.detection.find_secrets"
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


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
