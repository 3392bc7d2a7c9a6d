"""``memoryhub compact``: compact a transcript."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.compaction import compact_transcript


class Command(ToolCommand):
    help = (
        "Make the transcript of a session shorter, by context-memory-optimizer's levels"
        " or as compact.rs does, and say what was done."
    )
    example = "memoryhub compact session.jsonl --level L1 --json"
    form = Form(compact_transcript, positional=("transcript",), files=("transcript",))
