"""Methods of A2A's JSON-RPC interface, carried out by the handoff tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import AwareDatetime, Field, ValidationError

from memoryhub.a2a.tasks import STATES, UNSIGNED, Message, Params, state_of, task_of
from memoryhub.errors.base import Refusal
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, found, listing, median_leads
from memoryhub.handoffs.rules.acting import BLOCKED, DECISION, OPEN
from memoryhub.handoffs.services.leases import note_call
from memoryhub.handoffs.services.sending import look_up
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.freshness import read_newer
from memoryhub.tools.quoting import refuse_private
from memoryhub.tools.registry import TOOLS
from memoryhub.values.cursors import decode_time_key, encode_cursor

#: Error codes of JSON-RPC and of A2A.
INVALID_REQUEST, METHOD_UNKNOWN, INVALID_PARAMS = -32600, -32601, -32602
NOT_FOUND, NOT_CANCELABLE, NO_PUSH, UNSUPPORTED = -32001, -32002, -32003, -32004
CONTENT, NO_EXTENDED_CARD, VERSION = -32005, -32007, -32009

_PUSH = "TaskPushNotificationConfig"
#: Methods of the protocol that the hub does not offer, with their error codes.
_NOT_OFFERED = {
    "SendStreamingMessage": UNSUPPORTED,
    "SubscribeToTask": UNSUPPORTED,
    f"Create{_PUSH}": NO_PUSH,
    f"Get{_PUSH}": NO_PUSH,
    f"List{_PUSH}s": NO_PUSH,
    f"Delete{_PUSH}": NO_PUSH,
    "GetExtendedAgentCard": NO_EXTENDED_CARD,
}
#: States in which a message of the sender changes the task.
_CHANGED_IN = (OPEN, BLOCKED)

Model = TypeVar("Model", bound=Params)


class RpcError(Exception):
    """An error of JSON-RPC: code, message, and a reason for programs."""

    def __init__(
        self, code: int, message: str, reason: str = "", **details: Any
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason
        self.details = details


@dataclass(frozen=True, slots=True)
class Peer:
    """Whose tasks a client asks for: an agent of a workspace."""

    access: Access
    slug: str
    agent: str

    def caller(self, scope: Scope, key: str = "") -> Caller:
        """Return the client as a caller of tools.

        Raises:
            NoSuchWorkspace: none of this name that it can reach.
            ToolError: ``scope-missing``.
        """
        return self.access.caller(self.slug, scope, key=key)

    def reader(self) -> Caller:
        """Return the client as a reader; newer files are imported before."""
        caller = self.caller(Scope.READ)
        read_newer(caller.workspace)
        note_call(caller.workspace, caller.agent, caller.clock())
        return caller

    def handoff(self, caller: Caller, name: str) -> Handoff:
        """Return a handoff to the agent.

        Raises:
            RpcError: there is none of this name.
        """
        with suppress(FormatError):
            handoff = look_up(caller.workspace, name)
            refuse_private(caller, handoff.file.path)
            own = Filters(recipient=self.agent, ids=(handoff.pk,))
            if listing([caller.workspace], own, caller.now()).cards:
                return handoff
        raise RpcError(NOT_FOUND, "there is no such task", "TASK_NOT_FOUND", id=name)


def answer(peer: Peer, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a method.

    Raises:
        RpcError: the method is unknown or not offered, or its parameters are invalid.
        NoSuchWorkspace, ToolError, FormatError, FileError: as the tools raise them.
    """
    if code := _NOT_OFFERED.get(method):
        raise RpcError(code, f"{method} is not offered: poll GetTask")
    if method not in _METHODS:
        raise RpcError(METHOD_UNKNOWN, f"there is no method {method[:100]}")
    return _METHODS[method](peer, params)


def rpc_error(refusal: Refusal) -> RpcError:
    """Return a refusal of the hub as an error of the protocol."""
    code = {404: NOT_FOUND, 400: INVALID_PARAMS, 422: INVALID_PARAMS}
    found = code.get(refusal.status, UNSUPPORTED)
    return RpcError(found, refusal.message, refusal.code, **refusal.details)


class SendParams(Params):
    """Parameters of SendMessage; its configuration is ignored.

    `metadata` of the request and of the message mean the same; the message's go first.
    """

    message: Message
    metadata: dict[str, Any] = {}


class GetParams(Params):
    """Parameters of GetTask and CancelTask."""

    id: str = Field(min_length=1, max_length=100)
    history_length: int | None = None


class ListParams(Params):
    """Parameters of ListTasks."""

    context_id: str = Field("", max_length=100)
    status: str = ""
    page_size: int = Field(50, ge=1, le=100)
    page_token: str = Field("", max_length=500)
    status_timestamp_after: AwareDatetime | None = None
    include_artifacts: bool = False


