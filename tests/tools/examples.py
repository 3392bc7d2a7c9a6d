"""Calls that show every tool, as agents make it, on the sample `acme-checkout`.

A tool that needs another one before it has that in front of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub.tools.examples import EXAMPLES as FIELDS

Call = tuple[str, Mapping[str, Any]]

_TASK = (
    "<task>\n<from>builder</from>\n<to>builder</to>\n<task_id>door-1</task_id>\n"
    "<type>read_only</type>\n<context>Look why bodies are dropped</context>\n"
    "<input>relay.py, if size > 1 MB</input>\n</task>"
)
_SENT: Call = ("handoff_send", {"xml": _TASK})
_ON_TASK = (
    "handoff_list",
    "handoff_inbox",
    "decisions",
    "handoff_take",
    "handoff_update",
    "handoff_report",
)
_CLOSED: Call = ("open_item_close", FIELDS["open_item_close"])

#: By the tool that is shown, what is called, in order.
EXAMPLES: Mapping[str, tuple[Call, ...]] = {
    **{name: ((name, fields),) for name, fields in FIELDS.items()},
    "handoff_send": (_SENT,),
    **{name: (_SENT, (name, FIELDS[name])) for name in _ON_TASK},
    "open_item_reopen": (_CLOSED, ("open_item_reopen", FIELDS["open_item_reopen"])),
}
