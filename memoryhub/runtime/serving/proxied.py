"""The header in which a trusted proxy names a person, at the connection itself.

Later layers see the address of the client behind the proxy, not the proxy's: only here
is known who really sent a header.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings

from memoryhub.accounts.proxied import PASSED_ON

Headers = list[tuple[bytes, bytes]]


def pass_on(headers: Headers, peer: str) -> None:
    """Rename the header of a trusted peer; remove it, and our own name, of others.

    WSGI maps ``_`` and ``-`` to the same variable, so both spellings are removed. Only
    that of the setting counts: a proxy that removes it may pass on the other.
    """
    exact = settings.MEMORYHUB_PROXY_USER_HEADER.encode("latin-1", "replace").lower()
    named, ours = _plain(exact), PASSED_ON.encode()
    # Two such headers contradict each other: neither counts.
    said = [one for one in headers if named and _plain(one[0]) == named]
    headers[:] = [one for one in headers if _plain(one[0]) not in {named, ours}]
    if len(said) == 1 and said[0][0].lower() == exact and is_trusted_peer(peer):
        headers.append((ours, said[0][1]))


def is_trusted_peer(peer: str) -> bool:
    """Return whether an address is in MEMORYHUB_TRUSTED_PROXIES."""
    return _is_in(peer, tuple(settings.MEMORYHUB_TRUSTED_PROXIES))


@lru_cache(maxsize=256)
def _is_in(peer: str, trusted: tuple[str, ...]) -> bool:
    try:
        address: IPv4Address | IPv6Address = ip_address(peer)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address in ip_network(one, strict=False) for one in trusted)


def _plain(name: bytes) -> bytes:
    return name.lower().replace(b"_", b"-")
