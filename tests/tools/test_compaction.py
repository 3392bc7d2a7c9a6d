"""Compacting transcripts through the hub, and the breaker that stops it."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.breaker import OutcomeReported
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.compaction import CompactedTranscript, CompactionPlan
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.refusals import refusal_of
from tests.conftest import MakeWorkspace

TASK = "memories/context.md"
LOG = "memories/errors.md"


@pytest.fixture
def caller(make_workspace: MakeWorkspace, workspace_root: Path) -> Caller:
    return caller_for(make_workspace, workspace_root)


def caller_for(make_workspace: MakeWorkspace, root: Path, **said: Any) -> Caller:
    return Caller(
        make_workspace(root),
        "scout",
        agent="scout",
        clock=lambda: datetime(2026, 11, 20, 9, tzinfo=UTC),
        **said,
    )


def transcript(messages: int = 9) -> str:
    words = "w " * 400
    said = [
        {"role": ("user", "assistant")[n % 2], "content": f"todo {n}: src/a.ts {words}"}
        for n in range(messages)
    ]
    return json.dumps(said)


def compact(caller: Caller, **fields: Any) -> CompactedTranscript:
    tool = tool_named("compact_transcript")
    fields = {"transcript": transcript(), "window": 2_000} | fields
    answer = call(tool, caller, request_of(tool, fields))
    assert isinstance(answer, CompactedTranscript)
    return answer


def report(caller: Caller, outcome: str, reason: str = "") -> OutcomeReported:
    tool = tool_named("compaction_report")
    fields = {"outcome": outcome, "reason": reason}
    fresh = replace(caller, nonce=uuid.uuid4().hex)
    answer = call(tool, fresh, request_of(tool, fields))
    assert isinstance(answer, OutcomeReported)
    return answer


def test_a_long_transcript_comes_back_with_a_summary(caller: Caller) -> None:
    answer = compact(caller)
    after = json.loads(answer.transcript)

    assert answer.done[0] == "L2: 5 messages replaced by a summary"
    assert after[0] == {"role": "user", "content": answer.continuation}
    assert after[1:] == json.loads(transcript())[-4:]
    assert answer.tokens_after < answer.tokens_before
    assert answer.key_files == ["src/a.ts"]
    assert [one.path for one in answer.restore] == ["MEMORY.md", TASK, "src/a.ts"]


def test_a_plan_tells_the_same_and_writes_nothing(
    caller: Caller, workspace_root: Path
) -> None:
    tool = tool_named("compaction_plan")
    fields = {"transcript": transcript(), "window": 2_000}
    plan = call(tool, caller, request_of(tool, fields))

    assert isinstance(plan, CompactionPlan)
    done = compact(caller).model_dump(exclude={"transcript", "saved"})
    assert plan.model_dump() == done
    assert "9 → 5 messages" in plan.as_text()
    assert list(workspace_root.rglob("*.md")) == []


def test_the_task_is_saved_first_and_what_it_was_can_be_brought_back(
    caller: Caller, workspace_root: Path
) -> None:
    (workspace_root / "memories").mkdir()
    (workspace_root / TASK).write_text("Old task.\n")
    answer = compact(caller, write=True)

    assert answer.saved == TASK
    assert (workspace_root / TASK).read_text() == answer.context
    assert answer.context.startswith("# Current Task\n\ntodo 8: src/a.ts w w")
    assert answer.restore[1].text == answer.context
    undo(caller.workspace, Operation.objects.get(target=TASK), "operator")
    assert (workspace_root / TASK).read_text() == "Old task.\n"


def test_a_short_transcript_saves_no_task(caller: Caller, workspace_root: Path) -> None:
    answer = compact(caller, transcript=transcript(2), write=True)

    assert (answer.saved, answer.context) == ("", "")
    assert answer.done == ["L1: 0 tool outputs trimmed"]
    assert not (workspace_root / TASK).exists()


def test_three_failures_stop_summaries_until_the_operator_clears_them(
    caller: Caller, workspace_root: Path
) -> None:
    for number in range(1, 4):
        assert report(caller, "failed", "timed out").breaker.failures == number
    held = compact(caller, level="L2")

    assert held.done[0].startswith("L4: the circuit breaker is open")
    assert held.messages_after == held.messages_before
    assert (workspace_root / LOG).read_text().count("scout: L2 failed, as rep") == 3
    with pytest.raises(ToolError, match="breaker-open"):
        report(caller, "failed", "again")
    with (workspace_root / LOG).open("a") as log:
        log.write("- 2026-11-20 10:00 operator: circuit breaker of scout cleared\n")
    assert compact(caller, level="L2").summary


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        ("scout", "circuit breaker of scout cleared"),
        ("mallory", "circuit breaker of scout cleared"),
        ("mallory", "Circuit-breaker was reset: it works again"),
        ("scout", "L2 failed 0 of 3"),
        ("scout", "L2 succeeded"),
    ],
)
def test_no_agent_closes_a_breaker(
    caller: Caller, workspace_root: Path, agent: str, line: str
) -> None:
    for _ in range(3):
        report(caller, "failed", "timed out")
    Workspace.objects.update(coordinators=["scout", "lead"])
    caller.workspace.refresh_from_db()
    before = (workspace_root / LOG).read_text()

    with pytest.raises(FormatError, match=r"^breaker-needs-operator"):
        note(caller, agent, line)
    assert (workspace_root / LOG).read_text() == before
    note(caller, agent, "timed out once more")

    note(caller, "lead", "circuit breaker of scout cleared: another model")
    assert compact(caller, level="L2").summary


def note(caller: Caller, agent: str, line: str) -> None:
    tool = tool_named("error_append")
    by = replace(caller, agent=agent, actor=agent, key=f"{agent} {line}")
    call(tool, by, request_of(tool, {"text": line}))


def test_a_success_ends_a_row_of_failures(caller: Caller) -> None:
    report(caller, "failed", "timed out")
    report(caller, "failed", "timed out")

    assert report(caller, "succeeded").breaker.failures == 0
    assert report(caller, "failed", "timed out").breaker.failures == 1


def test_a_success_after_no_failure_leaves_no_line(
    caller: Caller, workspace_root: Path
) -> None:
    assert report(caller, "succeeded").line == ""
    assert not (workspace_root / LOG).exists()


def test_a_breaker_is_one_agents_own(
    make_workspace: MakeWorkspace, caller: Caller
) -> None:
    for _ in range(3):
        report(caller, "failed", "timed out")
    other = Caller(caller.workspace, "docs", agent="docs")

    assert compact(other, level="L2").summary


def test_a_report_made_again_after_a_crash_counts_once(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    caller = caller_for(make_workspace, workspace_root)
    keyed = caller_for(make_workspace, workspace_root, key="k1")
    report(caller, "failed", "a")
    report(caller, "failed", "b")
    tool = tool_named("compaction_report")
    fields = request_of(tool, {"outcome": "failed", "reason": "c"})
    tool.run(keyed, fields)

    again = tool.run(keyed, fields)
    assert isinstance(again, OutcomeReported)
    assert (again.breaker.failures, again.breaker.is_open) == (3, True)


def test_a_failure_needs_a_reason(caller: Caller) -> None:
    with pytest.raises(Exception, match="value-is-empty") as caught:
        report(caller, "failed")

    assert refusal_of(caught.value).status == 422


def test_memory_files_are_given_to_read_again_and_no_others(
    caller: Caller, workspace_root: Path
) -> None:
    (workspace_root / "MEMORY.md").write_text("# MEMORY INDEX\n- Name: shop\n")
    (workspace_root / "src").mkdir()
    (workspace_root / "src/a.ts").write_text("secret")
    sync_workspace(caller.workspace)
    found = {one.path: one for one in compact(caller, level="L3").restore}

    assert found["MEMORY.md"].text == "# MEMORY INDEX\n- Name: shop\n"
    assert not found["src/a.ts"].known


def test_a_shared_session_is_not_given_the_index(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    shared = "agent:main:telegram:group:42"
    caller = caller_for(make_workspace, workspace_root, session=shared)

    assert compact(caller, level="L3").restore[0].path == TASK


def test_compact_rs_has_its_own_rules(caller: Caller) -> None:
    answer = compact(caller, variant="compact-rs", max_tokens=1, preserve=2)

    assert answer.summary.startswith("<summary>\nConversation summary:\n- Scope: 7 ")
    assert json.loads(answer.transcript)[0]["role"] == "system"
    assert (answer.context, answer.restore) == ("", [])
    held = compact(caller, variant="compact-rs", max_tokens=10**9)
    assert held.done == ["compact.rs: not due"]


def test_lines_that_cannot_be_read_are_named(caller: Caller) -> None:
    line = json.dumps({"role": "user", "content": "hi"})
    answer = compact(caller, transcript=f"{line}\n{{oops\n")

    assert [(p.line, p.code) for p in answer.problems] == [(2, "json-invalid")]
    assert "Line 2 is not valid JSON" in answer.as_text()


@pytest.mark.parametrize("text", ["no json", "[]", "[", "{}"])
def test_what_is_no_transcript_is_refused(caller: Caller, text: str) -> None:
    with pytest.raises(ToolError, match="transcript-empty") as caught:
        compact(caller, transcript=text)

    assert refusal_of(caught.value).status == 422


def test_a_text_that_no_file_can_hold_is_saved_without_it(caller: Caller) -> None:
    hostile = json.dumps([{"role": "assistant", "content": "todo \0 \ud800 x"}] * 9)
    large = json.loads(transcript()) + json.loads(hostile)

    assert compact(caller, transcript=json.dumps(large), write=True).saved == TASK
