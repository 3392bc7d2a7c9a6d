"""Tools for suggestions: what words say, until a person accepts or dismisses it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.formats.snap_memory.injection import quoted
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from snapshots.queries.suggestions import Among, suggestions
from snapshots.services.judging import judge
from topics.services.topics import Author


class SuggestionsRequest(Request):
    """Which suggestions."""

    kind: Literal["", "decision", "directive", "item"] = Field(
        "", description="Only of this kind"
    )
    limit: int = Field(20, ge=1, le=500, description="How many at most")


class SuggestionListed(Answer):
    """A suggestion; `mark` names it in suggestion_judge."""

    mark: str
    kind: str
    text: str
    grade: str
    confidence: float
    why: str = Field(description="The words and forms that weighed most")
    source: str = Field(description="The place that says it, as path:line")


class SuggestionList(Answer):
    """Suggestions by kind, newest first, and the number of all."""

    total: int
    suggestions: list[SuggestionListed]

    def as_text(self) -> str:
        """Return a quoted line per suggestion, with its mark."""
        if not self.suggestions:
            return "There are no suggestions."
        lines = (f"- {o.text} ({o.source}) [{o.mark}]" for o in self.suggestions)
        return quoted("\n".join(lines))


@tool("What words suggest, and nobody accepted", Scope.READ)
def suggestion_list(caller: Caller, request: SuggestionsRequest) -> SuggestionList:
    """List suggested decisions, directives and open items.

    They were found by the words of a text, not by its form, and may be wrong: they are
    in no number and no other list unless asked for.
    """
    kinds = (request.kind,) if request.kind else Among().kinds
    found = suggestions(caller.workspace, Among(kinds), private=caller.private)
    shown = [
        SuggestionListed(
            mark=one.mark,
            kind=one.kind,
            text=one.text,
            grade="suggested",
            confidence=one.confidence,
            why=one.why,
            source=f"{one.path}:{one.line}",
        )
        for one in found[: request.limit]
    ]
    return SuggestionList(total=len(found), suggestions=shown)


class JudgeRequest(Request):
    """A verdict on suggestions."""

    verdict: Literal["accept", "dismiss"] = Field(
        description="accept: it is declared from now on; dismiss: it is never shown"
    )
    marks: list[str] = Field(
        min_length=1, max_length=300, description="The marks of suggestion_list"
    )


class Judged(Answer):
    """The operation of a verdict, and on how many suggestions."""

    verdict: str
    count: int
    operation: int


@tool("Accept or dismiss suggestions", Scope.MEMORY)
def suggestion_judge(caller: Caller, request: JudgeRequest) -> Judged:
    """Accept suggestions, or dismiss them for good.

    Only as a person told you: what is accepted counts as declared by you. A person can
    undo it.
    """
    author = Author(caller.actor, caller.today(), caller.operation_key("judge"))
    try:
        operation = judge(caller.workspace, request.verdict, request.marks, author)
    except FormatError as error:
        names = ", ".join(request.marks)[:200]
        raise ToolError("not-found", what="suggestion", name=names) from error
    count = operation.payload["count"]
    return Judged(verdict=request.verdict, count=count, operation=operation.seq)


TOOLS = (suggestion_list, suggestion_judge)
