"""Web push: subscriptions of browsers as addresses of channels, and the hub's key.

An address is ``webpush://`` and the browser's subscription, JSON in base64url. The hub
identifies itself to push services with a VAPID key (RFC 8292) derived from its secret
key: a restored backup reaches the same browsers.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.conf import settings

SCHEME = "webpush"


def private_key() -> str:
    """Return the hub's VAPID key, in PEM."""
    pem = _key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode("ascii")


def application_key() -> str:
    """Return the public key that a browser subscribes with, in base64url."""
    point = (
        _key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    )
    return urlsafe_b64encode(point).decode("ascii").rstrip("=")


def _key() -> ec.EllipticCurvePrivateKey:
    derived = HKDF(SHA256(), 32, salt=None, info=b"memoryhub vapid").derive(
        settings.SECRET_KEY.encode()
    )
    return ec.derive_private_key(int.from_bytes(derived) or 1, ec.SECP256R1())
