from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from memoryhub.events.models import Event
from memoryhub.journal.models import Source, Workspace
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, HistoryEntry, SessionBinding, Topic

MakeWorkspace = Callable[[Path], Workspace]

MAP = "memory/context-session-map.json"
KEY = "agent:main:telegram:direct:7"


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def topic(*decisions: str, session: str = "", status: str = "Fine.") -> str:
    meta = f"## Meta\n- **session**: {session}\n\n" if session else ""
    listed = "".join(f"- {decision}\n" for decision in decisions)
    return f"# t\n\n{meta}## Current Status\n{status}\n\n## Key Decisions\n{listed}"


def snapshot(*decisions: str) -> str:
    listed = "".join(f"- {decision}\n" for decision in decisions)
    return (
        "# Day\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        "<!-- timestamp: 2026-11-02T10:00:00 -->\n"
        "<!-- snapshot-id: 2026-11-02-01 -->\n\n"
        f"### [SNAPSHOT] Decisions Made\n{listed}\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )


def log(*decisions: str) -> str:
    return "# Decisions\n\n" + "".join(f"- {decision}\n" for decision in decisions)


def verbs(kind: str) -> list[str]:
    events = Event.objects.filter(kind=kind).order_by("position")
    return list(events.values_list("verb", flat=True))


def bound_to(key: str = KEY) -> tuple[str, bool]:
    binding = SessionBinding.objects.get(session_key=key)
    return binding.topic_name, binding.last_seq is None


def test_the_same_decision_in_three_files_is_one_row(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-a.md": topic("2026-11-01: Use queues (they last)"),
        "memory/2026-11-02.md": snapshot("**Use queues** -- they last"),
        "memories/decisions.md": log("2026-11-01: use queues."),
    })  # fmt: skip

    decision = Decision.objects.get()
    assert (decision.text, decision.reason) == ("Use queues", "they last")
    assert decision.decided_on == date(2026, 11, 1)
    assert decision.open_sources == 3
    assert Source.objects.filter(target_id=decision.id, last_seq=None).count() == 3
    assert verbs("decision") == ["added"]


def test_a_later_file_gives_a_decision_the_topic_that_the_first_one_lacks(
    workspace: Workspace,
) -> None:
    say(workspace, {"memories/decisions.md": log("2026-11-01: Use queues")})
    assert Decision.objects.get().topic is None

    say(workspace, {"memory/context-mail.md": topic("2026-11-01: Use queues (fast)")})

    decision = Decision.objects.get()
    assert decision.topic is not None
    assert (decision.topic.name, decision.reason) == ("mail", "fast")


def test_the_first_file_that_names_a_signer_is_believed(workspace: Workspace) -> None:
    signed = "2026-11-01: Use queues (signed off by {})"
    say(workspace, {"memory/context-a.md": topic(signed.format("Dana 2026-11-02"))})
    say(workspace, {"memory/context-b.md": topic(signed.format("Eve 2026-11-05"))})

    decision = Decision.objects.get()
    assert (decision.signed_off_by, decision.signed_off_on) == (
        "Dana", date(2026, 11, 2)
    )  # fmt: skip
    assert verbs("decision") == ["added", "signed_off"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_decision_with_a_colon_stands_with_its_whole_text(
    workspace: Workspace,
) -> None:
    say(workspace, {"memories/decisions.md": log("Queue: use Redis (it is there)")})

    decision = Decision.objects.get()
    assert (decision.text, decision.state) == ("Queue: use Redis", "stated")


def test_a_snapshots_decision_has_the_reason_behind_it(workspace: Workspace) -> None:
    say(workspace, {"memory/2026-11-02.md": snapshot("Use queues -- they last")})

    decision = Decision.objects.get()
    assert (decision.text, decision.reason) == ("Use queues", "they last")


def test_a_pruned_decision_is_kept_and_closed(workspace: Workspace) -> None:
    say(workspace, {"memory/context-a.md": topic("Use queues", "Keep REST")})
    say(workspace, {"memory/context-a.md": topic("Keep REST")})

    pruned = Decision.objects.get(text="Use queues")
    assert (pruned.open_sources, pruned.last_seq) == (0, 2)
    assert Source.objects.get(target_id=pruned.id).last_seq == 2
    assert verbs("decision") == ["added", "added", "dropped"]


def test_a_decision_added_again_opens_a_new_span(workspace: Workspace) -> None:
    say(workspace, {"memory/context-a.md": topic("Use queues")})
    say(workspace, {"memory/context-a.md": topic("Keep REST")})
    say(workspace, {"memory/context-a.md": topic("Keep REST", "Use queues")})

    again = Decision.objects.get(text="Use queues")
    spans = Source.objects.filter(target_id=again.id).order_by("first_seq")
    assert [(s.first_seq, s.last_seq) for s in spans] == [(1, 2), (3, None)]
    assert (again.open_sources, again.last_seq) == (1, None)
    assert verbs("decision")[-1] == "restored"


def test_a_decision_said_elsewhere_too_is_not_dropped(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-a.md": topic("Use queues"),
        "memory/context-b.md": topic("Use queues"),
    })  # fmt: skip
    say(workspace, {"memory/context-a.md": None})

    assert Decision.objects.get().last_seq is None
    assert Decision.objects.get().open_sources == 1


