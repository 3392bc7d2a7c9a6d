"""Tool that lists the token cost of MEMORY.md line by line."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.health.queries import memory_budget as budget_of
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import block, refuse_private, with_notice
from memoryhub.values.limits import INDEX_LINE, SESSION_COMPACT, SESSION_PREPARE
from memoryhub.values.tokens import seed

State = Literal["", "fine", "prepare", "compact"]


class BudgetRequest(Request):
    """How long the session is so far, if that is to be estimated too."""

    session_chars: int | None = Field(
        None, ge=0, le=10**12, description="Characters of the whole session so far."
    )


class BudgetLine(Answer):
    """A line of MEMORY.md that is not blank; `running` is the total up to its end."""

    line: int
    tokens: int
    running: int
    characters: int
    text: str
    pointer: str


class MemoryBudget(Answer):
    """Tokens of MEMORY.md by line, and the state of the session."""

    path: str
    host: str = Field(description="The program whose limit this is; empty if unknown.")
    tokens: int
    limit: int
    left: int
    cut_after: int | None = Field(
        description="The last line that fits; null where all fit, 0 where none does."
    )
    long_lines: list[int]
    lines: list[BudgetLine]
    session_tokens: int | None = None
    session_state: State = ""

    def as_text(self) -> str:
        """Return the figures, then a row per line, quoted."""
        rows = (
            f"{row.line:>4} {row.tokens:>5} {row.running:>6}  {row.text}"
            f"{f' → {row.pointer}' if row.pointer else ''}"
            for row in self.lines
        )
        return with_notice(
            "\n".join(self._figures()), block(self.path, "\n".join(rows))
        )

    def _figures(self) -> list[str]:
        counts = f"{self.tokens} of {self.limit} tokens, {self.left} left"
        if self.host:
            lines = [f"{self.path}: {counts} ({self.host})."]
        else:
            lines = [f"{self.path}: {self.tokens} tokens; its host is not known."]
        if self.cut_after is not None:
            lines.append(f"Only lines 1 to {self.cut_after} fit: move the rest out.")
        if self.long_lines:
            numbers = ", ".join(map(str, self.long_lines))
            word = "line" if len(self.long_lines) == 1 else "lines"
            lines.append(f"Longer than {INDEX_LINE} characters: {word} {numbers}.")
        if self.session_tokens is not None:
            lines.append(
                f"Session: ~{self.session_tokens} tokens, {self.session_state}."
            )
        return lines


@tool("What MEMORY.md costs", Scope.READ)
def memory_budget(caller: Caller, request: BudgetRequest) -> MemoryBudget:
    """Return the tokens of each line of MEMORY.md, its host's limit, and long lines.

    Use it before you add to MEMORY.md and after you have: what is past the limit
    reaches no agent (800 tokens where context-memory-optimizer is in use). With
    session_chars it also says whether the session needs a compaction (prepare above
    120,000 tokens, compact above 150,000). A token counts as four characters.
    """
    budget = budget_of(caller.workspace)
    if budget is None:
        raise ToolError("not-found", what="file", name="MEMORY.md")
    refuse_private(caller, budget.path)
    characters = request.session_chars
    session = None if characters is None else seed(characters)
    return MemoryBudget.of(
        budget,
        host=budget.host.host,
        cut_after=max(budget.cut_after, 0) if budget.is_over else None,
        long_lines=[row.line for row in budget.long_lines],
        lines=[
            BudgetLine.of(row, characters=row.size, pointer=row.pointer + row.anchor)
            for row in budget.rows
        ],
        session_tokens=session,
        session_state="" if session is None else _state(session),
    )


def _state(tokens: int) -> State:
    """Return the actions due for a session of this many tokens."""
    if tokens > SESSION_COMPACT:
        return "compact"
    return "prepare" if tokens > SESSION_PREPARE else "fine"


TOOLS = (memory_budget,)
