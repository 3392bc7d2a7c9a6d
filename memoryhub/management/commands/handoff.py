"""``memoryhub handoff``: tasks between agents."""

from __future__ import annotations

from memoryhub.management.tool_command import Form, ToolsCommand
from memoryhub.tools import handoffs


class Command(ToolsCommand):
    help = (
        "Send a handoff to an agent, list open ones, take one, and report its result."
    )
    example = 'memoryhub handoff send reviewer --type read_only --context "Audit keys"'
    forms = {
        "send": Form(handoffs.handoff_send, positional=("to",), files=("xml",)),
        "list": Form(handoffs.handoff_list),
        "take": Form(handoffs.handoff_take, positional=("task_id",)),
        "update": Form(handoffs.handoff_update, positional=("task_id", "action")),
        "report": Form(
            handoffs.handoff_report, positional=("task_id", "status"), files=("xml",)
        ),
    }
