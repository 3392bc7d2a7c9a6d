"""Views of A2A: the card of an agent, and its JSON-RPC interface.

They authenticate by token, as REST does, and accept no cookie.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from memoryhub.a2a.card import PROTOCOL, card_of
from memoryhub.a2a.methods import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    VERSION,
    Peer,
    RpcError,
    answer,
    rpc_error,
)
from memoryhub.errors.base import BODY_TOO_LARGE, Refusal, ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access, access_of
from memoryhub.values.json_bounds import strict_json
from memoryhub.web.kit.refusals import json_refusal, refusal_or_none
from memoryhub.web.kit.served import absolute_for

_PARSE = -32700
#: Statuses that are answered as HTTP says, outside of JSON-RPC: who is unknown, and
#: what should be tried again. A missing scope is the other one.
_OF_HTTP = (401, 413, 503, 507)


@login_not_required
@require_GET
def card(request: HttpRequest, slug: str, agent: str) -> HttpResponse:
    """Answer the agent card; 404 if files name no such agent."""
    try:
        access = _access(request)
        caller = access.caller(slug, Scope.READ)
    except Exception as error:
        return _refused(error)
    address = absolute_for(request, request.path)
    url = address.removesuffix(".well-known/agent-card.json")
    found = card_of(caller.workspace, agent, url)
    if found is None:
        text = f"there is no agent {agent}"
        return json_refusal(Refusal("agent-unknown", text, 404))
    return JsonResponse(found)


@login_not_required
@csrf_exempt
@require_POST
def rpc(request: HttpRequest, slug: str, agent: str) -> HttpResponse:
    """Answer a JSON-RPC request; errors of the protocol have status 200."""
    number: Any = None
    try:
        peer = Peer(_access(request), slug, agent)
        body = _body(request)
        number = _id_of(body)
        result = answer(peer, *_method_of(request, body))
    except RpcError as error:
        return _failed(number, error)
    except Exception as error:
        refusal = refusal_or_none(error)
        if refusal is None or refusal.status in _OF_HTTP:
            return _refused(error)
        if refusal.code == "scope-missing":
            return _refused(error)
        return _failed(number, rpc_error(refusal))
    return JsonResponse({"jsonrpc": "2.0", "id": number, "result": result})


def _access(request: HttpRequest) -> Access:
    return access_of(request.META.get("REMOTE_ADDR", ""), request.headers)


def _body(request: HttpRequest) -> Any:
    """Return the parsed body.

    Raises:
        RpcError: not JSON.
        ToolError: ``json-expected``: forms of web pages cannot send JSON.
    """
    if request.content_type != "application/json":
        raise ToolError("json-expected")
    try:
        return strict_json(request.body)
    except ValueError as error:
        raise RpcError(_PARSE, "the body is not valid JSON") from error


def _id_of(body: Any) -> str | int | None:
    number = body.get("id") if isinstance(body, dict) else None
    return number if isinstance(number, str) or type(number) is int else None


def _method_of(request: HttpRequest, body: Any) -> tuple[str, dict[str, Any]]:
    """Return method and parameters of a request.

    Raises:
        RpcError: not JSON-RPC 2.0, or another version of A2A.
    """
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "not a request of JSON-RPC 2.0")
    method, params = body.get("method"), body.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "a method and its parameters are needed")
    version = request.headers.get("A2A-Version", "")
    if not f"{version}.".startswith(f"{PROTOCOL}."):
        text = f"the version is {PROTOCOL}, by the header A2A-Version"
        raise RpcError(VERSION, text, "VERSION_NOT_SUPPORTED", version=version[:20])
    return method, params


def _failed(number: str | int | None, error: RpcError) -> JsonResponse:
    fault: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.reason or error.details:
        about = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": error.reason,
            "domain": "memoryhub",
            "metadata": error.details,
        }
        fault["data"] = [about]
    return JsonResponse({"jsonrpc": "2.0", "id": number, "error": fault})


def _refused(error: Exception) -> JsonResponse:
    if isinstance(error, RequestDataTooBig):
        return json_refusal(BODY_TOO_LARGE)
    refusal = refusal_or_none(error)
    if refusal is None:
        raise error
    return json_refusal(refusal)
