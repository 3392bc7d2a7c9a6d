"""HTTP helpers of views: input fields, partials, security and caching headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import register_converter
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from memoryhub import __version__
from memoryhub.people.policy import rights_now
from memoryhub.people.rights import Right
from memoryhub.people.roles import is_team

#: No inline script or style and no other host: pages contain text of agents.
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


#: Content types in which secrets are masked, and pages that can show them anyway.
_MASKED = ("text/html", "application/atom+xml")
_EXACT = frozenset({"file", "handover"})
_MARKDOWN = "text/markdown; charset=utf-8"


class AnyPath:
    """Path converter for file paths: every character is allowed, even a line break."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(AnyPath, "anypath")


class HtmxRequest(HttpRequest):
    """A request with htmx details; for annotations only."""

    htmx: HtmxDetails


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that sets the CSP if the view did not set one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response

    return middleware


def cookies_secured(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that marks cookies as secure on https requests."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_secure = request.is_secure() or settings.SESSION_COOKIE_SECURE
        for cookie in response.cookies.values() if is_secure else ():
            cookie["secure"] = True
        return response

    return middleware


def own_browser_alone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that forbids shared caches and cross-origin reads.

    Views that set the headers themselves are left alone.
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
    """Return whether a response can contain unmasked text of files."""
    match = request.resolver_match
    return (
        not response.headers.get("Content-Type", "").startswith(_MASKED)
        or (match is not None and match.url_name in _EXACT)
        or request.GET.get("show") == "secrets"
    )


def standing(request: HttpRequest) -> dict[str, object]:
    """Context processor: settings of the hub, and `may`: rights on the page."""
    rights = rights_now()
    return {
        "trusts_loopback": settings.MEMORYHUB_TRUST_LOOPBACK,
        "is_team": is_team(),
        "sends_email": bool(settings.EMAIL_HOST),
        "may": {right.value: right in rights for right in Right},
        "hub_version": __version__,
        "base_path": settings.FORCE_SCRIPT_NAME or "",
    }


def typed(data: Mapping[str, str], name: str, *, size: int = 200) -> str:
    """Return a field, stripped and cut to `size`, without NUL characters."""
    return data.get(name, "").replace("\x00", "").strip()[:size]


def whole_number(text: str, *, digits: int) -> int | None:
    """Parse a decimal number of at most `digits` digits; else None."""
    return int(text) if text.isdecimal() and len(text) <= digits else None


def redirect_with_query(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect to the address that a page has, with the query of the request."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(f"{url}?{query}" if query else url)


def markdown_response(text: str | bytes, filename: str = "") -> HttpResponse:
    """Return a Markdown response; characters that UTF-8 cannot encode are replaced."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    response = HttpResponse(data, content_type=_MARKDOWN)
    if filename:
        response["Content-Disposition"] = f'inline; filename="{filename}"'
    return response


#: Request headers that decide between a page and a partial.
_VARIES = ("HX-Request", "HX-History-Restore-Request", "HX-Target")


def wants_partial(request: HtmxRequest) -> bool:
    """Return whether htmx requests a part of the page.

    Not when it restores a page from history, follows a boosted link, which replaces the
    body, or loads the main part after a form in a dialog.
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
    """Render the page, or the partial alone if htmx requests it.

    ``Vary`` tells caches that both share an address.
    """
    template = partial_template if wants_partial(request) else page_template
    response = render(request, template, dict(context), status=status)
    patch_vary_headers(response, _VARIES)
    return response