@pytest.mark.parametrize("old_first", [True, False])
def test_a_superseded_decision_is_named_from_both_sides(
    workspace: Workspace, *, old_first: bool
) -> None:
    old = {"memory/context-a.md": topic("2026-10-01: Long polling")}
    new = {
        "memory/context-b.md": topic(
            "2026-11-01: Use SSE (one way; supersedes 2026-10-01: long polling)"
        )
    }
    for files in (old, new) if old_first else (new, old):
        say(workspace, dict(files))

    replaced = Decision.objects.get(text="Long polling")
    assert replaced.state == Decision.State.SUPERSEDED
    assert [d.text for d in replaced.superseded_by.all()] == ["Use SSE"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_rejection_is_a_state_of_what_it_rejects(workspace: Workspace) -> None:
    say(workspace, {"memory/context-a.md": topic("Use GraphQL (one endpoint)")})
    say(workspace, {
        "memory/context-a.md": topic(
            "Use GraphQL (one endpoint)", "2026-11-05: Rejected: Use GraphQL (no team)"
        )
    })  # fmt: skip

    decision = Decision.objects.get()
    assert (decision.state, decision.reason) == ("rejected", "one endpoint")
    assert verbs("decision") == ["added", "rejected"]
    assert Event.objects.get(verb="rejected").detail == "no team"


def test_what_was_only_ever_rejected_is_a_decision(workspace: Workspace) -> None:
    say(workspace, {"memories/decisions.md": log("2026-11-05: Rejected: Use GraphQL")})

    assert Decision.objects.get().state == Decision.State.REJECTED
    assert verbs("decision") == ["rejected"]


def test_a_sign_off_is_learned_and_does_not_revive(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-a.md": topic("Use SSE", "Long polling"),
        "memory/context-b.md": topic("New (supersedes Long polling)"),
    })  # fmt: skip
    say(workspace, {
        "memories/decisions.md": log(
            "Use SSE (why; signed off by Ana 2026-11-04)",
            "Long polling (why; signed off by Ana 2026-11-04)",
        )
    })  # fmt: skip

    signed = Decision.objects.get(text="Use SSE")
    assert (signed.state, signed.signed_off_by) == ("signed_off", "Ana")
    assert signed.signed_off_on == date(2026, 11, 4)
    assert Decision.objects.get(text="Long polling").state == "superseded"


def test_pruning_history_keeps_the_rows_of_the_other_lines(
    workspace: Workspace,
) -> None:
    lines = [f"- 2026-11-01: step {number}\n" for number in range(40)]
    say(workspace, {"memory/context-a.md": "# a\n\n## History\n" + "".join(lines)})
    before = set(HistoryEntry.objects.values_list("id", flat=True))

    say(workspace, {"memory/context-a.md": "# a\n\n## History\n" + "".join(lines[30:])})

    assert set(HistoryEntry.objects.values_list("id", flat=True)) == before
    assert HistoryEntry.objects.filter(last_seq=None).count() == 10


def test_the_map_outdoes_meta(workspace: Workspace) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "mapped"}}'})
    say(workspace, {"memory/context-other.md": topic(session=KEY)})

    assert bound_to() == ("mapped", True)
    assert verbs("session") == ["bound"]


def test_a_map_read_after_meta_rebinds(workspace: Workspace) -> None:
    say(workspace, {"memory/context-other.md": topic(session=KEY)})
    say(workspace, {MAP: f'{{"{KEY}": "mapped"}}'})

    assert bound_to() == ("mapped", True)
    assert verbs("session") == ["bound", "rebound"]


