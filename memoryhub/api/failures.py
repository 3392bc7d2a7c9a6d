"""Errors of all layers in one response shape; headers and masks of API answers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from memoryhub import __version__
from memoryhub.database.schema import is_current
from memoryhub.errors.base import (
    BODY_TOO_LARGE,
    JSON_TOO_LARGE,
    Refusal,
    ToolError,
    wrong_fields,
)
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.models import Workspace
from memoryhub.tools.freshness import AsOf
from memoryhub.values.json_bounds import JsonTooLarge
from memoryhub.web.kit.labels import problem_text
from memoryhub.web.kit.refusals import (
    REFUSED,
    json_refusal,
    refusal_of,
    refusal_or_none,
)

_JSON_INVALID = Refusal("json-invalid", "the body is not valid JSON", 400)
#: Paths whose response does not depend on the database.
_DOCS = "/api/v1/docs"
#: Names of addresses that answer with a file byte for byte.
_EXACT = frozenset({"document", "document_replace"})
_OF_THE_PROGRAM = frozenset({"/api/v1/openapi.json", _DOCS})


def register_handlers(api: NinjaAPI) -> None:
    """Register handlers that answer operations' errors in the common shape."""
    for kind in (*REFUSED, DatabaseError, sqlite3.Error, OSError):
        api.add_exception_handler(kind, _on_refusal)
    api.add_exception_handler(ValidationError, _on_invalid)
    api.add_exception_handler(HttpError, _on_unreadable)
    api.add_exception_handler(
        RequestDataTooBig, lambda *_: json_refusal(BODY_TOO_LARGE)
    )


def _on_refusal(request: HttpRequest, error: Any) -> HttpResponse:
    refusal = refusal_or_none(error)
    if refusal is None:
        raise error
    return json_refusal(refusal)


def _on_unreadable(request: HttpRequest, error: Any) -> HttpResponse:
    too_large = isinstance(error.__cause__, JsonTooLarge)
    return json_refusal(JSON_TOO_LARGE if too_large else _JSON_INVALID)


def _on_invalid(request: HttpRequest, error: Any) -> HttpResponse:
    wrong = ((_field(*found["loc"]), found["msg"]) for found in error.errors)
    details = wrong_fields(wrong)
    return json_refusal(
        Refusal("request-invalid", "the request is not valid", 422, details)
    )


def _field(source: str, name: str = "", *inner: str | int) -> str:
    """Return a field's name without its place in the HTTP request."""
    return ".".join(map(str, inner if source == "body" else (name, *inner)))


def one_version(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: refuse requests while the database is of another version."""

    def middleware(request: HttpRequest) -> HttpResponse:
        # If the database fails, later layers answer better, such as the health check.
        with suppress(DatabaseError):
            if not (request.path_info in _OF_THE_PROGRAM or is_current()):
                return unavailable(request, refusal_of(ToolError("database-other")))
        return get_response(request)

    return middleware


def unavailable(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Answer 503 with the cause: JSON for programs, else a page without queries."""
    for_programs = json_refusal(refusal)
    if request.path_info.startswith("/api/"):
        return for_programs
    reason = problem_text(refusal.code, {})
    page = get_template("503.html").render({"reason": reason})
    headers = {"Retry-After": for_programs["Retry-After"]}
    return HttpResponse(page, status=refusal.status, headers=headers)


def dated(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that adds the time of the data to answers of the API."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        when: AsOf | None = getattr(request, "as_of", None)
        if when is not None and response.status_code < 400:
            response["MemoryHub-Seq"] = str(when.seq)
            response["MemoryHub-Version"] = __version__
            response["MemoryHub-As-Of"] = when.time or "never"
            if when.newer:
                newer = when.as_json()["newer"]
                response["MemoryHub-Stale"] = ", ".join(map(quote, newer))
        return response

    return middleware


def masked_answers(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that masks secrets in answers of REST and A2A.

    Except in documents, which are files byte for byte. Tools mask their own answers.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        match = request.resolver_match
        slug = match.kwargs.get("slug") if match else None
        is_json = response.get("Content-Type", "").startswith("application/json")
        if not (slug and is_json and request.path_info.startswith("/api/")):
            return response
        assert match is not None
        name = match.url_name or ""
        is_masked = name.startswith("tool-") and response.status_code < 400
        if is_masked or name in _EXACT:
            return response
        # One that is not there takes as many queries as one that is not the caller's.
        workspace = Workspace.objects.filter(slug=slug).first() or Workspace(pk=0)
        said = json.loads(response.content)
        shown = masked_for_agents(workspace, said)
        if shown is not said:
            response.content = json.dumps(shown)
        return response

    return middleware


def one_error_shape(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: give Django's own errors below ``/api/`` the common shape."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = not response.get("Content-Type", "").startswith("application/json")
        is_for_people = request.path_info == _DOCS and response.status_code == 401
        if response.status_code < 400 or is_for_people:
            return response
        if not request.path_info.startswith("/api/"):
            return response
        return _shaped(response) if is_page else response

    return middleware


def _shaped(page: HttpResponse) -> HttpResponse:
    status = HTTPStatus(page.status_code)
    code = status.phrase.lower().replace(" ", "-")
    response = json_refusal(
        Refusal(code, status.description or status.phrase, status.value)
    )
    if "Allow" in page:
        response["Allow"] = page["Allow"]
    return response
