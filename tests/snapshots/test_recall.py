from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryhub.formats import injection
from memoryhub.journal.models import Workspace
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import Recall, recall_and_last, recall_of
from snapshots.models import OpenItem, SessionMemory
from tests.factories import TOPIC, imported, small, snapshot_text
from tests.statements import statements
from tests.writing import say
from topics.models import Topic

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HANDOFF = """# Handoff 20261120-03

- topic: api

<task>
  <from>planner</from>
  <to>builder</to>
  <type>write</type>
  <task_id>20261120-03</task_id>
  <context>Wire the queue</context>
  <expected_output>A green test</expected_output>
</task>

## Log

- 2026-11-20T08:10:00Z planner: sent
"""


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def topic_of(workspace: Workspace, name: str = "api") -> Topic:
    rows = Topic.objects.select_related("file__blob", "workspace")
    return rows.get(workspace=workspace, name=name)


def asked(workspace: Workspace, **request: Any) -> Recall:
    return recall_of(
        workspace, topic_of(workspace), RecallRequest(**{"now": NOW, **request})
    )


def keys(recall: Recall) -> list[str]:
    return [block.key for block in recall.blocks if block.text]


def codes(recall: Recall) -> list[str]:
    return [notice.code for notice in recall.notices]


def test_snap_memorys_form_is_exactly_what_it_injects(workspace: Workspace) -> None:
    recall = asked(workspace, form="snap-memory")

    assert recall.text == injection.wrap(TOPIC)
    assert "".join(block.text for block in recall.blocks) == recall.text
    assert codes(recall) == []


def test_without_a_session_snap_memory_says_that_nothing_is_injected(
    workspace: Workspace,
) -> None:
    say(workspace, {"memory/context-other.md": "# other\n\n## Current Status\nIdle.\n"})

    recall = recall_of(
        workspace, topic_of(workspace, "other"), RecallRequest("snap-memory", now=NOW)
    )

    assert codes(recall) == ["unbound"]


def test_the_hubs_form_has_its_blocks_in_order(workspace: Workspace) -> None:
    say(workspace, {"memory/handoffs/20261120-03.md": HANDOFF})

    recall = asked(workspace)

    assert keys(recall)[:4] == ["safety", "topic", "snapshot", "handoffs"]
    assert recall.text == "\n".join(b.text for b in recall.blocks if b.text)
    assert "20261120-03 (write, open) planner -> builder: Wire the queue" in recall.text
    assert "> 2026-11-20-02, 2026-11-20" in recall.text
    assert "2026-11-20-01" not in recall.text


def test_decisions_that_the_topics_file_says_are_not_said_twice(
    workspace: Workspace,
) -> None:
    recall = asked(workspace)

    decisions = next(b for b in recall.blocks if b.key == "decisions")
    assert "Use events" in decisions.text
    assert "Poll every minute" not in decisions.text


def test_blocks_can_be_left_out(workspace: Workspace) -> None:
    recall = asked(workspace, without=frozenset({"snapshot"}))

    assert "snapshot" not in keys(recall)
    assert next(b for b in recall.blocks if b.key == "snapshot").cut == "unchecked"


@pytest.mark.parametrize("budget", [1, 200, 300, 500, 1_000])
def test_a_recall_stays_within_its_budget(workspace: Workspace, budget: int) -> None:
    recall = asked(workspace, budget=budget)

    assert recall.tokens <= recall.budget == max(budget, 200)


