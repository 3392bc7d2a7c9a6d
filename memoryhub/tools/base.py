"""What an agent can ask of the hub: a tool with a typed request and a typed answer.

A tool is a function of a caller and a request. The command line, REST and MCP are
made from these alone, so each tool is the same behind all three.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from inspect import cleandoc
from typing import Annotated, Any, get_type_hints
from zoneinfo import ZoneInfo

from django.utils import timezone
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from memoryhub.formats.free_text import without_blocks
from memoryhub.formats.session_key import is_shared
from memoryhub.scopes import ALL_SCOPES
from memoryhub.scopes import Scope as Scope
from memoryhub.workspaces.models import Workspace

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
class Caller:
    """Who asks, of which workspace, and when.

    `actor` is the name that the journal keeps. `agent` is empty where the caller is
    no agent of the workspace. Two calls of one `key` are one call, made twice; without
    a key every call is its own. One that is `bound` has a token: it reaches no other
    workspace. What it may do is in `scopes`. One that is `shared` has a token for
    sessions of groups. A `person` asks by the browser that they signed in, no program.
    """

    workspace: Workspace
    actor: str
    agent: str = ""
    session: str = ""
    key: str = ""
    clock: Callable[[], datetime] = timezone.now
    nonce: str = field(default_factory=lambda: uuid.uuid4().hex)
    bound: bool = False
    person: bool = False
    scopes: frozenset[Scope] = ALL_SCOPES
    shared: bool = False

    @property
    def private(self) -> bool:
        """Whether it may be given what is for private sessions alone.

        A token for shared sessions is never; of others the session they name decides.
        """
        return not (self.shared or is_shared(self.session))

    @property
    def name(self) -> str:
        """Who it is to others: the agent, or the actor that is none."""
        return self.agent or self.actor

    def now(self) -> datetime:
        """Return the time of the call in the workspace's zone."""
        return self.clock().astimezone(ZoneInfo(self.workspace.time_zone))

    def today(self) -> date:
        """Return the workspace's day."""
        return self.now().date()

    def operation_key(self, part: str = "") -> str:
        """Return the key of an operation of this call: the same when made again."""
        seed = f"{self.actor}\n{self.key or self.nonce}\n{part}"
        return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class ToolError(Exception):
    """A tool cannot do what it is asked: a code, and what it speaks of."""

    def __init__(self, code: str, **parameters: Any) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters


class RefusedBefore(ToolError):
    """The first call with this key was refused, for this reason: so is each again."""


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
        )

    return made
