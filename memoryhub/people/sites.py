"""Cross-site requests, by the headers that browsers add.

A page of any site can send requests to a hub, with the cookies of a person who is
signed in there if it is on the same computer. It cannot choose the headers that are
checked here; docs/security.md lists the attacks that each check prevents.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Answer to refused cross-site requests.
REFUSAL = "a page of another site asked for this, and is not answered"
#: Sec-Fetch-Site of requests by the hub's own pages, and by the address bar.
_OWN_SITES = frozenset({"same-origin", "none"})
#: Sec-Fetch-Dest allowed for a link from another site: a page, no frame or object.
_PAGES = frozenset({"document", ""})


def is_from_another_site(headers: Mapping[str, str]) -> bool:
    """Return whether a page of another site sent a request, or linked to it.

    `headers` are looked up by lower-case names. Another port is another site.
    """
    return headers.get("sec-fetch-site", "none") not in _OWN_SITES


def is_refused(method: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is cross-site and not a followed link to a page."""
    follows_a_link = (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode", "") == "navigate"
        and headers.get("sec-fetch-dest", "") in _PAGES
    )
    return is_from_another_site(headers) and not follows_a_link
