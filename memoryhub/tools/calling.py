"""Calling a tool: the request is checked, and a call made twice is answered once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from memoryhub.database.durability import sync_commits
from memoryhub.database.schema import is_current, turn
from memoryhub.errors.base import RefusedBefore, ToolError
from memoryhub.errors.shape import wrong_fields
from memoryhub.formats.base import FormatError
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.gate import limited_to
from memoryhub.sync.edit.writing import file_lock
from memoryhub.tools.base import Answer, Request, Tool
from memoryhub.tools.models import ToolCall

Asked = TypeVar("Asked", bound=Request)

#: For how long a call made again with its key is the same call.
_REMEMBERED = timedelta(days=30)


def request_of(tool: Tool, fields: Mapping[str, Any]) -> Request:
    """Return a checked request.

    Raises:
        ToolError: ``request-invalid``, with each field that is wrong and why.
    """
    return checked(tool.request, tool.name, fields)


def checked(model: type[Asked], name: str, fields: Mapping[str, Any]) -> Asked:
    """Return fields as a model that what is asked of `name` must fit.

    Raises:
        ToolError: ``request-invalid``, with each field that is wrong and why.
    """
    try:
        made = model.model_validate(fields)
        # No file or answer could hold a text that is no UTF-8.
        made.model_dump_json()
    except ValidationError as error:
        raise invalid(name, error) from error
    except PydanticSerializationError as error:
        odd = [{"field": "", "message": "a text has what UTF-8 cannot say"}]
        raise ToolError("request-invalid", tool=name, fields=odd) from error
    return made


def invalid(name: str, error: ValidationError) -> ToolError:
    """Return ``request-invalid``: which fields of what `name` is asked are wrong."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    wrong = ((".".join(map(str, each["loc"])), each["msg"]) for each in found)
    return ToolError("request-invalid", tool=name, **wrong_fields(wrong))


def call(tool: Tool, caller: Caller, request: Request) -> Answer:
    """Return a tool's answer; a call whose key was answered before is not done again.

    Of the calls that write one is done after the other, but for those that only add
    to a file. What a rule refused is refused
    for good: a copy that was under way for long is not done after its sender was told
    no. What only hindered a call, such as a file that is busy, is tried again. What
    is answered survives a power cut.

    Raises:
        ToolError: ``key-reused``, the key came with another request;
            ``database-other``, the database is of another version by now;
            `RefusedBefore`, a call with the key was refused; and what
            the tool itself raises: `ToolError`, `Conflict`, `FormatError`, `FileError`.
    """
    if tool.scope_for(request) is Scope.READ:
        check_version()
        return tool.run(caller, request)
    answer = _answer_once(tool, caller, request)
    # Not in its turn: those who wait for the disk at the same time wait once.
    sync_commits()
    return answer


def _answer_once(tool: Tool, caller: Caller, request: Request) -> Answer:
    if not caller.key:
        with _turn(tool, caller):
            return tool.run(caller, request)
    with (
        file_lock(caller.workspace, f"call {caller.actor} {caller.key}"),
        _turn(tool, caller),
    ):
        made = _made(tool, caller, request)
        if made.refusal is not None:
            raise RefusedBefore(made.refusal["code"], **made.refusal["parameters"])
        if made.answer is None:
            made.answer = _done(tool, caller, request, made).model_dump(mode="json")
            made.save(update_fields=["answer"])
    return tool.answer.model_validate(made.answer)


@contextmanager
def _turn(tool: Tool, caller: Caller) -> Iterator[None]:
    """Wait for calls before this one; another version may have had its turn.

    What is done then is limited to the scopes of who calls.
    """
    with turn(together=tool.together):
        check_version()
        with limited_to(caller.scopes):
            yield


def check_version() -> None:
    """Do nothing where the database is still of this version.

    Raises:
        ToolError: ``database-other``, another program has migrated it.
    """
    if not is_current():
        raise ToolError("database-other")


def forget_calls(now: datetime) -> int:
    """Forget the calls that nobody makes again any more; return how many."""
    old = ToolCall.objects.filter(made_at__lt=now - _REMEMBERED)
    return old.delete()[0]


def was_done(key: str) -> bool:
    """Tell whether a call with this key was answered, whoever made it."""
    return ToolCall.objects.filter(key=key, answer__isnull=False).exists()


def forget_refusals(keys: Iterable[str]) -> None:
    """Let calls with these keys be made anew: what refused them may be mended."""
    ToolCall.objects.filter(key__in=list(keys), refusal__isnull=False).delete()


def _made(tool: Tool, caller: Caller, request: Request) -> ToolCall:
    sha = _sha_of(tool, request)
    name = {"workspace": caller.workspace, "caller": caller.actor, "key": caller.key}
    made = ToolCall.objects.filter(**name).first() or ToolCall.objects.create(
        **name, tool=tool.name, request_sha=sha, made_at=caller.clock()
    )
    if made.request_sha != sha:
        raise ToolError("key-reused", key=caller.key)
    return made


def _done(tool: Tool, caller: Caller, request: Request, made: ToolCall) -> Answer:
    try:
        return tool.run(caller, request)
    except (ToolError, FormatError) as error:
        said = {"code": error.code, "parameters": error.parameters}
        made.refusal = json.loads(json.dumps(said, default=str))
        made.save(update_fields=["refusal"])
        raise
    except Exception:
        made.delete()
        raise


def _sha_of(tool: Tool, request: Request) -> str:
    said = [tool.name, request.model_dump(mode="json")]
    text = json.dumps(said, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
