"""What an agent can ask of the hub: a tool with a typed request and a typed answer.

A tool is a function of a caller and a request. The command line, REST and MCP are
made from these alone, so each tool is the same behind all three.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Annotated, Any, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from memoryhub.errors.base import RefusedBefore as RefusedBefore
from memoryhub.errors.base import ToolError as ToolError
from memoryhub.formats.text.free_text import without_blocks
from memoryhub.journal.scopes import Scope as Scope
from memoryhub.people.callers import Caller as Caller

#: An item of a list that a request holds.
Item = Annotated[str, StringConstraints(max_length=10_000)]
#: Lines that are put into a memory file: none of them opens a block there.
FreeText = Annotated[str, AfterValidator(without_blocks)]


class Request(BaseModel):
    """What a tool is asked. Unknown fields are refused, so that a typo is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(BaseModel):
    """What a tool gives back: fields for programs, and a text for models and people."""

    model_config = ConfigDict(frozen=True)

    def as_text(self) -> str:
        """Return the answer as a model reads it; JSON where there is no better form."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class Tool:
    """A thing that agents can ask for; `description` tells a model when to."""

    name: str
    title: str
    description: str
    scope: Scope
    request: type[Request]
    answer: type[Answer]
    run: Callable[[Caller, Any], Answer]
    #: It can take away or overwrite what somebody wrote.
    destructive: bool = False
    #: Tells which requests only read, of a tool that can write too.
    reading: Callable[[Any], bool] | None = None
    #: It needs no more than the lock of the one file that it adds to, so that calls of
    #: such tools are done at the same time.
    together: bool = False

    @property
    def reads_only(self) -> bool:
        return self.scope is Scope.READ

    def scope_for(self, request: Request) -> Scope:
        """Return what a token must allow for this request."""
        reads = self.reading is not None and self.reading(request)
        return Scope.READ if reads else self.scope


def tool(
    title: str,
    scope: Scope,
    *,
    destructive: bool = False,
    reading: Callable[[Any], bool] | None = None,
    together: bool = False,
) -> Callable[[Callable[[Caller, Any], Answer]], Tool]:
    """Make a tool of a function: its name, types and docstring are the tool's."""

    def made(run: Callable[[Caller, Any], Answer]) -> Tool:
        hints = get_type_hints(run)
        answer = hints.pop("return")
        request = hints["request"]
        description = cleandoc(run.__doc__ or "")
        return Tool(
            name=run.__name__,
            title=title,
            description=description,
            scope=scope,
            request=request,
            answer=answer,
            run=run,
            destructive=destructive,
            reading=reading,
            together=together,
        )

    return made
