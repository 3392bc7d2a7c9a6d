"""``memoryhub recall``: print the working context of a topic."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.recall import recall


class Command(ToolCommand):
    help = (
        "Print the context an agent needs to continue after a compaction, within a"
        " token budget: the topic's file, newest snapshot, open handoffs, decisions and"
        " open items. Without a topic: what all files say."
    )
    reads = True
    example = "memoryhub recall auth --for hub --budget 2000"
    form = Form(recall, positional=("topic",), options={"form": "for"})
