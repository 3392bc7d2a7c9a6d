"""Asking tools as an agent does: each call is its own unless the caller has a key."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from memoryhub.tools.base import Answer, Caller
from memoryhub.tools.calling import call, request_of, tool_named

_CALLS = count()


def ask(caller: Caller, name: str, /, **fields: Any) -> Any:
    """Return a tool's answer, which has a text for people too."""
    tool = tool_named(name)
    own = caller if caller.key else replace(caller, nonce=str(next(_CALLS)))
    answer = call(tool, own, request_of(tool, fields))
    assert isinstance(answer, Answer) and answer.as_text()
    return answer
