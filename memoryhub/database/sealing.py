"""Secrets in addresses, forms and columns: sealed on the way out, opened on the way in.

What a link leads to or a form sends back must stay exact, and yet not be readable in
the page, the address bar or the browser's history. A sealed text is the secret
encrypted with the key of this hub (AES-SIV, deterministic, so that addresses stay the
same); the middleware of `memoryhub.web.kit.masking` opens it before a view sees the
request.

Models import this module, so it loads the cipher and the rules for secrets when they
are used first: most commands need neither.
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

#: What stands around a sealed secret: in an address as it is, and in no one's prose.
OPEN, _CLOSE = "~sealed.", "~"
_SEALED = re.compile(r"~sealed\.([A-Za-z0-9_-]{24,40000})~")

_FINDER = "memoryhub.formats.secrets.detection.find_secrets"
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


def sealed(text: str) -> str:
    """Return a text with what looks like a secret in it sealed."""
    parts, place = [], 0
    # A letter that an address has encoded does not belong to what follows it.
    for start, end in import_string(_FINDER)(_ENCODED.sub("  /", text)):
        parts += [text[place:start], seal(text[start:end])]
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def opened(text: str) -> str:
    """Return a text with what this hub has sealed as it was; the rest stays."""
    return _SEALED.sub(_open, text) if OPEN in text else text


def seal(secret: str) -> str:
    """Return a text that only this hub can read."""
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
