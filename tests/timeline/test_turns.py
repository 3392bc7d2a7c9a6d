"""What waits for a person, in which order, and who waits for whom in a circle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryhub.compaction.breaker import Breaker
from memoryhub.events.rules.waiting import Wait, cycles_of
from memoryhub.formats.others import plain
from memoryhub.formats.text.source import after_first_sentence, first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries.turn_sources import LIMIT
from memoryhub.timeline.queries.turns import (
    BlockedTopic,
    OpenHandoff,
    TurnFacts,
    turn_facts,
    turns_of,
    waits_of,
)
from tests.factories import imported, make_workspace_row
from tests.writing import say

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def handoff(
    task_id: str,
    *,
    ways: tuple[str, str] = ("planner", "builder"),
    type: str = "write",
    state: str = "open",
    topic: str = "",
    hours: int = 1,
) -> OpenHandoff:
    at = NOW - timedelta(hours=hours)
    texts = (f"Do {task_id}. Because.", "No luck. At all.")
    return OpenHandoff(1, task_id, *ways, type, state, *texts, topic, topic, at, at)


def blocked(topic: str) -> BlockedTopic:
    return BlockedTopic(1, "s1", "builder", "upstream", topic, topic, NOW)


def kinds(facts: TurnFacts) -> list[str]:
    return [turn.kind for turn in turns_of(facts, NOW)]


def test_a_normal_wait_of_agents_is_nobodys_turn() -> None:
    facts = TurnFacts((handoff("a"), handoff("b", state="in_progress")))

    assert kinds(facts) == []


def test_what_waits_is_in_the_order_of_its_urgency() -> None:
    facts = TurnFacts(
        handoffs=(
            handoff("f", state="failed"),
            handoff("b", state="blocked"),
            handoff("q", ways=("builder", "Human")),
            handoff("d", type="decision"),
            handoff("c1", ways=("x", "y")),
            handoff("c2", ways=("y", "x")),
        ),
        unreadable=("a.md", "b.md"),
        conflicts=("c.md",),
        breakers=(Breaker("scout", is_open=True),),
    )

    assert kinds(facts) == [
        "sign-off",
        "question",
        "deadlock",
        "breaker",
        "blocked",
        "failed",
        "conflict",
        "unreadable",
    ]


def test_of_one_kind_the_oldest_comes_first() -> None:
    facts = TurnFacts(
        (handoff("new", type="decision"), handoff("old", type="decision", hours=9))
    )

    found = [turn.handoff and turn.handoff.task_id for turn in turns_of(facts, NOW)]
    assert found == ["old", "new"]


def test_a_blocked_topic_and_its_stuck_handoff_are_one_row() -> None:
    stuck = handoff("b", state="blocked", topic="api")

    (turn,) = turns_of(TurnFacts((stuck,), (blocked("api"),)), NOW)

    assert (turn.handoff, turn.blocked) == (stuck, blocked("api"))


def test_a_failure_is_news_for_a_week() -> None:
    assert kinds(TurnFacts((handoff("f", state="failed", hours=24 * 7),))) == ["failed"]
    assert kinds(TurnFacts((handoff("f", state="failed", hours=24 * 8),))) == []


def test_no_more_rows_than_anybody_reads() -> None:
    facts = TurnFacts(tuple(handoff(str(n), type="decision") for n in range(300)))

    assert len(turns_of(facts, NOW)) == LIMIT


def test_a_circle_is_told_once() -> None:
    ways = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]
    waits = [Wait(*way, "t", "write", "open", NOW) for way in ways]

    assert cycles_of(waits) == (("a", "b", "c"),)


def test_work_under_way_and_waiting_for_oneself_are_no_deadlock() -> None:
    waits = [
        Wait("a", "b", "t", "write", "in_progress", NOW),
        Wait("b", "a", "t", "write", "open", NOW),
        Wait("c", "c", "t", "write", "open", NOW),
    ]

    assert cycles_of(waits) == ()


def test_a_long_chain_of_waits_is_walked() -> None:
    waits = [Wait(str(n), str(n + 1), "t", "write", "open", NOW) for n in range(50_000)]

    assert cycles_of(waits) == ()


def test_who_waits_for_a_signature_waits_for_nobody_by_name() -> None:
    (wait,) = waits_of([handoff("d", type="decision")])

    assert (wait.waiting, wait.on) == ("planner", "")


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


def test_one_query_finds_all_that_waits(
    workspace_root: Path,
    hub_data: Path,
    db: None,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    workspace = imported(
        workspace_root,
        {
            "memory/handoffs/1.md": TASK.format(id="1", type="decision"),
            "memory/context-session-map.json": "{",
            "memories/errors.md": ERRORS,
        },
    )
    turn_facts(workspace)

    with django_assert_num_queries(1):
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
    assert "Most files are gone at once" in overview


def test_what_waits_longest_is_found_among_hundreds_of_others(db: None) -> None:
    workspace, row = make_workspace_row(), make_handoff
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
    assert not facts.is_whole
    assert facts.unfinished == "500+"


def test_a_circle_is_found_among_hundreds_of_others(db: None) -> None:
    workspace, row = make_workspace_row(), make_handoff
    Handoff.objects.bulk_create(
        [
            *(row(workspace, n, hours=n) for n in range(600)),
            row(workspace, 600, hours=5_000, sender="builder", recipient="mason"),
            row(workspace, 601, hours=5_000, sender="mason", recipient="builder"),
        ]
    )

    assert turn_facts(workspace).circles == (("builder", "mason"),)


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
    return Handoff(
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

    found = turn_facts(imported(workspace_root, files)).handoffs

    assert {(h.task_id, h.result) for h in found} == {
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
    monkeypatch.setattr(plain, "parse", lambda text: 1 / 0)

    workspace = imported(workspace_root, {"a.md": "# A\n"})

    assert [t.kind for t in turns_of(turn_facts(workspace), NOW)] == ["unreadable"]
