"""Calls of tools: the caller, validation, idempotency keys, turns of writers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import Field, ValidationError
from pydantic_core import PydanticSerializationError

from memoryhub.audit.origins import current_origin, tallied
from memoryhub.audit.recording import FAILED, REFUSED, Details, record_after
from memoryhub.database.durability import sync_commits
from memoryhub.database.schema import is_current, turn
from memoryhub.disk.files import FileError
from memoryhub.errors.base import RefusedBefore, ToolError, wrong_fields
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.services.leases import note_call
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.people.services.names import checked_agent
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.gate import limited_to
from memoryhub.sync.edit.writing import file_lock
from memoryhub.tools.base import Answer, Request, Tool
from memoryhub.tools.freshness import AsOf, as_of, read_newer
from memoryhub.tools.models import ToolCall

Fields = TypeVar("Fields", bound=Request)

_REFUSALS = (ToolError, FormatError, FileError, Conflict)
_SURROGATE = re.compile("[\ud800-\udfff]")
#: How long idempotency keys and answers are stored.
_REMEMBERED = timedelta(days=30)


class CallerOptions(Request):
    """Options that identify a caller; empty ones are unset."""

    workspace: str = Field(
        default="",
        max_length=200,
        description="short name of the workspace; optional if there is only one",
    )
    agent: str = Field(
        default="", max_length=80, description="name of the calling agent"
    )
    session: str = Field(
        default="",
        max_length=500,
        description="key of the calling session, if known",
    )
    key: str = Field(
        default="",
        max_length=200,
        description="idempotency key: calls repeated with it are done once",
    )

    def or_else(self, other: CallerOptions) -> CallerOptions:
        """Return these fields, with empty ones taken from `other`."""
        names = type(self).model_fields
        return CallerOptions(
            **{n: getattr(self, n) or getattr(other, n) for n in names}
        )


def caller_of(access: Access, options: CallerOptions, scope: Scope) -> Caller:
    """Return the caller of a tool with this scope; a token's agent takes precedence.

    Raises:
        NoSuchWorkspace: no workspace of this name, or none named and several exist.
        ToolError: ``scope-missing``, ``agent-invalid``.
    """
    if options.agent and not access.agent:
        access = replace(access, agent=checked_agent(options.agent))
    slug = options.workspace
    if not slug:
        known = [workspace.slug for workspace in access.workspaces()]
        if len(known) != 1:
            raise NoSuchWorkspace(None, known)
        (slug,) = known
    return access.caller(slug, scope, session=options.session, key=options.key)


def request_of(tool: Tool, fields: Mapping[str, Any]) -> Request:
    """Return a validated request.

    Raises:
        ToolError: ``request-invalid``, with each field that is wrong and why.
    """
    return checked(tool.request, tool.name, fields)


def checked(model: type[Fields], name: str, fields: Mapping[str, Any]) -> Fields:
    """Validate fields against a model; `name` identifies it in errors.

    Raises:
        ToolError: ``request-invalid``, with each field that is wrong and why.
    """
    try:
        made = model.model_validate(fields)
        # Refuse text that cannot be encoded as UTF-8: no file or answer could hold it.
        made.model_dump_json()
    except ValidationError as error:
        raise invalid(name, error, model.lacking(fields)) from error
    except PydanticSerializationError as error:
        message = "has half of a character, which UTF-8 cannot encode"
        odd = [{"field": field, "message": message} for field in _unencodable(fields)]
        raise ToolError("request-invalid", tool=name, fields=odd) from error
    return made


def _unencodable(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of fields with a text that cannot be encoded as UTF-8."""
    return [field for field, value in fields.items() if _has_surrogate(value)]


def _has_surrogate(value: object) -> bool:
    return bool(_SURROGATE.search(json.dumps(value, ensure_ascii=False, default=repr)))


def invalid(
    name: str, error: ValidationError, lacking: Iterable[str] = ()
) -> ToolError:
    """Return ``request-invalid`` for `name`, with the invalid fields.

    `lacking`: needed fields that were left out, see `Request.lacking`.
    """
    found = error.errors(include_url=False, include_context=False, include_input=False)
    wrong = [(".".join(map(str, each["loc"])), each["msg"]) for each in found]
    wrong += [(field, "Field required") for field in lacking]
    return ToolError("request-invalid", tool=name, **wrong_fields(wrong))


def call(tool: Tool, caller: Caller, request: Request) -> Answer:
    """Run a tool and return its answer; idempotent by the caller's key.

    Writing calls run one after another, except those of tools that run `together`. A
    refusal by a rule is final for its key: a delayed copy is not done after its sender
    was refused. A call that was only hindered, such as by a busy file, can be retried.
    Answers survive a power cut.

    Raises:
        ToolError: ``key-reused``, the key came with another request;
            ``database-other``, the database is of another version by now;
            `RefusedBefore`, a call with the key was refused.
        ToolError, Conflict, FormatError, FileError: raised by the tool itself.
    """
    if tool.scope_for(request) is Scope.READ:
        return dated_call(tool, caller, request)[0]
    return _written(tool, caller, request)


