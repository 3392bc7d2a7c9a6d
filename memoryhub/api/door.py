"""The door of the API: who asks, and whether the request is one a page cannot forge."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Header
from ninja.parser import Parser

from memoryhub.api.shapes import refused
from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access, access_of
from memoryhub.people.callers import Caller
from memoryhub.values.json_bounds import check_size
from memoryhub.web.kit.refusals import refusal_of

View = Callable[..., HttpResponse]
#: Names of headers that operations take.
KEY_HEADER, SESSION_HEADER = "Idempotency-Key", "MemoryHub-Session"
KEY = "A call made again with the same key is done once"
SESSION = "The key of the agent's session"
#: More than any name or key that the database keeps.
NAME_LENGTH = 200


Session = Annotated[
    str, Header(alias=SESSION_HEADER, max_length=NAME_LENGTH, description=SESSION)
]


class ApiRequest(HttpRequest):
    """A request as operations get it, for annotations only."""

    auth: Access


class Token:
    """Lets requests in by a token; a browser's sign-in is none here."""

    openapi_security_schema = {"type": "http", "scheme": "bearer"}

    def __call__(self, request: HttpRequest) -> Access:
        """Return who asks.

        Raises:
            ToolError: ``token-missing``, ``token-invalid``, ``agent-invalid``; or
                ``json-expected``, which forms of web pages cannot send.
        """
        access = access_of(request.META.get("REMOTE_ADDR", ""), request.headers)
        if request.method != "GET" and request.content_type != "application/json":
            raise ToolError("json-expected")
        return access


def described_to_the_known(describe: View) -> View:
    """Return a view of the API's description for who has a token or is signed in."""

    @wraps(describe)
    def view(request: HttpRequest, *named: Any, **also: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            try:
                access_of(request.META.get("REMOTE_ADDR", ""), request.headers)
            except ToolError as error:
                return refused(refusal_of(error))
        return describe(request, *named, **also)

    return view


def caller_of(
    request: ApiRequest, slug: str, scope: Scope, *, session: str = "", key: str = ""
) -> Caller:
    """Return who asks this of a workspace.

    Raises:
        NoSuchWorkspace: there is none of this name for them.
        ToolError: ``scope-missing``.
    """
    session = session or request.headers.get(SESSION_HEADER, "")[:NAME_LENGTH]
    return request.auth.caller(slug, scope, session=session, key=key)


class TextParser(Parser):
    """Reads JSON whose texts can be kept and written."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body.

        Raises:
            ValueError: it is nested too deep, or no file could hold a text of it.
            JsonTooLarge: it holds more than anybody asks for.
        """
        check_size(request.body)
        try:
            found: dict[str, Any] = json.loads(request.body, parse_float=_number)
            # An escaped lone surrogate is JSON, but no character.
            json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        return found


def _number(text: str) -> float:
    """Return a number; JSON Schema takes 1.0 for a whole one."""
    number = float(text)
    return int(number) if number.is_integer() else number
