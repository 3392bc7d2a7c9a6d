"""``memoryhub open-items``: list unfinished work."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.open_items import open_items


class Command(ToolCommand):
    help = (
        "List open items of all files, last mentioned first: checkboxes, next steps,"
        " blockers, questions. Repeated items are listed once."
    )
    reads = True
    example = "memoryhub open-items keys --topic auth --limit 10"
    form = Form(open_items, positional=("text",))
