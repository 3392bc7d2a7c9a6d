"""Registry of all tools by name, one line per module."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.errors.base import ToolError, did_you_mean
from memoryhub.tools import (
    big_memory,
    breaker,
    comments,
    compaction,
    core_memory,
    decisions,
    errors,
    files,
    handoffs,
    inbox,
    lifecycle,
    memory_budget,
    memory_files,
    open_items,
    openclaw,
    optimizer,
    recall,
    session_text,
    snap_memory,
    status,
    suggestions,
    translate,
)
from memoryhub.tools.base import Tool

#: In the order of docs/tools.md; the last ones are in docs/claims.md, docs/comments.md.
_MODULES = (
    status,
    big_memory,
    memory_files,
    openclaw,
    recall,
    snap_memory,
    lifecycle,
    memory_budget,
    errors,
    optimizer,
    compaction,
    breaker,
    core_memory,
    session_text,
    translate,
    handoffs,
    inbox,
    decisions,
    open_items,
    suggestions,
    files,
    comments,
)

#: Characters of an unknown tool's name that are looked at.
_LONGEST = 200

TOOLS: Mapping[str, Tool] = {
    tool.name: tool for module in _MODULES for tool in module.TOOLS
}


def tool_named(name: str) -> Tool:
    """Return a tool; `ToolError` ``tool-unknown`` if there is none."""
    if name not in TOOLS:
        hint = did_you_mean(name[:_LONGEST], TOOLS)
        raise ToolError("tool-unknown", tool=name[:_LONGEST], hint=hint)
    return TOOLS[name]
