"""Environment variables as values of settings; invalid ones stop the program."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

_SHORTEST = 16
_PORTS = {"http": 80, "https": 443}
#: Folders of a base path: names without escapes, since proxies treat those differently.
_FOLDERS = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?")


def env_bool(name: str, *, default: bool) -> bool:
    """Return a boolean variable; raise `ImproperlyConfigured` on other values."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"Unexpected value {name}={value}: use true or false")


def env_int(name: str, *, default: int, lowest: int = 0) -> int:
    """Return a variable that is a whole number of at least `lowest`."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.lstrip("-").isdigit() or int(value) < lowest:
        raise ImproperlyConfigured(
            f"Unexpected value {name}={value}: use a whole number from {lowest}"
        )
    return int(value)


def env_list(name: str, *, default: list[str]) -> list[str]:
    """Return a comma-separated variable as a list."""
    value = os.environ.get(name, "")
    return [part.strip() for part in value.split(",") if part.strip()] or default


def env_path(name: str, *, default: Path) -> Path:
    """Return a variable that is a path; ``~`` is the home folder."""
    value = os.environ.get(name, "").strip()
    return Path(value).expanduser().resolve() if value else default


def env_folders(name: str, closed: Path) -> tuple[Path, ...]:
    """Return a comma-separated variable of folders; none may overlap `closed`."""
    folders = [Path(part).expanduser() for part in env_list(name, default=[])]
    for folder in folders:
        real = folder.resolve()
        reason = "" if folder.is_absolute() else "use the whole path"
        if real.is_relative_to(closed) or closed.is_relative_to(real):
            reason = "the hub's data folder must be outside of it"
        if reason:
            raise ImproperlyConfigured(f"Unexpected value {name}={folder}: {reason}")
    return tuple(folder.resolve() for folder in folders)


def env_url(name: str) -> str:
    """Return a variable that is an address of the web, or nothing."""
    value = os.environ.get(name, "").strip()
    try:
        parts = urlsplit(value)
        usable = (
            parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        )
    except ValueError:
        usable = False
    if value and not usable:
        raise ImproperlyConfigured(f"Unexpected value of {name}: use https://...")
    return value


def env_secret(name: str, *, needed_by: str) -> str:
    """Return a secret from the environment, required by another variable."""
    value = os.environ.get(name, "").strip()
    if not value and os.environ.get(needed_by, "").strip():
        raise ImproperlyConfigured(f"{name} is missing: {needed_by} needs it")
    return value


def env_choice(name: str, *choices: str) -> str:
    """Return one of these words; the first is the default."""
    value = os.environ.get(name, "").strip().lower() or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(
            f"Unexpected value {name}={value}: use {' or '.join(choices)}"
        )
    return value


def env_token(name: str) -> str:
    """Return a secret that a client has to send; too short to guess is refused."""
    value = os.environ.get(name, "").strip()
    if value and len(value) < _SHORTEST:
        raise ImproperlyConfigured(f"{name} is too short: use {_SHORTEST} characters")
    return value


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The address at which people reach the hub, taken apart; empty if not set.

    `origin`: scheme, host and port as browsers write them. `host`: as in
    ``ALLOWED_HOSTS``. `prefix`: base path without the last slash; empty at the root.
    """

    origin: str = ""
    host: str = ""
    prefix: str = ""

    @property
    def url(self) -> str:
        return f"{self.origin}{self.prefix}/" if self.origin else ""

    @property
    def is_https(self) -> bool:
        return self.origin.startswith("https://")


def env_public_address(name: str) -> PublicAddress:
    """Return the address that a variable names.

    Raises:
        ImproperlyConfigured: it is none, has a user, a query or a fragment, or its path
            has other signs than letters, digits, ``._~-``.
    """
    value = env_url(name)
    if not value:
        return PublicAddress()
    parts = urlsplit(value)
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    if not is_plain or not _FOLDERS.fullmatch(parts.path):
        raise ImproperlyConfigured(
            f"Unexpected value of {name}: use https://hub.example.org/ or with a path"
            " of plain folders, https://example.org/hub/"
        )
    host = _host_of(parts)
    port = parts.port
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    origin = f"{parts.scheme}://{host}{shown}"
    return PublicAddress(origin, host, parts.path.rstrip("/"))


def _host_of(parts: SplitResult) -> str:
    """Return a host as browsers send it: lower case, IDNA, IPv6 in brackets."""
    host = parts.hostname or ""
    if ":" in host:
        return f"[{host}]"
    try:
        return host.encode("idna").decode()
    except UnicodeError as error:
        raise ImproperlyConfigured(f"No host name: {host}") from error


def env_networks(name: str, *, default: list[str]) -> list[str]:
    """Return comma-separated addresses and networks, such as ``10.0.0.0/8``."""
    found = env_list(name, default=default)
    for one in found:
        try:
            ip_network(one)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"Unexpected value {name}={one}: use addresses or networks such as"
                " 10.0.0.7,172.18.0.0/16"
            ) from error
    return found
