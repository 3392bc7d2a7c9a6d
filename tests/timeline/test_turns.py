"""What waits for a person, in which order, and who waits for whom in a circle."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.compaction.breaker import Breaker
from memoryhub.dialects import plain
from memoryhub.formats.text.source import after_first_sentence, first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.waiting import Deadlock, circles_of
from memoryhub.handoffs.rules.acting import who_acts
from memoryhub.journal.models import Agent, Workspace
from memoryhub.timeline.queries.turns import LIMIT, TurnFacts, turn_facts, turns_of
from snapshots.models import Snapshot
from tests.factories import imported, make_workspace_row
from tests.writing import say

pytestmark = pytest.mark.usefixtures("day_of_rows")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def handoff(
    task_id: str,
    *,
    to: str = "builder",
    type: str = "write",
    state: str = "open",
    topic: int | None = None,
    hours: int = 1,
) -> Handoff:
    at = NOW - timedelta(hours=hours)
    row = Handoff(task_id=task_id, sender="planner", recipient=to, type=type)
    row.state, row.topic_id, row.occurred_at, row.last_at = state, topic, at, at
    row.id, row.acts = abs(hash(task_id)), who_acts(row)
    return row


def facts_of(*rows: Handoff, blocked: tuple[Snapshot, ...] = ()) -> TurnFacts:
    return TurnFacts(
        for_person=tuple(row for row in rows if row.for_person),
        stuck=tuple(r for r in rows if r.state == "blocked" and not r.for_person),
        failed=tuple(row for row in rows if row.state == "failed"),
        blocked=blocked,
    )


FIRST = {"id": 1, "first_seq": 1}


def kinds(facts: TurnFacts) -> list[str]:
    return [turn.kind for turn in turns_of(facts, NOW)]


def test_a_normal_wait_of_agents_is_nobodys_turn() -> None:
    facts = facts_of(handoff("a"), handoff("b", state="in_progress"))

    assert kinds(facts) == []


def test_what_waits_is_in_the_order_of_its_urgency() -> None:
    facts = replace(
        facts_of(
            handoff("f", state="failed"),
            handoff("b", state="blocked"),
            handoff("q", to="Human"),
            handoff("d", type="decision"),
        ),
        circles=(Deadlock(("1", "2"), ("x", "y")),),
        unreadable=("a.md", "b.md"),
        conflicts=("c.md",),
        breakers=(Breaker("scout", is_open=True),),
    )

    assert kinds(facts) == [
        "sign-off",
        "question",
        "conflict",
        "deadlock",
        "breaker",
        "blocked",
        "failed",
        "unreadable",
    ]


def test_of_one_kind_the_oldest_comes_first() -> None:
    facts = facts_of(handoff("new", type="decision"), handoff("old", to="me", hours=9))
    older = facts_of(handoff("b", to="me"), handoff("a", to="me", hours=9))

    assert [t.handoff.task_id for t in turns_of(older, NOW) if t.handoff] == ["a", "b"]
    assert kinds(facts) == ["sign-off", "question"]


def test_a_blocked_topic_and_its_stuck_handoff_are_one_row() -> None:
    stuck, said = handoff("b", state="blocked", topic=7), Snapshot(id=1, topic_id=7)
    said.occurred_at = NOW

    (turn,) = turns_of(facts_of(stuck, blocked=(said,)), NOW)

    assert (turn.handoff, turn.blocked) == (stuck, said)


def test_a_failure_is_news_for_a_week() -> None:
    week, longer = (handoff("f", state="failed", hours=24 * n) for n in (7, 8))

    assert kinds(facts_of(week)) == ["failed"]
    assert kinds(facts_of(longer)) == []


def test_no_more_rows_than_anybody_reads() -> None:
    facts = facts_of(*(handoff(str(n), type="decision") for n in range(300)))

    assert len(turns_of(facts, NOW)) == LIMIT


def test_a_circle_is_told_once() -> None:
    waits = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]

    assert circles_of(waits) == (("a", "b", "c"),)


def test_waiting_for_oneself_is_no_deadlock() -> None:
    assert circles_of([("c", "c"), ("b", "a")]) == ()


def test_a_long_chain_of_waits_is_walked() -> None:
    assert circles_of((str(n), str(n + 1)) for n in range(50_000)) == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Do it. Then that.", "Do it"),
        ("Do it.", "Do it"),
        ("Ask v2.1 first", "Ask v2.1 first"),
        ("One\ntwo", "One"),
        ("采用网络钩子。轮询太慢。", "采用网络钩子"),
        ("", ""),
    ],
)
def test_a_title_is_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Do it. Then that.", "Then that."),
        ("Do it\nnow. Then that.", "now. Then that."),
        ("采用网络钩子。轮询太慢。", "轮询太慢。"),
        ("Do it.", ""),
        ("", ""),
    ],
)
def test_what_a_title_leaves_out_is_told_below_it(text: str, rest: str) -> None:
    assert after_first_sentence(text) == rest


TASK = """# Handoff {id}

- topic: api

<task>
  <from>planner</from>
  <to>builder</to>
  <task_id>{id}</task_id>
  <type>{type}</type>
  <context>Use events. Polling is slow.</context>
</task>
"""
ERRORS = """# Errors

