"""A browser's subscription to web push, and a push service with a certificate."""

from __future__ import annotations

import ipaddress
import json
import os
import ssl
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID


class Browser:
    """The keys of a subscription, by RFC 8291."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)

    @property
    def point(self) -> bytes:
        return self.key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )

    def subscription(self, endpoint: str) -> str:
        """Return what a browser's `PushSubscription` gives as JSON."""
        keys = {"p256dh": encoded(self.point), "auth": encoded(self.secret)}
        return json.dumps({"endpoint": endpoint, "expirationTime": None, "keys": keys})

    def address(self, endpoint: str) -> str:
        """Return the address of a channel to this browser."""
        return f"webpush://{encoded(self.subscription(endpoint).encode())}"

    def opened(self, body: bytes) -> Any:
        """Decrypt a message in one record of ``aes128gcm``, by RFC 8188 and 8291."""
        salt, size = body[:16], body[20]
        sender = body[21 : 21 + size]
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), other)
        info = b"WebPush: info\0" + self.point + sender
        material = _derived(shared, self.secret, info, 32)
        key = _derived(material, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(material, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, body[21 + size :], None)
        text, end, _ = padded.rpartition(b"\x02")
        assert end
        return json.loads(text)


def encoded(value: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(value).decode().rstrip("=")


def decoded(value: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


def _derived(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)


def certified(folder: Path, *hosts: str) -> tuple[ssl.SSLContext, Path]:
    """Return a context for 127.0.0.1 and hosts, and the file of its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "push.example")])
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    own = x509.SubjectAlternativeName([here, *map(x509.DNSName, hosts)])
    certificate = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number()
        )
        .not_valid_before(datetime(2000, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(own, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    place = folder / "authority.pem"
    place.write_bytes(certificate.public_bytes(Encoding.PEM))
    secret = folder / "key.pem"
    secret.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place, secret)
    return context, place
