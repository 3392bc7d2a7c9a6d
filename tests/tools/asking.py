"""Asking a tool as an interface does: the fields are checked, then it is called."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named


def asked(caller: Caller, name: str, /, **fields: Any) -> Any:
    """Return what a tool answers; each call is one of its own, as for interfaces."""
    tool = tool_named(name)
    once = replace(caller, nonce=uuid.uuid4().hex)
    return call(tool, once, request_of(tool, fields))


def given(caller: Caller, name: str, /, **fields: Any) -> dict[str, Any]:
    """Return the fields of what a tool answers."""
    told: dict[str, Any] = asked(caller, name, **fields).model_dump(mode="json")
    return told
