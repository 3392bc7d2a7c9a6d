"""What views share with the wire: what was typed, page or partial, and the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import register_converter
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

#: No inline script or style and no other host: text of agents is in these pages.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


#: Answers that secrets are masked in, and pages that can show them all the same.
_MASKED = ("text/html", "application/atom+xml")
_EXACT = frozenset({"file", "handover"})
_MARKDOWN = "text/markdown; charset=utf-8"


class AnyPath:
    """A file's path in an address: every character is allowed, even a line break."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(AnyPath, "anypath")


class HtmxRequest(HttpRequest):
    """A request as views get it, for annotations only."""

    htmx: HtmxDetails


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that sets the policy where a view did not set one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response

    return middleware


def cookies_secured(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that has what came by https set cookies for https alone."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for cookie in response.cookies.values() if request.is_secure() else ():
            cookie["secure"] = True
        return response

    return middleware


def own_browser_alone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that has no cache and no other site take an answer.

    A view that says more of its caching than this is left alone.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        exact = _is_exact(request, response)
        caching = "private, no-store" if exact else "private, no-cache"
        response.headers.setdefault("Cache-Control", caching)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

    return middleware


def _is_exact(request: HttpRequest, response: HttpResponse) -> bool:
    """Tell whether an answer can hold texts of files with nothing masked."""
    match = request.resolver_match
    return (
        not response.headers.get("Content-Type", "").startswith(_MASKED)
        or (match is not None and match.url_name in _EXACT)
        or request.GET.get("show") == "secrets"
    )


def standing(request: HttpRequest) -> dict[str, bool]:
    """Return what every page says of the hub itself: a processor of contexts."""
    return {"trusts_loopback": settings.MEMORYHUB_TRUST_LOOPBACK}


def typed(data: Mapping[str, str], name: str, *, size: int = 200) -> str:
    """Return one line that was typed, as the database can take it."""
    return data.get(name, "").replace("\x00", "").strip()[:size]


def whole_number(text: str, *, digits: int) -> int | None:
    """Return the number a text is, if it is one of no more digits than that."""
    return int(text) if text.isdecimal() and len(text) <= digits else None


def markdown_response(text: str | bytes, filename: str = "") -> HttpResponse:
    """Answer a text as agents read it; what Unicode does not allow is replaced."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    response = HttpResponse(data, content_type=_MARKDOWN)
    if filename:
        response["Content-Disposition"] = f'inline; filename="{filename}"'
    return response


#: What decides between a page and a part of it.
_VARIES = ("HX-Request", "HX-History-Restore-Request", "HX-Target")


def wants_partial(request: HtmxRequest) -> bool:
    """Tell whether htmx asks for a part of the page.

    When htmx restores a page of the history it needs all of it, a boosted link
    replaces the whole body, and what a form in a dialog leads to the main part of it.
    """
    htmx = request.htmx
    if not htmx or htmx.history_restore_request or htmx.boosted:
        return False
    return not (request.method == "GET" and htmx.target == "main")


def page_or_partial(
    request: HtmxRequest,
    page_template: str,
    partial_template: str,
    context: Mapping[str, object],
    *,
    status: int = 200,
) -> HttpResponse:
    """Return the page, or the partial alone when htmx asks for it.

    Caches are told that both live at one address.
    """
    template = partial_template if wants_partial(request) else page_template
    response = render(request, template, dict(context), status=status)
    patch_vary_headers(response, _VARIES)
    return response