def test_without_the_map_meta_holds_again(workspace: Workspace) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "mapped"}}'})
    say(workspace, {"memory/context-other.md": topic(session=KEY)})

    say(workspace, {MAP: "{}"})

    assert bound_to() == ("other", True)
    assert SessionBinding.objects.get().topic_id == Topic.objects.get().id
    assert verbs("session") == ["bound", "rebound"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_session_can_be_bound_to_another_topic_and_unbound(
    workspace: Workspace,
) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "one"}}'})
    say(workspace, {MAP: f'{{"{KEY}": "two"}}'})
    assert bound_to() == ("two", True)

    say(workspace, {MAP: "{}"})

    assert bound_to() == ("two", False)
    assert verbs("session") == ["bound", "rebound"]


def test_a_memory_bank_is_one_topic(workspace: Workspace) -> None:
    say(workspace, {"shop/memory-bank/progress.md": "# Progress\n\n- 2026-11-01: a\n"})
    focus = "# Active Context\n\n## Current Focus\n\nShip.\n"
    say(workspace, {"shop/memory-bank/activeContext.md": focus})

    bank = Topic.objects.get()
    assert (bank.kind, bank.name, bank.last_seq) == ("bank", "shop", None)
    assert "Ship." in bank.status
    assert_a_rebuild_changes_nothing(workspace)


def test_every_file_of_a_memory_bank_is_about_its_topic(workspace: Workspace) -> None:
    focus = "# Active Context\n\n## Current Focus\n\nShip.\n"
    log = "# Decision Log\n\n- [2026-11-01 10:00:00] - Keep the old queue\n"
    say(workspace, {
        "shop/memory-bank/activeContext.md": focus,
        "shop/memory-bank/decisionLog.md": log,
    })  # fmt: skip

    decision = Decision.objects.get()
    assert decision.text == "Keep the old queue"
    assert decision.topic == Topic.objects.get(name="shop")


def test_history_of_a_memory_bank_goes_with_its_file_to_another_topic(
    workspace: Workspace,
) -> None:
    focus = "# Active Context\n\n## Current Focus\n\nShip.\n"
    done = "# Progress\n\n## History\n\n- 2026-11-01: a\n"
    say(workspace, {
        "shop/memory-bank/activeContext.md": focus,
        "shop/memory-bank/progress.md": done,
    })  # fmt: skip

    say(workspace, {
        "shop/memory-bank/progress.md": None,
        "shop/memory-bank/context-shop.md": done,
    })  # fmt: skip

    assert_a_rebuild_changes_nothing(workspace)


def test_a_note_and_a_fact_are_topics_of_their_own(workspace: Workspace) -> None:
    fact = "---\nname: deploys\ndescription: Check first\ntype: project\n---\n\nDo.\n"
    say(workspace, {
        "memory/topic-plan.md": "# The plan\n\nShip it.\n",
        "memory/deploying.md": fact,
    })  # fmt: skip

    told = Topic.objects.order_by("kind").values_list(
        "kind", "name", "title", "status", "created_on", "session_key"
    )
    assert list(told) == [
        ("fact", "deploys", "deploys", "Check first", None, ""),
        ("note", "plan", "The plan", "Ship it.", None, ""),
    ]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_note_outside_the_memory_folder_is_a_topic_by_its_name(
    workspace: Workspace,
) -> None:
    say(workspace, {"notes/topic-plan.md": "# P\n", "notes/plan.md": "# P\n"})

    assert list(Topic.objects.values_list("name", flat=True)) == ["plan"]


def test_a_status_is_of_the_version_that_said_it(workspace: Workspace) -> None:
    for text in (topic(), topic(status="Done."), topic("Use SSE", status="Done.")):
        say(workspace, {"memory/context-a.md": text})

    assert Topic.objects.get().status_seq == 2


def test_an_address_has_the_topics_name_with_dashes(workspace: Workspace) -> None:
    say(workspace, {"memory/context-our api, v2.md": topic()})

    assert Topic.objects.get().slug == "our-api-v2"


def test_two_files_of_one_topic_name_are_two_topics(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-a.md": topic(status="First."),
        "memory/archive/context-a.md": topic(status="Second."),
    })  # fmt: skip

    statuses = Topic.objects.filter(name="a").values_list("status", flat=True)
    assert sorted(statuses) == ["First.", "Second."]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_decision_marked_as_superseded_is_that_decision(workspace: Workspace) -> None:
    marked = "2026-11-02: Superseded: Poll every minute (too slow)"
    say(workspace, {"memory/decisions.md": log(marked)})

    (decision,) = Decision.objects.all()
    assert (decision.text, decision.reason) == ("Poll every minute", "too slow")
    assert decision.state == Decision.State.SUPERSEDED
    assert_a_rebuild_changes_nothing(workspace)
