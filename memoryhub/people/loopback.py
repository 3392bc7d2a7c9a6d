"""Whether a program on the hub's own computer asks, and no web page that is open there.

A page of any site can send requests to a loopback address. It cannot choose the
headers that are looked at here; docs/security.md says which attack each one ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address

from django.http.request import split_domain_port

_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: What a server in front adds: behind one, everybody seems to be on this computer.
_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-real-ip")
#: What browsers say of requests by the hub's own pages, and by the address field.
_OWN_SITES = frozenset({"same-origin", "none"})


def why_not_local(peer: str, headers: Mapping[str, str]) -> str:
    """Return why a request is not the operator's own; empty where it is.

    `peer` is the address it comes from; the names of `headers` are looked up in
    lower case.
    """
    host = headers.get("host", "")
    if not is_loopback(peer):
        return "it comes from another computer"
    if any(name in headers for name in _FORWARDED):
        return "it came through a proxy"
    if split_domain_port(host)[0] not in _HOSTS:
        return "its Host is not the name of this computer"
    if headers.get("sec-fetch-site", "none") not in _OWN_SITES:
        return "a web page of another site sent it"
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return "a web page of another origin sent it"
    return ""


def is_loopback(address: str) -> bool:
    """Tell whether an address of the network is this computer's own."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        return found.ipv4_mapped.is_loopback
    return found.is_loopback
