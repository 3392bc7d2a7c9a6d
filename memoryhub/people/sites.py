"""Which web site a request comes from, by what browsers add to it.

A page of any site can send requests to a hub, with the cookies of a person who is
signed in where it is on the same computer. It cannot choose the headers that are
looked at here; docs/security.md says which attack each one ends.
"""

from __future__ import annotations

from collections.abc import Mapping

#: What other sites are answered.
REFUSAL = "a page of another site asked for this, and is not answered"
#: What browsers say of requests by the hub's own pages, and by the address field.
_OWN_SITES = frozenset({"same-origin", "none"})
#: Where a link of another site may lead: a page of its own, in no frame or object.
_PAGES = frozenset({"document", ""})


def is_from_another_site(headers: Mapping[str, str]) -> bool:
    """Tell whether a page of another site sent a request, or led a person to it.

    The names of `headers` are looked up in lower case. Another port is another site.
    """
    return headers.get("sec-fetch-site", "none") not in _OWN_SITES


def is_refused(method: str, headers: Mapping[str, str]) -> bool:
    """Tell whether another site sent a request that is no link a person followed."""
    follows_a_link = (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode", "") == "navigate"
        and headers.get("sec-fetch-dest", "") in _PAGES
    )
    return is_from_another_site(headers) and not follows_a_link
