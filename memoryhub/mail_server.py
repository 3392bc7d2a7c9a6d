"""The mail server of ``MEMORYHUB_EMAIL_URL``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

#: Usual port by scheme: STARTTLS, TLS from the first byte, no encryption.
_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
_EXPECTED = "use smtp://name:password@host:587, smtps://... or smtp+plain://..."


@dataclass(frozen=True, slots=True)
class MailServer:
    """Host, port, credentials and encryption; without a host nothing is sent."""

    scheme: str = ""
    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    sender: str = ""

    @property
    def backend(self) -> str:
        """Dotted path of Django's e-mail backend."""
        kind = "smtp" if self.host else "dummy"
        return f"django.core.mail.backends.{kind}.EmailBackend"

    @property
    def starts_tls(self) -> bool:
        """Whether the connection becomes encrypted by STARTTLS."""
        return self.scheme == "smtp"

    @property
    def is_tls(self) -> bool:
        """Whether the connection is encrypted from its first byte."""
        return self.scheme == "smtps"


def mail_server(name: str, *, sender: str) -> MailServer:
    """Return the mail server of the variable `name`; `sender` names that of From.

    Raises:
        ImproperlyConfigured: the address is unusable, or the sender is missing. The
            message does not repeat the address, which contains a password.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        return MailServer()
    try:
        parts = urlsplit(value)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            f"Unexpected value of {name}: {_EXPECTED}"
        ) from error
    if not parts.hostname:
        raise ImproperlyConfigured(f"Unexpected value of {name}: {_EXPECTED}")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    address = os.environ.get(sender, "").strip() or (user if "@" in user else "")
    if not address:
        raise ImproperlyConfigured(f"{sender} is missing: {name} needs it")
    return MailServer(parts.scheme, parts.hostname, port, user, password, address)
