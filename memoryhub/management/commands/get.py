"""``memoryhub get``: print lines of a memory file."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.memory_files import memory_get


class Command(ToolCommand):
    help = "Print lines of a memory file, as agents read it."
    reads = True
    example = "memoryhub get memory/2026-11-20.md --from 10 --lines 20"
    form = Form(memory_get, positional=("path",))
