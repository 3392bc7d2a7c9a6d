"""``memoryhub get``: print lines of a memory file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memoryhub.management.command import workspace_here
from memoryhub.management.standing import current_folder
from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.memory_files import memory_get


class Command(ToolCommand):
    help = "Print lines of a memory file, as agents read it."
    reads = True
    example = "memoryhub get memory/2026-11-20.md --from 10 --lines 20"
    form = Form(memory_get, positional=("path",))

    def work(self, **options: Any) -> int:
        """Take a path that the workspace does not have as one from here."""
        asked, here = options["field_path"], workspace_here()
        if here and options["workspace"] in ("", None, here.slug):
            in_workspace, in_folder = Path(here.root, asked), current_folder() / asked
            if not in_workspace.is_file() and in_folder.is_file():
                options["field_path"] = str(in_folder)
        return super().work(**options)
