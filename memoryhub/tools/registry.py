"""All tools by name, one line a module that has some."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.tools import status
from memoryhub.tools.base import Tool

_MODULES = (status,)

TOOLS: Mapping[str, Tool] = {
    tool.name: tool for module in _MODULES for tool in module.TOOLS
}
