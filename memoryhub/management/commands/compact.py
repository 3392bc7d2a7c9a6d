"""``memoryhub compact``: compact a transcript."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.compaction import compact_transcript


class Command(ToolCommand):
    help = (
        "Shorten the transcript of a session by the rules of context-memory-optimizer"
        " or of compact.rs, and list the steps taken."
    )
    example = "memoryhub compact session.jsonl --level L1 --json"
    form = Form(compact_transcript, positional=("transcript",), files=("transcript",))
