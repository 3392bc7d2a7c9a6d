"""An example of the body of each operation that has one, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub.tools.examples import EXAMPLES

#: By the operation's id.
BODIES: Mapping[str, Mapping[str, Any]] = {
    **{f"tool_{name}": fields for name, fields in EXAMPLES.items()},
    "accept_held": {"seen": 3},
    "document_replace": {"text": "# Memory\n\n- The relay retries five times.\n"},
    "comment_add": {"thread": 3, "text": "Done: the relay retries five times."},
    "decide_review": {"action": "revert", "seen": 412, "reason": "not a fact"},
    "ask_to_forget": {"kind": "text", "text": "hunter2", "reason": "a password"},
    "confirm_forgetting": {"now": True},
    "take_forgetting_back": {},
}