def test_a_chinese_topic_stays_within_its_budget_too(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    status = "\n".join(["接口已上线，等待试点租户确认。" * 4] * 60)
    files = {"memory/context-api.md": TOPIC.replace("Endpoints live.", status)}
    recall = asked(imported(workspace_root, files), budget=1_000)

    assert 500 < recall.tokens <= 1_000 and "over-budget" in codes(recall)


def test_what_the_budget_cuts_is_named_with_its_lines(workspace: Workspace) -> None:
    recall = asked(workspace, budget=200)

    (cut,) = (n.parameters for n in recall.notices if n.code == "over-budget")
    assert cut == {"budget": 200, "blocks": ["topic", "snapshot"]}
    assert "Left out for the budget of 200 tokens" in recall.text


def test_a_long_topic_file_leaves_room_for_the_snapshot(workspace: Workspace) -> None:
    say(workspace, {"memory/context-api.md": TOPIC + "- 2026-11-13: more\n" * 500})

    recall = asked(workspace, budget=1_000)

    cuts = {block.key: block.cut for block in recall.blocks}
    assert (cuts["topic"], cuts["snapshot"]) == ("budget", "")


def test_a_cut_text_names_the_lines_that_are_missing(workspace: Workspace) -> None:
    long = TOPIC + "- 2026-11-13: x\n```\n" + "code\n" * 2_000
    say(workspace, {"memory/context-api.md": long})

    recall = asked(workspace, budget=1_000)

    topic = next(b for b in recall.blocks if b.key == "topic")
    assert topic.cut == "budget"
    assert topic.text.splitlines()[-2] == "> code"
    assert f"lines {topic.first}-{topic.last}" in topic.text


def test_r3_a_topic_without_snapshot_falls_back_to_a_session_memory(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    memory = (
        "## Session ID\nWFS-1\n\n## Objective\nShip it\n\n"
        "## Last Action\nRan the tests\n\n## Pending\n- push\n\n## Notes\n(none)\n"
    )
    workspace = imported(
        workspace_root,
        {
            "memory/context-api.md": TOPIC,
            "memory/sessions/CMEM-20261120-080000.md": memory,
        },
    )

    SessionMemory.objects.update(topic=topic_of(workspace))

    recall = asked(workspace)

    assert recall.fallback == "session-memory"
    assert "Ran the tests" in recall.text


def test_r3_a_snapshot_of_the_topics_agent_stands_in(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    block = snapshot_text(1).replace("<!-- topic: api -->\n", "")
    other = TOPIC.replace("api", "web").replace("builder", "builder")
    workspace = imported(
        workspace_root,
        {
            "memory/context-api.md": TOPIC,
            "memory/context-web.md": other,
            "memory/context-session-map.json": '{"agent:builder:main": "api",'
            ' "agent:builder:two": "web"}',
            "memory/2026-11-20.md": block,
        },
    )

    recall = asked(workspace)

    assert recall.fallback == "agent-snapshot"
    assert "the newest of its agent\n\n> 2026-11-20-01, 2026" in recall.text


def test_r3_with_nothing_to_fall_back_to_it_says_so(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/context-api.md": TOPIC})

    assert asked(workspace).fallback == "none"


def test_decisions_of_other_work_stand_beside_the_topics_own(
    workspace: Workspace,
) -> None:
    say(
        workspace, {"memories/decisions.md": "# Decisions\n\n- 2026-11-21: Buy lamps\n"}
    )
    given = {block.key: block.text for block in asked(workspace).blocks}

    assert "Buy lamps" in given["other-decisions"]
    assert "Buy lamps" not in given["decisions"]
    assert "Buy lamps" not in asked(workspace, beside=False).text


def test_a_decision_after_the_snapshot_is_a_notice(workspace: Workspace) -> None:
    newer = TOPIC.replace("## History", "- 2026-11-21: Drop the queue\n\n## History")
    say(workspace, {"memory/context-api.md": newer})

    assert "decision-after-snapshot" in codes(asked(workspace))


def test_a_compaction_after_the_snapshot_is_a_notice(workspace: Workspace) -> None:
    newer = TOPIC + "- 2026-11-21: Compaction completed (100→20 messages)\n"
    say(workspace, {"memory/context-api.md": newer})

    assert "snapshot-before-compaction" in codes(asked(workspace))


def test_it_tells_what_it_would_have_been_at_a_seq(workspace: Workspace) -> None:
    before = asked(workspace)
    workspace.refresh_from_db()
    seq = workspace.last_seq
    log = (Path(workspace.root) / "memory/2026-11-20.md").read_text()
    say(
        workspace,
        {
            "memory/context-api.md": TOPIC.replace("Endpoints live.", "All done."),
            "memory/2026-11-20.md": "# Moved down\n\n" + log + snapshot_text(3),
        },
    )

    assert asked(workspace, seq=seq).text == before.text
    assert asked(workspace).text != before.text


def test_it_quotes_a_file_from_before_it_was_moved(workspace: Workspace) -> None:
    before = asked(workspace)
    workspace.refresh_from_db()
    seq, path = workspace.last_seq, "memory/2026-11-20.md"
    data = Path(workspace.root, path).read_bytes()
    say(workspace, {"memory/archive/2026-11-20.md": data, path: None})

    then = asked(workspace, seq=seq)

    assert then.text == before.text.replace(path, "memory/archive/2026-11-20.md")
    assert "> 2026-11-20-02, 2026-11-20" in then.text


def test_text_that_waits_to_be_written_stands_for_the_file(
    workspace: Workspace,
) -> None:
    recall = asked(workspace, form="snap-memory", text="# api\n")

    assert recall.text == injection.wrap("# api\n")


def test_openclaws_form_gives_the_index_and_the_logs_of_two_days(
    workspace: Workspace,
) -> None:
    say(
        workspace,
        {
            "memory/2026-11-19.md": "Yesterday.\n",
            "memory/2026-11-18.md": "Too long ago.\n",
            "memory/2026-11-20-late.md": "Late.\n",
        },
    )

    recall = asked(workspace, form="openclaw")

    assert keys(recall) == [
        "index",
        "safety",
        "daily:memory/2026-11-20.md",
        "daily:memory/2026-11-20-late.md",
        "daily:memory/2026-11-19.md",
    ]
    assert "Too long ago" not in recall.text
    assert "[Startup context loaded by runtime]" in recall.text


def test_a_day_without_logs_is_said(workspace: Workspace) -> None:
    recall = asked(workspace, form="openclaw", now=datetime(2027, 1, 1, tzinfo=UTC))

    assert "no-daily" in codes(recall)
    assert "Startup context" not in recall.text


@pytest.mark.parametrize("form", ["hub", "openclaw", "snap-memory"])
def test_a_recall_takes_the_same_queries_for_more_handoffs(
    workspace: Workspace, form: str
) -> None:
    request = RecallRequest(form, now=NOW)

    def asked() -> list[int]:
        topic = topic_of(workspace)
        return [
            statements(lambda: recall_of(workspace, topic, request)),
            statements(lambda: recall_and_last(topic, request)),
        ]

    say(workspace, {"memory/handoffs/20261120-03.md": HANDOFF})
    few = asked()
    for number in range(4, 9):
        more = HANDOFF.replace("20261120-03", f"20261120-0{number}")
        say(workspace, {f"memory/handoffs/20261120-0{number}.md": more})

    assert asked() == few


def test_now_and_the_last_time_differ_by_what_came_between(
    workspace: Workspace,
) -> None:
    say(workspace, {"memory/handoffs/20261120-03.md": HANDOFF})

    now, last = recall_and_last(topic_of(workspace), RecallRequest(now=NOW))

    assert last is not None
    assert "Wire the queue" in now.text and "Wire the queue" not in last.text


LOG = """# 2026-11-20

## 09:00 Queue of the api

- topic: api

### Rules
- Never page anyone without asking me

### Next steps
- [ ] paint the hull
"""


def test_a_topic_has_its_open_items_and_what_people_directed(
    workspace: Workspace,
) -> None:
    say(workspace, {"memory/2026-11-19.md": LOG})
    OpenItem.objects.filter(text="paint the hull").update(topic=topic_of(workspace))
    recall = asked(workspace)

    assert keys(recall)[1:6] == [
        *("topic", "snapshot", "rules", "decisions", "open-items")
    ]
    assert "paint the hull (since 2026-11-19; topic api;" in recall.text
    assert "(memory/2026-11-19.md:8, on disk)" in recall.text


def test_what_was_not_said_yet_is_not_in_the_last_recall(workspace: Workspace) -> None:
    say(workspace, {"memory/2026-11-19.md": LOG})
    OpenItem.objects.update(topic=topic_of(workspace))
    _, last = recall_and_last(topic_of(workspace), RecallRequest(now=NOW))

    assert last is not None
    assert "paint the hull" not in last.text
    assert "page anyone" not in last.text
