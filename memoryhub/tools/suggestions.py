"""Tool that lists suggestions, and takes a person's verdicts on them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.formats.injection import quoted
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Item, Request, tool
from memoryhub.tools.quoting import with_notice
from snapshots.importers.linking import STATEMENTS
from snapshots.queries.suggestions import suggestions as suggested
from snapshots.services.judging import VERDICTS, judge
from topics.services.topics import Author


class SuggestionsRequest(Request):
    """Which suggestions, and verdicts on some: marks such as ``item:<code>``."""

    kind: Literal["", "decision", "directive", "item"] = Field(
        "", description="Only of this kind"
    )
    accept: list[Item] = Field(
        default_factory=list, max_length=300, description="Marks of those to declare"
    )
    dismiss: list[Item] = Field(
        default_factory=list, max_length=300, description="Marks of those to hide"
    )
    limit: int = Field(20, ge=1, le=500, description="How many at most")


class Suggested(Answer):
    """A suggestion; `why` are the words that weighed most, `place` is path:line."""

    mark: str
    kind: str
    text: str
    confidence: float
    why: str
    place: str


class SuggestionList(Answer):
    """What is suggested after the verdicts, and the operations of these."""

    total: int
    operations: list[int]
    suggestions: list[Suggested]

    def as_text(self) -> str:
        """Return a quoted line per suggestion, with its mark."""
        if not self.suggestions:
            return "Nothing is suggested."
        lines = (
            f"- {folded(row.text)} ({row.place}) [{row.mark}, {row.confidence:.2f}]"
            for row in self.suggestions
        )
        more = self.total - len(self.suggestions)
        return with_notice(
            quoted("\n".join(lines)), f"There are {more} more." * bool(more)
        )


@tool(
    "What words suggest, until a person accepts it",
    Scope.ADMIN,
    reading=lambda r: not (r.accept or r.dismiss),
)
def suggestions(caller: Caller, request: SuggestionsRequest) -> SuggestionList:
    """List decisions, directives and open items that sentences suggest.

    Nobody declared them: check before you rely on one. Only a person accepts or
    dismisses; either can be undone on the hub's pages, and holds for every later
    version.
    """
    operations = [
        _judged(caller, verdict, marks)
        for verdict in VERDICTS
        if (marks := getattr(request, verdict))
    ]
    kinds = [request.kind] if request.kind else [*STATEMENTS]
    found = suggested(caller.workspace, kinds=kinds, private=caller.private)
    return SuggestionList(
        total=len(found),
        operations=operations,
        suggestions=[
            Suggested.of(one.row, mark=one.mark, kind=one.kind, place=one.source)
            for one in found[: request.limit]
        ],
    )


def _judged(caller: Caller, verdict: str, marks: list[str]) -> int:
    if caller.agent:
        raise ToolError("decision-needs-person", agent=caller.agent)
    key = caller.operation_key(verdict)
    author = Author(caller.owner or caller.actor, caller.today(), key)
    try:
        seq = judge(caller.workspace, verdict, marks, author).seq
    except FormatError as error:
        name = ", ".join(marks)[:200]
        raise ToolError("not-found", what="suggestion", name=name) from error
    caller.workspace.refresh_from_db()
    return seq


TOOLS = (suggestions,)
