"""All tools by name, one line a module that has some."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.tools import (
    errors,
    lifecycle,
    memory_budget,
    optimizer,
    snap_memory,
    status,
)
from memoryhub.tools.base import Tool

_MODULES = (
    status,
    memory_budget,
    errors,
    optimizer,
    snap_memory,
    lifecycle,
)

TOOLS: Mapping[str, Tool] = {
    tool.name: tool for module in _MODULES for tool in module.TOOLS
}
