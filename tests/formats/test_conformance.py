"""What the original programs answered, asked of the formats.

Another folder of the same files can be named in MEMORYHUB_CONFORMANCE.
"""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

import pytest

from memoryhub.formats import session_compact, session_map, topic_context, topic_history
from memoryhub.formats.injection import wrap
from memoryhub.formats.session_analysis import analysis_from_json, render_session

FOLDER = Path(
    os.environ.get("MEMORYHUB_CONFORMANCE") or Path(__file__).parents[1] / "conformance"
)
MAP = "context-session-map.json"
SKIPPED = {
    "before_prompt_build": {"heartbeat", "cron"},
    "before_compaction": {"heartbeat", "cron", "memory"},
}


def _load(name: str) -> dict[str, Any]:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"no {name}")
    loaded: dict[str, Any] = json.loads(path.read_bytes())
    return loaded


class SnapMemory:
    """snap-memory's tool and hooks, over the formats and a folder in memory."""

    def __init__(self, today: str, config: dict[str, int]) -> None:
        self.today = datetime.date.fromisoformat(today)
        self.decisions = config.get("maxDecisions", 50)
        self.history = config.get("maxHistoryLines", 30)
        self.files: dict[str, str] = {}

    def bound(self, key: str) -> str | None:
        held = session_map.parse(self.files.get(MAP, "{}"))
        return next((b.topic for b in held.bindings if b.key == key), None)

    def bind(self, key: str, topic: str) -> None:
        held = session_map.parse(self.files.get(MAP, "{}"))
        self.files[MAP] = held.with_binding(key, topic).render()

    def load(self, topic: str) -> topic_context.TopicContext | None:
        text = self.files.get(topic_context.file_name(topic))
        return None if text is None else topic_context.parse(text).tidied()

    def save(self, topic: str, document: topic_context.TopicContext) -> None:
        document = document.with_meta("updated", str(self.today))
        self.files[topic_context.file_name(topic)] = document.render()

    def new(
        self, topic: str, meta: dict[str, str], history: list[str]
    ) -> topic_context.TopicContext:
        text = topic_context.render_topic(
            topic, {"created": str(self.today), **meta}, "", [], history
        )
        return topic_context.parse(text)

    def line(
        self, document: topic_context.TopicContext, text: str
    ) -> topic_context.TopicContext:
        return document.with_history_line(text, limit=self.history, raw=True)

    def tool(self, call: dict[str, Any], own_key: str) -> str:
        action, topic = call["action"], call.get("topic")
        if action == "list":
            return self.listing()
        if action not in ("checkpoint", "read"):
            return f"Unknown action: {action}"
        if not topic:
            return f"Error: 'topic' required for {action} action."
        if action == "read":
            name = topic_context.file_name(topic)
            return self.files.get(name, f"Not found: {name}")
        return self.checkpoint(topic, call, call.get("sessionId") or own_key)

    def checkpoint(self, topic: str, call: dict[str, Any], key: str) -> str:
        created = topic_history.created_text(self.today)
        document = self.load(topic) or self.new(topic, {}, [created])
        if key:
            document = document.with_meta("session", key)
            self.bind(key, topic)
        if call.get("status"):
            document = document.with_status(call["status"], raw=True)
        for item in call.get("decisions") or []:
            document = document.with_decision(item, limit=self.decisions, raw=True)
        if call.get("historyLine"):
            document = self.line(document, call["historyLine"])
        self.save(topic, document)
        return f"✅ Context saved: {topic_context.file_name(topic)}"

    def listing(self) -> str:
        names = sorted(n for n in self.files if n.endswith(".md"))
        if not names:
            return "No context snap files found."
        held = session_map.parse(self.files.get(MAP, "{}")).bindings
        lines = ["Context snaps:"]
        for name in names:
            count = sum(topic_context.file_name(b.topic) == name for b in held)
            bound = (
                f" (bound: {count} session{'s' if count != 1 else ''})" if count else ""
            )
            lines.append(f"- {name}{bound}")
        return "\n".join(lines)

    def hook(self, name: str, event: dict[str, Any], ctx: dict[str, Any]) -> object:
        key = ctx.get("sessionKey")
        if not key or ctx.get("trigger") in SKIPPED.get(name, ()):
            return None
        topic = self.bound(key)
        if topic is None and name == "before_compaction":
            topic = topic_context.topic_from_session_key(key)
            self.bind(key, topic)
        document = self.load(topic) if topic is not None else None
        if topic is None or (
            document is None and name in ("before_prompt_build", "before_reset")
        ):
            return None
        document = document or self.new(topic, {"session": key}, [])
        if name == "before_prompt_build":
            text = self.files[topic_context.file_name(topic)]
            return {"appendSystemContext": wrap(text)} if text.strip() else None
        self.save(topic, self.line(document, self.hook_line(name, event)))
        return None

    def hook_line(self, name: str, event: dict[str, Any]) -> str:
        if name == "before_compaction":
            return topic_history.auto_saved_text(self.today, event["messageCount"])
        if name == "after_compaction":
            return topic_history.compaction_text(
                self.today, event["compactedCount"], event["messageCount"]
            )
        return topic_history.reset_text(self.today, event.get("reason") or "")

    def run(self, scenario: dict[str, Any]) -> list[object]:
        answers: list[object] = []
        for op in scenario["ops"]:
            if "tool" in op:
                answers.append(
                    self.tool(op["tool"], op.get("sessionKey", scenario["sessionKey"]))
                )
            else:
                answers.append(self.hook(op["hook"], op["event"], op["ctx"]))
        return answers


