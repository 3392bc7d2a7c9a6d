"""``memoryhub save``: save a snapshot of a task."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolCommand
from memoryhub.tools.big_memory import snapshot_save


class Command(ToolCommand):
    help = (
        "Save the state of a task as a snapshot in the day's log, as big-memory does,"
        " so that an agent can continue after a compaction."
    )
    example = (
        'memoryhub save "Deliver webhooks, so that merchants need not poll"'
        ' --phase implementing --next-steps "Write the test"'
    )
    form = Form(snapshot_save, positional=("goal",))
