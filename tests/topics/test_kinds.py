"""What describes a topic, by the kind of its file; and changes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, SessionBinding, Topic

FOCUS = "# Active Context\n\n## Current Focus\n\nShip.\n"
FACT = "---\nname: Deploys\ndescription: Check first\ntype: {}\n---\n\nDo.\n"
BARE = "# A\n\n## Key Decisions\n"
MAP = "memory/context-session-map.json"
KEY = "agent:dev:cli:direct:7"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def described() -> list[tuple[Any, ...]]:
    columns = ("kind", "name", "title", "status", "status_first_line")
    alive = Topic.objects.filter(last_seq=None).exclude(kind="named").order_by("name")
    return list(alive.values_list(*columns, "status_last_line"))


def told(kind: str = "topic") -> list[tuple[Any, ...]]:
    events = Event.objects.filter(kind=kind).order_by("position")
    return list(events.values_list("verb", "title", "detail", "line"))


@pytest.mark.parametrize(
    ("path", "text", "topic"),
    [
        (
            "memory/context-a_b.md",
            "# A\n\n## Current Status\n\nOpen.\nStill.\n",
            ("context", "a_b", "A", "Open.\nStill.", 5, 6),
        ),
        ("memory/context-a.md", BARE, ("context", "a", "A", "", 0, 0)),
        (
            "memory/fig-tree.md",
            "# The tree\n\nWater it.\nTwice.\n",
            ("note", "fig-tree", "The tree", "Water it. Twice.", 3, 4),
        ),
        ("notes/topic-plan.md", "Ship.\n", ("note", "plan", "", "Ship.", 1, 1)),
        (
            "memory/projects/pier/status.md",
            "# S\n\nOk.\n",
            ("note", "pier", "S", "Ok.", 3, 3),
        ),
        (
            "memory/deploying.md",
            FACT.format("project"),
            ("fact", "Deploys", "Deploys", "Check first", 3, 3),
        ),
        (
            "memory/project_the_pier.md",
            FACT.format("reference"),
            ("fact", "the-pier", "Deploys", "Check first", 3, 3),
        ),
        (
            "shop/memory-bank/activeContext.md",
            FOCUS,
            ("bank", "shop", "shop", "Ship.", 5, 5),
        ),
    ],
)
def test_a_topic_has_name_title_and_status_of_its_file(
    workspace: Workspace, path: str, text: str, topic: tuple[Any, ...]
) -> None:
    say(workspace, {path: text})

    assert described() == [topic]
    _, name, _, status, line, _ = topic
    assert told() == [("added", name, status, line)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/user-ana.md", FACT.format("user")),
        ("memory/feedback.md", FACT.format("feedback")),
        ("memory/2026-11-01.md", "# Day\n"),
        ("memory/2026-W44.md", "# Week\n"),
        *((f"memory/{name}.md", "# X\n") for name in ("README", "index", "Todo")),
        ("memory/list.txt", "X\n"),
        ("docs/fig-tree.md", "# The tree\n"),
        ("shop/memory-bank/techContext.md", "# Tech\n"),
    ],
)
def test_other_files_are_no_topics(workspace: Workspace, path: str, text: str) -> None:
    say(workspace, {path: text})

    assert described() == []


def test_of_a_memory_bank_the_file_with_the_status_speaks(workspace: Workspace) -> None:
    bank = "shop/memory-bank"
    say(workspace, {f"{bank}/progress.md": "# Progress\n\n- 2026-11-01: a\n"})
    assert described() == [("bank", "shop", "shop", "", 0, 0)]
    say(workspace, {f"{bank}/activeContext.md": FOCUS})
    say(workspace, {f"{bank}/progress.md": "# Progress\n\n- 2026-11-02: b\n"})

    assert described() == [("bank", "shop", "shop", "Ship.", 5, 5)]
    assert told() == [("added", "shop", "", 0), ("status", "shop", "Ship.", 5)]
    topic = Topic.objects.get()
    assert (topic.first_seq, topic.status_seq) == (1, 2)
    assert_a_rebuild_changes_nothing(workspace)


def test_a_topic_changes_ends_and_begins_again(workspace: Workspace) -> None:
    text = "# A\n\n## Current Status\n{}\n"
    place = "memory/context-a.md"
    for day, said in enumerate(("Open.", "Open.", "Done."), 1):
        history = f"\n## History\n- 2026-11-0{day}: Looked\n"
        say(workspace, {place: text.format(said) + history})
    say(workspace, {place: None, "memory/x.md": "# X\n\nLine.\n"})
    assert Topic.objects.get(name="a").last_seq == 5

    say(workspace, {place: text.format("Again.")})

    assert [one for one in told() if one[1] == "a"] == [
        ("added", "a", "Open.", 4),
        ("status", "a", "Done.", 4),
        ("removed", "a", "Done.", 4),
        ("added", "a", "Again.", 4),
    ]
    topic = Topic.objects.get(name="a")
    assert (topic.first_seq, topic.last_seq, topic.status_seq) == (1, None, 6)


def test_a_second_file_of_one_name_is_a_topic_of_its_own(workspace: Workspace) -> None:
    for folder in ("memory", "old/memory", "older/memory"):
        say(workspace, {f"{folder}/context-a.md": BARE})

    first, second, third = Topic.objects.order_by("first_seq")
    assert {first.name, second.name, third.name} == {"a"}
    for row in (first, second, third):
        assert row.slug == row.code
    for folder in ("old/memory", "older/memory"):
        say(workspace, {f"{folder}/context-a.md": None})
    assert Topic.objects.get(pk=first.pk).slug == "a"


def test_a_name_without_letters_has_an_address_too(workspace: Workspace) -> None:
    say(workspace, {"memory/context-++.md": BARE})

    assert Topic.objects.values_list("name", "slug").get() == ("++", "topic")


def test_a_renamed_topic_takes_its_history_and_decisions_along(
    workspace: Workspace,
) -> None:
    text = (
        "# A\n\n## Key Decisions\n- Use queues\n\n"
        "## History\n- 2026-11-12: Compaction completed (280→45 messages)\n"
    )
    say(workspace, {"memory/context-a.md": text})
    say(workspace, {"memory/context-a.md": None, "memory/context-b.md": text})

    named = Topic.objects.get(name="b")
    assert Topic.objects.get(name="a").last_seq == 2
    decision = Decision.objects.get()
    assert (decision.topic_id, decision.last_seq) == (named.pk, None)
    of_decision = Event.objects.filter(kind="decision").values_list("topic", flat=True)
    assert {*of_decision} == {named.pk}
    assert {entry.topic_id for entry in named.history.all()} == {named.pk}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_session_is_bound_rebound_and_falls_back(workspace: Workspace) -> None:
    meta = f"# T\n\n## Meta\n- **session**: {KEY}\n"
    say(workspace, {"memory/context-one.md": meta})
    say(workspace, {MAP: f'{{\n "{KEY}": "two"\n}}'})
    say(workspace, {"memory/context-three.md": meta})
    say(workspace, {MAP: "{}"})

    assert told("session") == [
        ("bound", KEY, "one", 4),
        ("rebound", KEY, "two", 2),
        ("rebound", KEY, "three", 2),
    ]  # fmt: skip
    binding = SessionBinding.objects.get()
    assert (binding.topic_name, binding.in_map, binding.open_sources) == (
        "three", False, 2,
    )  # fmt: skip
    assert binding.topic == Topic.objects.get(name="three")
    agents = Event.objects.filter(kind="session").values_list("agent__name", flat=True)
    assert {*agents} == {"dev"}
    for name in ("one", "three"):
        say(workspace, {f"memory/context-{name}.md": "# T\n"})
    ended = SessionBinding.objects.get()
    assert (ended.open_sources, ended.last_seq) == (0, 6)
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize(
    ("line", "state", "events"),
    [
        ("2026-11-03: Rejected: Use queues (slow)", "rejected", [("rejected", "slow")]),
        ("Use sets (fast; supersedes Use queues)", "superseded", []),
        ("2026-11-03: Superseded: Use queues (slow)", "superseded", []),
        (
            "Use queues (x; signed off by Ana 2026-11-04)",
            "signed_off",
            [("signed_off", "they last")],
        ),
        ("Use queues (other reason)", "stated", []),
    ],
)
def test_a_line_elsewhere_changes_the_state_of_a_decision(
    workspace: Workspace, line: str, state: str, events: list[tuple[str, str]]
) -> None:
    text = "# A\n\n## Key Decisions\n- 2026-11-01: Use queues (they last)\n"
    say(workspace, {"memory/context-a.md": text})
    say(workspace, {"memories/decisions.md": f"# Decisions\n\n- {line}\n"})

    decision = Decision.objects.get(text="Use queues")
    assert (decision.state, decision.reason) == (state, "they last")
    assert (decision.first_seq, decision.last_seq) == (1, None)
    rows = told("decision")[1:]
    found = [(verb, why) for verb, title, why, _ in rows if title == "Use queues"]
    assert found == events
    assert all(at == 3 for *_, at in rows)
    assert_a_rebuild_changes_nothing(workspace)
