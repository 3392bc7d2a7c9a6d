"""Network address of a client, also behind trusted proxies, and its network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings

_HEADER = "x-forwarded-for"


def client_address(peer: str, headers: Mapping[str, str]) -> str:
    """Return the address of a request's client.

    `peer`: remote address; `headers`: looked up by lower-case names. Behind proxies of
    ``MEMORYHUB_TRUSTED_PROXIES`` the last forwarded address that is none of theirs:
    what stands before it, anybody can write.
    """
    proxies: Sequence[str] = getattr(settings, "MEMORYHUB_TRUSTED_PROXIES", ())
    if not _is_among(peer, proxies):
        return peer
    hops = [hop.strip() for hop in headers.get(_HEADER, "").split(",") if hop.strip()]
    for hop in reversed(hops):
        if not _is_among(hop, proxies):
            return hop[:64]
    return hops[0][:64] if hops else peer


def network_of(address: str) -> str:
    """Return the key of rate limits: an IPv4 address, or the /64 of an IPv6 one.

    A text that is no address is returned unchanged.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return address


def _is_among(address: str, networks: Sequence[str]) -> bool:
    try:
        found = ip_address(address)
        return any(found in ip_network(one, strict=False) for one in networks)
    except ValueError:
        return address in networks