def test_topic_values_are_those_of_snap_memory() -> None:
    for case in _load("snap-memory.json")["parse"]:
        document = topic_context.parse(case["input"])
        read = {
            "meta": {entry.key: entry.value for entry in document.meta},
            "currentStatus": document.status,
            "keyDecisions": [item.text for item in document.decisions],
            "history": [item.text for item in document.history],
        }

        assert read == case["output"], case["input"]
        assert document.render() == case["input"]


def test_the_tool_and_the_hooks_answer_and_write_as_snap_memory_does() -> None:
    loaded = _load("snap-memory.json")
    for case in loaded["scenarios"]:
        program = SnapMemory(loaded["today"], case["input"]["config"])

        assert program.run(case["input"]) == case["output"]["out"]
        if case["lossless"]:
            assert program.files == case["output"]["files"]
        assert set(program.files) == set(case["output"]["files"])
        for name, text in case["output"]["files"].items():
            if name != MAP:
                assert _values(program.files[name]) == _values(text)


def _values(text: str) -> tuple[object, ...]:
    topic = topic_context.parse(text)
    meta = {entry.key: entry.value for entry in topic.meta}
    decisions = [item.text for item in topic.decisions]
    history = [item.text for item in topic.history]
    return topic.stated_status, meta, decisions, history


def test_a_session_is_written_as_ccw_writes_it() -> None:
    for case in _load("ccw-session.json")["cases"]:
        assert render_session(analysis_from_json(case["input"])) == case["output"]


def test_a_session_text_gives_its_values_back() -> None:
    read_back = 0
    for case in _load("ccw-session.json")["cases"]:
        session = session_compact.parse(case["output"])

        assert session.render() == case["output"]
        assert session.canonical
        if _is_unambiguous(case["input"]):
            read_back += 1
            expected = analysis_from_json(case["input"])
            assert session.values.analysis == expected
    assert read_back


def _is_unambiguous(case: dict[str, Any]) -> bool:
    """Tell whether no item starts a line like another, or a cut could be elsewhere."""
    decisions = [item["decision"] for item in case["decisions"]]
    roles = [
        item["role"] for key in ("workingFiles", "referenceFiles") for item in case[key]
    ]
    names = ("constraints", "dependencies", "knownIssues", "changesMade", "pending")
    items = [item for name in names for item in case[name]] + roles + decisions
    items += [item["reasoning"] for item in case["decisions"]]
    return (
        not any("\n- " in item for item in items)
        and not any(": " in f"{item} " for item in decisions)
        and not any(" (role: " in role for role in roles)
        and case["notes"] != "(none)"
    )
