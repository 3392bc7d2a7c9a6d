"""The rule for every request: by its Host, and the headers that browsers add.

A page of any site can send requests to a hub, with the cookies of a person who is
signed in there if it is on the same computer. It cannot choose the headers that are
checked here; docs/security.md lists the attacks that each check prevents.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from memoryhub.errors.base import Refusal

OTHER_SITE = Refusal(
    "other-site", "a page of another site asked for this, and is not answered", 403
)
OTHER_HOST = Refusal(
    "other-host",
    "the hub has no such host name: MEMORYHUB_ALLOWED_HOSTS or MEMORYHUB_URL names it",
    400,
)
#: Sec-Fetch-Site of requests by the hub's own pages, and by the address bar.
_OWN_SITES = frozenset({"same-origin", "none"})
#: Sec-Fetch-Dest allowed for a link from another site: a page, no frame or object.
_PAGES = frozenset({"document", ""})


def is_from_another_site(headers: Mapping[str, str]) -> bool:
    """Return whether a page of another site sent a request, or linked to it.

    `headers` are looked up by lower-case names. Another port is another site.
    """
    return headers.get("sec-fetch-site", "none") not in _OWN_SITES


def refusal_of(method: str, scheme: str, headers: Mapping[str, str]) -> Refusal | None:
    """Return the refusal of a request to a foreign host or by another site's page.

    A followed link to a page is admitted. `headers`: looked up by lower-case names.
    """
    host = headers.get("host", "")
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return OTHER_HOST
    own = f"{scheme}://{host}"
    if headers.get("origin", own) not in (own, *settings.CSRF_TRUSTED_ORIGINS):
        return OTHER_SITE
    follows_a_link = (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode", "") == "navigate"
        and headers.get("sec-fetch-dest", "") in _PAGES
    )
    is_foreign = is_from_another_site(headers) and not follows_a_link
    return OTHER_SITE if is_foreign else None


_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: Headers of a proxy: behind one, every request seems to be local.
_FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
)


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
