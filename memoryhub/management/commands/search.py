"""``memoryhub search``: search memory files."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.memory_files import memory_search


class Command(ToolCommand):
    help = "Search memory files. Prints paths, lines and snippets, best first."
    reads = True
    example = 'memoryhub search "webhook retries" --max-results 3'
    form = Form(memory_search, positional=("query",))
