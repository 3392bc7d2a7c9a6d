"""``memoryhub recall``: print the working context of a topic."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.recall import recall


class Command(ToolCommand):
    help = (
        "Tell what an agent needs to go on with a topic after a compaction, within a"
        " budget of tokens: its file, the newest snapshot, open handoffs, decisions."
    )
    reads = True
    example = "memoryhub recall auth --for hub --budget 2000"
    form = Form(recall, positional=("topic",), options={"form": "for"})
