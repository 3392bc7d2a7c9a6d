"""``memoryhub translate``: translate a memory into another system's form."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.translate import translate


class Command(ToolCommand):
    help = (
        "Convert a topic, snapshot or session memory into the form of another system,"
        " and list what that form could not carry. The source is a file or a record of"
        " the workspace."
    )
    example = "memoryhub translate notes/auth.md --to topic_context"
    form = Form(translate, positional=("text",), files=("text",))
