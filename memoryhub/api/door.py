"""Authentication of the API, and protection against cross-site requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Header
from ninja.errors import ValidationError
from ninja.parser import Parser

from memoryhub.errors.base import ToolError
from memoryhub.handoffs.services.leases import note_call
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access, access_of
from memoryhub.people.callers import Caller
from memoryhub.tools.freshness import AsOf, as_of, read_newer
from memoryhub.values.json_bounds import strict_json
from memoryhub.web.kit.refusals import json_refusal, refusal_of

View = Callable[..., HttpResponse]
#: Header names of operations.
KEY_HEADER, SESSION_HEADER = "Idempotency-Key", "MemoryHub-Session"
KEY = "A call made again with the same key is done once"
SESSION = "The key of the agent's session"
#: Longest accepted name or key; no stored one is longer.
NAME_LENGTH = 200


Session = Annotated[
    str, Header(alias=SESSION_HEADER, max_length=NAME_LENGTH, description=SESSION)
]


class ApiRequest(HttpRequest):
    """Type of a request in operations, for annotations only."""

    auth: Access
    as_of: AsOf


class Token:
    """Authentication by token; a browser's sign-in does not count."""

    openapi_security_schema = {"type": "http", "scheme": "bearer"}

    def __call__(self, request: HttpRequest) -> Access:
        """Return the access of a request.

        Raises:
            ToolError: ``token-missing``, ``token-invalid``, ``agent-invalid``; or
                ``json-expected``: forms of web pages cannot send JSON.
        """
        access = access_of(request.META.get("REMOTE_ADDR", ""), request.headers)
        if request.method != "GET" and request.content_type != "application/json":
            raise ToolError("json-expected")
        return access


def described_to_the_known(describe: View) -> View:
    """Restrict the view of the API's description to signed-in or token requests."""

    @wraps(describe)
    def view(request: HttpRequest, *named: Any, **also: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            try:
                access_of(request.META.get("REMOTE_ADDR", ""), request.headers)
            except ToolError as error:
                return json_refusal(refusal_of(error))
        return describe(request, *named, **also)

    return view


def without_unknown_parameters(operation: View) -> View:
    """Refuse query parameters for an operation that has none.

    Those of operations with parameters are checked by `CheckedQuery`.
    """

    @wraps(operation)
    def view(request: HttpRequest, *named: Any, **also: Any) -> HttpResponse:
        if request.GET and "query" not in also:
            message = "Extra inputs are not permitted"
            wrong = [
                {"loc": ("query", "query", name), "msg": message}
                for name in request.GET
            ]
            raise ValidationError(wrong)
        return operation(request, *named, **also)

    return view


def caller_of(
    request: ApiRequest,
    slug: str,
    scope: Scope,
    *,
    session: str = "",
    key: str = "",
    look: bool = True,
) -> Caller:
    """Return the caller of an operation on a workspace; import newer files before.

    Without `look` nothing is imported: a tool does it, or the folder does not matter.

    Raises:
        NoSuchWorkspace: none of this name that they can reach.
        ToolError: ``scope-missing``, ``not-imported``.
    """
    session = session or request.headers.get(SESSION_HEADER, "")[:NAME_LENGTH]
    caller = request.auth.caller(slug, scope, session=session, key=key)
    read = read_newer if look and scope is Scope.READ else as_of
    request.as_of = read(caller.workspace)
    note_call(caller.workspace, caller.agent, caller.clock())
    return caller


class TextParser(Parser):
    """JSON parser that accepts only text that can be stored."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the parsed body.

        Raises:
            ValueError: nested too deep, or text that no file could hold.
            JsonTooLarge: more values than any request needs.
        """
        found: dict[str, Any] = strict_json(request.body)
        return found