def dated_call(tool: Tool, caller: Caller, request: Request) -> tuple[Answer, AsOf]:
    """Return a tool's answer as `call` does, and as of when it is.

    What only reads, reads newer files before.
    """
    if tool.scope_for(request) is Scope.READ:
        check_version()
        is_stored = tool.stored is not None and tool.stored(request)
        look = as_of if is_stored else read_newer
        when = look(caller.workspace)
        note_call(caller.workspace, caller.agent, caller.clock())
        current_origin().reads = True
        return _shown(tool, caller, tool.run(caller, request)), when
    return _written(tool, caller, request), as_of(caller.workspace)


def _written(tool: Tool, caller: Caller, request: Request) -> Answer:
    """Return the answer of a call that may write."""
    check_version()
    # Before the call, which may begin a lease: only a later one renews it.
    note_call(caller.workspace, caller.agent, caller.clock())
    with _audited(tool, caller):
        try:
            answer = _answer_once(tool, caller, request)
        except Conflict as error:
            error.base, error.current = masked_for_agents(
                caller.workspace, [error.base, error.current]
            )
            raise
    # Outside the turn, so that concurrent callers share one sync to disk.
    sync_commits()
    return _shown(tool, caller, answer)


def _shown(tool: Tool, caller: Caller, answer: Answer) -> Answer:
    """Return an answer as agents are given it, without secrets of files."""
    if answer.echoes:
        return answer
    fields = answer.model_dump(mode="json")
    shown = masked_for_agents(caller.workspace, fields)
    return answer if shown is fields else tool.answer.model_validate(shown)


@contextmanager
def _audited(tool: Tool, caller: Caller) -> Iterator[None]:
    """Record a call that leaves no entry by its operations, or that is refused."""
    fields = Details(workspace=caller.workspace.slug, actor=caller.actor)
    action = f"tool.{tool.name}"
    with tallied() as origin:
        try:
            yield
        except Exception as error:
            outcome = REFUSED if isinstance(error, _REFUSALS) else FAILED
            detail = getattr(error, "code", type(error).__name__)
            record_after(action, **fields | {"outcome": outcome, "detail": detail})
            raise
        if not origin.entries:
            record_after(action, **fields)


def _answer_once(tool: Tool, caller: Caller, request: Request) -> Answer:
    if not caller.key:
        with _turn(tool, caller):
            return tool.run(caller, request)
    with (
        file_lock(caller.workspace, f"call {caller.actor} {caller.key}"),
        _turn(tool, caller),
    ):
        sha = _sha_of(tool, request)
        answer = _answered(caller, sha)
        if answer is None:
            try:
                answer = tool.run(caller, request).model_dump(mode="json")
            except (ToolError, FormatError) as error:
                refusal = {"code": error.code, "parameters": error.parameters}
                refused = json.loads(json.dumps(refusal, default=str))
                _keep(tool, caller, sha, refusal=refused)
                raise
            _keep(tool, caller, sha, answer=answer)
    return tool.answer.model_validate(answer)


@contextmanager
def _turn(tool: Tool, caller: Caller) -> Iterator[None]:
    """Wait for the turn of this call and check the database version again.

    Effects are limited to the caller's scopes.
    """
    with turn(together=tool.together):
        check_version()
        with limited_to(caller.scopes):
            yield


def check_version() -> None:
    """Check that the database is still of this program's version.

    Raises:
        ToolError: ``database-other``, another program has migrated it.
    """
    if not is_current():
        raise ToolError("database-other")


def forget_calls(now: datetime) -> int:
    """Delete stored calls past their retention; return how many."""
    old = ToolCall.objects.filter(made_at__lt=now - _REMEMBERED)
    return old.delete()[0]


def was_done(key: str) -> bool:
    """Return whether a call with this key was answered, by any caller."""
    return ToolCall.objects.filter(key=key, answer__isnull=False).exists()


def forget_refusals(keys: Iterable[str]) -> None:
    """Delete refusals with these keys: their cause may be gone, a retry is run."""
    ToolCall.objects.filter(key__in=list(keys), refusal__isnull=False).delete()


def _sha_of(tool: Tool, request: Request) -> str:
    whole = json.dumps([tool.name, request.model_dump(mode="json")], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _answered(caller: Caller, sha: str) -> Any:
    """Return the stored answer to the caller's key; None if it has none yet.

    Raises:
        ToolError: ``key-reused``; `RefusedBefore`, the call was refused.
    """
    for made in _CALLS(caller.workspace.pk, caller.actor, caller.key):
        if made.request_sha != sha:
            raise ToolError("key-reused", key=caller.key)
        if made.refusal is not None:
            raise RefusedBefore(made.refusal["code"], **made.refusal["parameters"])
        if made.answer is not None:
            return made.answer
        # An older version stored calls before they were answered.
        made.delete()
    return None


def _keep(tool: Tool, caller: Caller, sha: str, **said: Any) -> None:
    """Store a call with its answer or refusal."""
    ToolCall.objects.create(
        workspace_id=caller.workspace.pk,
        key=caller.key,
        caller=caller.actor,
        tool=tool.name,
        request_sha=sha,
        made_at=caller.clock(),
        **said,
    )


_CALLS = Prepared(
    lambda workspace_id, caller, key: ToolCall.objects.filter(
        workspace_id=workspace_id, caller=caller, key=key
    ),
    int,
    str,
    str,
)
