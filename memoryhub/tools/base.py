"""Base of tools: a function with a typed request and a typed answer.

The command line, REST and MCP are generated from tools alone, so each behaves the same
behind all three.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Annotated, Any, ClassVar, Self, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from memoryhub.errors.base import RefusedBefore as RefusedBefore
from memoryhub.errors.base import ToolError as ToolError
from memoryhub.formats.text.line_edits import without_blocks
from memoryhub.journal.grades import Asked
from memoryhub.journal.scopes import Scope as Scope
from memoryhub.people.callers import Caller as Caller

#: List item in a request.
Item = Annotated[str, StringConstraints(max_length=10_000)]
#: Filters of a list of statements.
OfGrade = Annotated[
    Asked,
    Field(description="suggested: found by words, accepted by nobody"),
]
LeastConfidence = Annotated[
    float, Field(ge=0, le=1, description="Only of at least this confidence")
]
#: Text for a memory file, with handoff blocks defused.
FreeText = Annotated[str, AfterValidator(without_blocks)]


class Request(BaseModel):
    """Base of requests. Unknown fields are refused, so that a typo is noticed.

    `needed` are fields that may only be left out if the field `instead` is given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    needed: ClassVar[tuple[str, ...]] = ()
    instead: ClassVar[str] = ""

    @classmethod
    def lacking(cls, fields: Mapping[str, Any]) -> list[str]:
        """Return the needed fields that a call leaves out or leaves empty."""
        if fields.get(cls.instead):
            return []
        return [name for name in cls.needed if fields.get(name) in (None, "")]


class Answer(BaseModel):
    """Base of answers: fields for programs, and a text for models and people.

    One that `echoes` gives the caller's own text back: nothing in it is masked.
    """

    model_config = ConfigDict(frozen=True)

    echoes: ClassVar[bool] = False

    @classmethod
    def of(cls, source: object, **others: Any) -> Self:
        """Return an answer with the attributes of `source`, and `others` given here."""
        names = cls.model_fields.keys() - others.keys()
        return cls(**{name: getattr(source, name) for name in names}, **others)

    def as_text(self) -> str:
        """Return the answer as text for a model; by default its fields as JSON."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2)

    def as_file(self) -> str | None:
        """Return the exact text of the file that was asked for; None for an answer."""
        return None


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that agents can call; a model chooses it by `description`."""

    name: str
    title: str
    description: str
    scope: Scope
    request: type[Request]
    answer: type[Answer]
    run: Callable[[Caller, Any], Answer]
    #: Can remove or overwrite existing text.
    destructive: bool = False
    #: True for requests that only read, of a tool that can also write.
    reading: Callable[[Any], bool] | None = None
    #: Decides under a lock of its own, of the file it appends to or of the lane of
    #: handoffs, so that calls of such tools run concurrently.
    together: bool = False
    #: True for requests answered without imported files: newer ones are not imported
    #: before.
    stored: Callable[[Any], bool] | None = None

    @property
    def reads_only(self) -> bool:
        return self.scope is Scope.READ

    def scope_for(self, request: Request) -> Scope:
        """Return the scope that a token needs for this request."""
        reads = self.reading is not None and self.reading(request)
        return Scope.READ if reads else self.scope


def tool(
    title: str,
    scope: Scope,
    *,
    destructive: bool = False,
    reading: Callable[[Any], bool] | None = None,
    together: bool = False,
    stored: Callable[[Any], bool] | None = None,
) -> Callable[[Callable[[Caller, Any], Answer]], Tool]:
    """Make a tool of a function: takes its name, types and docstring."""

    def made(run: Callable[[Caller, Any], Answer]) -> Tool:
        hints = get_type_hints(run)
        return Tool(
            name=run.__name__,
            title=title,
            description=cleandoc(run.__doc__ or ""),
            scope=scope,
            request=hints["request"],
            answer=hints["return"],
            run=run,
            destructive=destructive,
            reading=reading,
            together=together,
            stored=stored,
        )

    return made