def _checked(model: type[Model], params: Mapping[str, Any]) -> Model:
    try:
        return model.model_validate(params)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[:20]
        fields = [
            {"field": ".".join(map(str, e["loc"])), "message": e["msg"]} for e in wrong
        ]
        text = "the parameters are not valid"
        raise RpcError(INVALID_PARAMS, text, fields=fields) from error


def _send(peer: Peer, params: Mapping[str, Any]) -> dict[str, Any]:
    asked = _checked(SendParams, params)
    message = asked.message
    try:
        text = message.text
    except ValueError as error:
        raise RpcError(CONTENT, str(error)) from error
    caller = peer.caller(Scope.HANDOFF, message.message_id)
    if message.task_id:
        return {"task": _continued(peer, caller, message.task_id, text)}
    sent = _call("handoff_send", caller, message.terms(peer.agent, asked.metadata))
    return {"task": task_of(look_up(caller.workspace, sent.code))}


def _continued(peer: Peer, caller: Caller, name: str, text: str) -> dict[str, Any]:
    """Add a message to the input of a task that is open or waits for one."""
    handoff = peer.handoff(caller, name)
    if handoff.state not in _CHANGED_IN:
        raise RpcError(
            UNSUPPORTED,
            f"the task is {handoff.state}: send a new one",
            state=state_of(handoff),
        )
    fields = {"action": "revise", "input": f"{handoff.input}\n\n{text}"}
    _call("handoff_update", caller, {"task_id": handoff.code, **fields})
    return task_of(look_up(caller.workspace, handoff.code))


def _call(name: str, caller: Caller, fields: Mapping[str, Any]) -> Any:
    tool = TOOLS[name]
    return call(tool, caller, request_of(tool, fields))


def _get(peer: Peer, params: Mapping[str, Any]) -> dict[str, Any]:
    asked = _checked(GetParams, params)
    task = task_of(peer.handoff(peer.reader(), asked.id))
    return task if asked.history_length != 0 else task | {"history": []}


def _cancel(peer: Peer, params: Mapping[str, Any]) -> dict[str, Any]:
    asked = _checked(GetParams, params)
    caller = peer.caller(Scope.HANDOFF)
    handoff = peer.handoff(caller, asked.id)
    fields = {"task_id": handoff.code, "action": "withdraw"}
    try:
        _call("handoff_update", caller, fields)
    except FormatError as error:
        raise RpcError(
            NOT_CANCELABLE,
            "the task cannot be canceled",
            error.code,
            **error.parameters,
        ) from error
    return task_of(look_up(caller.workspace, handoff.code))


def _list(peer: Peer, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the agent's tasks, newest first; equal times by id."""
    asked = _checked(ListParams, params)
    caller = peer.reader()
    here, now = [caller.workspace], caller.now()
    filters = _filters(peer, caller, asked)
    try:
        after = decode_time_key(asked.page_token) if asked.page_token else None
    except ValueError as error:
        raise RpcError(INVALID_PARAMS, "that is no pageToken") from error
    page = listing(here, filters, now, after=after, limit=asked.page_size)
    tasks = [
        task_of(card) for card in page.cards if asked.status in ("", state_of(card))
    ]
    if not asked.include_artifacts:
        tasks = [task | {"artifacts": []} for task in tasks]
    leads = median_leads(here)
    return {
        "tasks": tasks,
        "nextPageToken": encode_cursor(*page.next) if page.next else "",
        "pageSize": len(tasks),
        "totalSize": found(here, filters, leads, now).count(),
    }


def _filters(peer: Peer, caller: Caller, asked: ListParams) -> Filters:
    """Return the filters of a list. Decisions to sign off are in two states' lists.

    Raises:
        RpcError: an unknown state.
    """
    unsigned = asked.status == UNSIGNED
    states = {name: state for state, name in STATES.items()} | {UNSIGNED: "", "": ""}
    if asked.status not in states:
        raise RpcError(INVALID_PARAMS, f"there is no state {asked.status[:50]}")
    return Filters(
        without_file="" if caller.private else PRIVATE,
        recipient=peer.agent,
        state=states[asked.status],
        type=DECISION if unsigned else "",
        for_person=unsigned,
        parent=asked.context_id,
        since=asked.status_timestamp_after,
    )


_METHODS: Mapping[str, Callable[[Peer, Mapping[str, Any]], dict[str, Any]]] = {
    "SendMessage": _send,
    "GetTask": _get,
    "ListTasks": _list,
    "CancelTask": _cancel,
}
