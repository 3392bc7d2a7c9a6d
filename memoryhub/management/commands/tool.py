"""``memoryhub tool NAME``: call any tool."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolsCommand
from memoryhub.tools.registry import TOOLS


class Command(ToolsCommand):
    help = "Call a tool as an agent does. Without a name, list the tools."
    example = "memoryhub tool workspace_status --json"
    forms = {
        name: Form(tool, by_file="text", words=("operation",))
        if name == "core_memory"
        else Form(tool)
        for name, tool in TOOLS.items()
    }