- 2026-11-19 17:21 scout: L2 failure 3 of 3: timed out, circuit breaker open
"""


def test_all_that_waits_is_found(
    workspace_root: Path, hub_data: Path, db: None
) -> None:
    workspace = imported(
        workspace_root,
        {
            "memory/handoffs/1.md": TASK.format(id="1", type="decision"),
            "memory/context-session-map.json": "{",
            "memories/errors.md": ERRORS,
        },
    )

    facts = turn_facts(workspace)

    assert [turn.kind for turn in turns_of(facts, NOW)] == [
        "sign-off",
        "breaker",
        "unreadable",
    ]
    assert facts.breakers[0].agent == "scout"
    assert facts.breakers[0].at == datetime(2026, 11, 19, 17, 21, tzinfo=UTC)


def test_files_that_are_gone_at_once_wait_for_a_person(
    client: Client, workspace_root: Path, hub_data: Path, db: None
) -> None:
    workspace = imported(workspace_root, {"a.md": "# A\n", "b.md": "# B\n"})
    say(workspace, {"a.md": None, "b.md": None})

    assert [turn.kind for turn in turns_of(turn_facts(workspace), NOW)] == ["gone"]
    overview = client.get(f"/w/{workspace.slug}/").content.decode()
    assert "Most files disappeared at once" in overview


def test_what_waits_longest_is_found_among_hundreds_of_others(db: None) -> None:
    workspace, row = make_workspace_row(), make_handoff
    Agent.objects.create(workspace=workspace, name="builder", declared=True, **FIRST)
    Handoff.objects.bulk_create(
        [
            *(row(workspace, n, hours=n) for n in range(600)),
            row(workspace, 600, hours=5_000, type="decision"),
            row(workspace, 601, hours=5_000, recipient=" Human "),
            row(workspace, 602, hours=5_000, state="blocked"),
            row(workspace, 603, hours=5_000, state="failed", last_at=NOW),
        ]
    )

    facts = turn_facts(workspace)

    assert kinds(facts) == ["sign-off", "question", "blocked", "failed"]
    assert facts.is_whole
    assert facts.unfinished == "500+"


def test_a_circle_is_found_among_hundreds_of_others(db: None) -> None:
    workspace, row = make_workspace_row(), make_handoff
    Agent.objects.create(workspace=workspace, name="builder", declared=True, **FIRST)
    Handoff.objects.bulk_create(
        [
            *(row(workspace, n, hours=n) for n in range(600)),
            row(
                workspace,
                600,
                hours=5_000,
                sender="builder",
                recipient="mason",
                after="t601",
            ),
            row(
                workspace,
                601,
                hours=5_000,
                sender="mason",
                recipient="builder",
                after="t600",
            ),
        ]
    )

    (circle,) = turn_facts(workspace).circles
    assert circle == Deadlock(("t600", "t601"), ("mason", "builder"))


def make_handoff(
    workspace: Workspace, number: int, *, hours: int, **values: object
) -> Handoff:
    said = {
        "sender": "planner",
        "recipient": "builder",
        "type": "read_only",
        "state": "open",
        **values,
    }
    row = Handoff(
        id=number + 1,
        workspace=workspace,
        file_id=1,
        position=number,
        first_line=1,
        last_line=1,
        first_seq=1,
        task_id=f"t{number}",
        occurred_at=NOW - timedelta(hours=hours),
        precision="second",
        **said,
    )
    row.acts = who_acts(row)
    return row


@pytest.mark.parametrize("verb", ["blocked", "failed"])
def test_why_work_is_stuck_is_said_by_its_log_or_by_its_result(
    workspace_root: Path, hub_data: Path, db: None, verb: str
) -> None:
    line = f"\n## Log\n\n- 2026-11-20T11:00:00Z builder: {verb} -- no access\n"
    said = f"<status>{verb}</status>\n<o>no disk</o>"
    result = f"\n<r>\n<task_id>2</task_id>\n{said}\n</r>\n"
    files = {
        "memory/handoffs/1.md": TASK.format(id="1", type="write") + line,
        "memory/handoffs/2.md": TASK.format(id="2", type="write") + result,
    }

    facts = turn_facts(imported(workspace_root, files))

    assert {(h.task_id, h.why) for h in facts.stuck + facts.failed} == {
        ("1", "no access"),
        ("2", "no disk"),
    }


def test_a_failure_of_today_is_told_however_old_its_log_is(
    workspace_root: Path, hub_data: Path, db: None
) -> None:
    log = "\n## Log\n\n- 2025-11-20T11:00:00Z builder: taken\n"
    failed = "\n<r>\n<task_id>1</task_id>\n<status>failed</status>\n</r>\n"
    text = TASK.format(id="1", type="write") + log + failed

    workspace = imported(workspace_root, {"memory/handoffs/1.md": text})

    turns = turns_of(turn_facts(workspace), timezone.now())
    assert [turn.kind for turn in turns] == ["failed"]


@pytest.mark.usefixtures("quiet_importers")
def test_a_file_that_could_not_be_imported_waits_for_a_person(
    workspace_root: Path, hub_data: Path, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "split_sections", lambda text: 1 / 0)

    workspace = imported(workspace_root, {"a.md": "# A\n"})

    assert [t.kind for t in turns_of(turn_facts(workspace), NOW)] == ["unreadable"]
