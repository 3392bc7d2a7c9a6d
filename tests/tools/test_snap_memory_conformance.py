"""What snap-memory answered and wrote, asked of the hub's tools on real workspaces."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects import topic_context
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.lifecycle import LifecycleAnswer
from memoryhub.tools.registry import tool_named
from memoryhub.tools.snap_memory import SnapAnswer
from memoryhub.workspaces.services.adding import add_workspace
from tests.recorded import recorded

LOADED = recorded("snap-memory")
SCENARIOS: list[dict[str, Any]] = LOADED["scenarios"]
MAP = "context-session-map.json"
#: Scenarios of one test, so that tests can run side by side.
BATCH = 20


@pytest.mark.parametrize("start", range(0, len(SCENARIOS), BATCH))
def test_the_tools_answer_and_write_as_snap_memory_does(
    hub_data: Path, db: None, workspace_root: Path, start: int
) -> None:
    for number, case in enumerate(SCENARIOS[start : start + BATCH]):
        root = workspace_root / str(number)
        root.mkdir()
        workspace = configured(root, case["input"]["config"])

        assert answers(workspace, case["input"]) == case["output"]["out"]
        assert_holds(root / "memory", case["output"]["files"], case["lossless"])


def configured(root: Path, config: dict[str, int]) -> Workspace:
    workspace = add_workspace(root)
    workspace.max_decisions = config.get("maxDecisions", 50)
    workspace.max_history = config.get("maxHistoryLines", 30)
    workspace.raw_context = True
    workspace.save()
    return workspace


def answers(workspace: Workspace, scenario: dict[str, Any]) -> list[object]:
    day = datetime.fromisoformat(LOADED["today"]).replace(tzinfo=UTC)
    caller = Caller(workspace, "agent:main", clock=lambda: day)
    return [answer(caller, scenario, op) for op in scenario["ops"]]


def answer(caller: Caller, scenario: dict[str, Any], op: dict[str, Any]) -> object:
    caller = replace(
        caller,
        session=op.get("sessionKey", scenario["sessionKey"]) or "",
        nonce=str(id(op)),
    )
    if "tool" in op:
        tool = tool_named("context_snap")
        told = call(tool, caller, request_of(tool, op["tool"]))
        assert isinstance(told, SnapAnswer)
        return told.text
    tool = tool_named("lifecycle_event")
    said = {"event": op["event"], "ctx": op["ctx"]}
    fields = {"host": "openclaw", "event": op["hook"], "said": said}
    event = call(tool, caller, request_of(tool, fields))
    assert isinstance(event, LifecycleAnswer)
    return event.output


def assert_holds(folder: Path, files: dict[str, str], lossless: bool) -> None:
    """Assert that a folder holds these files, or their values where texts differ."""
    there = {path.name: path.read_bytes().decode() for path in folder.glob("*")}
    if lossless:
        assert there == files
    assert set(there) == set(files)
    assert there.get(MAP) == files.get(MAP)
    for name in files.keys() - {MAP}:
        assert values(there[name]) == values(files[name])


def values(text: str) -> tuple[object, ...]:
    topic = topic_context.parse(text)
    meta = {entry.key: entry.value for entry in topic.meta}
    decisions = [item.text for item in topic.decisions]
    return topic.stated_status, meta, decisions, [item.text for item in topic.history]
