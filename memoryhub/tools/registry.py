"""All tools by name, one line a module that has some."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.tools import (
    core_memory,
    errors,
    lifecycle,
    memory_budget,
    optimizer,
    session_text,
    snap_memory,
    status,
)
from memoryhub.tools.base import Tool

_MODULES = (
    status,
    core_memory,
    session_text,
    memory_budget,
    errors,
    optimizer,
    snap_memory,
    lifecycle,
)

TOOLS: Mapping[str, Tool] = {
    tool.name: tool for module in _MODULES for tool in module.TOOLS
}
