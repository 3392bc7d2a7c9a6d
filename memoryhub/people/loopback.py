"""Local requests: from a program on the hub's own computer, not from a web page there.

That alone gives nobody an identity: a proxy, a container or another user of the
computer looks the same. It restricts the use of the local token, and is the only check
if `MEMORYHUB_TRUST_LOOPBACK` is set.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address

from django.http.request import split_domain_port

from memoryhub.people.sites import is_from_another_site

_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: Headers of a proxy: behind one, every request seems to be local.
_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-real-ip")


def why_not_local(peer: str, headers: Mapping[str, str]) -> str:
    """Return why a request is not from a program of this computer; "" if it is.

    `peer`: remote address; `headers`: looked up by lower-case names.
    """
    host = headers.get("host", "")
    if not is_loopback(peer):
        return "it comes from another computer"
    if any(name in headers for name in _FORWARDED):
        return "it came through a proxy"
    if split_domain_port(host)[0] not in _HOSTS:
        return "its Host is not the name of this computer"
    if is_from_another_site(headers):
        return "a web page of another site sent it"
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return "a web page of another origin sent it"
    return ""


def is_loopback(address: str) -> bool:
    """Return whether a network address is this computer's own."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        return found.ipv4_mapped.is_loopback
    return found.is_loopback
