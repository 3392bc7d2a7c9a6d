"""An example of a call of each tool, for the API's description and its tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TRANSCRIPT = json.dumps(
    [
        {"role": "user", "content": "Ship the webhooks."},
        {"role": "assistant", "content": "The relay is in place."},
    ]
)

#: Fields of a call, by tool.
EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "workspace_status": {},
    "snapshot_save": {
        "goal": "Deliver webhooks, so that merchants need not poll",
        "phase": "implementing",
        "files": [{"path": "/srv/app/relay.py", "purpose": "sends one event"}],
        "decisions": [{"decision": "Retry five times", "rationale": "asked for"}],
        "next_steps": ["Write the test"],
    },
    "snapshot_recall": {},
    "snapshot_status": {},
    "compaction_signs": {},
    "comments": {
        "action": "comment",
        "path": "memory/2026-11-12.md",
        "line": 3,
        "text": "@operator Is this still so?",
    },
    "files_claim": {"paths": ["src/relay", "docs/*.md"], "reason": "retries"},
    "memory_search": {"query": "webhook retries", "max_results": 3},
    "memory_get": {"path": "memory/2026-11-20.md", "lines": 5},
    "memory_append": {"content": "- The relay was restarted."},
    "memory_flush": {"tokens": 180_000, "context_window": 200_000},
    "startup_context": {},
    "config_snippet": {"version": "2026.9.6"},
    "core_memory": {"operation": "import", "text": "The relay drops large bodies."},
    "core_memory_bundle": {"operation": "export"},
    "session_text": {
        "sessionId": "s-1",
        "projectRoot": "/srv/app",
        "objective": "Ship webhooks",
    },
    "compaction_plan": {"transcript": _TRANSCRIPT, "level": "L1"},
    "compact_transcript": {"transcript": _TRANSCRIPT, "level": "L2", "write": True},
    "compaction_report": {"outcome": "failed", "reason": "the host refused it"},
    "memory_budget": {"session_chars": 4000},
    "errors_consult": {"words": "webhook"},
    "error_append": {"text": "The relay drops bodies over 1 MB"},
    "scaffold": {"project": "Acme", "task": "Ship webhooks"},
    "prompt_sections": {"task": "Ship webhooks"},
    "trust_source": {
        "target": "memory/context-search.md",
        "source": "memory/context-search-index.md",
        "mismatch": "The search topic has another name",
    },
    "context_snap": {
        "action": "checkpoint",
        "topic": "webhook-signing",
        "status": "Keys rotate.",
        "decisions": ["2026-11-20: Rotate keys weekly (asked for)"],
    },
    "lifecycle_event": {
        "host": "openclaw",
        "event": "before_prompt_build",
        "said": {"event": {}, "ctx": {"sessionKey": "agent:builder:main"}},
    },
    "translate": {"kind": "topic", "name": "webhook-signing", "to": "task_snapshot"},
    "recall": {"topic": "webhook-signing", "budget": 1000},
    "open_items": {"state": "", "limit": 5},
    "suggestions": {"kind": "decision", "limit": 5},
    "open_item_close": {
        "item": "put image updates back into the night, after the migration"
    },
    "open_item_reopen": {
        "item": "put image updates back into the night, after the migration"
    },
    "handoff_send": {
        "to": "builder",
        "type": "write",
        "context": "Retry webhooks",
        "input": "relay.py",
        "expected_output": "Five retries with a growing pause",
        "due": "2026-11-21T12:00:00Z",
    },
    "handoff_list": {"to": "builder", "ready": True},
    "handoff_inbox": {"since": "2026-11-20T10:00:00Z", "limit": 5},
    "decisions": {"topic": "api-redesign", "state": "unsigned"},
    "handoff_take": {"task_id": "door-1"},
    "handoff_update": {
        "task_id": "door-1",
        "action": "block",
        "reason": "no access to the relay",
    },
    "handoff_report": {
        "task_id": "door-1",
        "status": "done",
        "output": "The proxy has a limit",
        "memory_update": "memories/project.md\nThe proxy drops bodies over 1 MB.",
    },
}
