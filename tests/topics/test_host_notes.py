"""Notes of other memory programs as topics, with what they state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Directive, HistoryEntry, Topic

DIALECTS = Path(__file__).parents[2] / "memoryhub/dialects"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> str:
    dialect, _, file = name.partition("/")
    return (DIALECTS / dialect / "samples" / file).read_bytes().decode()


def test_a_note_of_basic_memory_is_a_topic_with_its_decisions(
    workspace: Workspace,
) -> None:
    say(workspace, {"apiary/Beehive.md": sample("basic_memory/Beehive.md")})

    topic = Topic.objects.get()
    assert (topic.name, topic.kind) == ("Beehive 3", Topic.Kind.NOTE)
    decision = Decision.objects.get()
    assert decision.topic_id == topic.id
    assert decision.occurred_at.date().isoformat() == "2026-02-03"
    assert Directive.objects.get().text == "Always write weights in kilograms"
    assert OpenItem.objects.filter(done=False, topic=topic).count() == 3
    assert not LogEntry.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_page_of_a_wiki_has_its_claims_as_history(workspace: Workspace) -> None:
    say(workspace, {"wiki/entities/crane.md": sample("wiki_page/harbour.md")})

    topic = Topic.objects.get()
    assert (topic.name, topic.status) == (
        "Harbour crane",
        "Built in 1974, painted twice since.",
    )
    load, wind = HistoryEntry.objects.order_by("first_line")
    assert load.text == (
        "The crane lifts 12 tons at most. (supported, 0.9, "
        "memory/2026-04-20.md:12-14, source.harbour-master)"
    )
    assert wind.text == (
        "It stops above wind force 7, and the siren sounds. (contested)"
    )
    assert OpenItem.objects.get().text == "Who has the second key?"
    assert_a_rebuild_changes_nothing(workspace)


def test_a_topic_ends_with_its_claims(workspace: Workspace) -> None:
    say(workspace, {"wiki/entities/crane.md": sample("wiki_page/harbour.md")})
    say(workspace, {"wiki/entities/crane.md": "# Crane\n"})

    assert not Topic.objects.filter(last_seq=None).exists()
    assert not HistoryEntry.objects.filter(last_seq=None).exists()
    assert not OpenItem.objects.filter(last_seq=None).exists()
    assert_a_rebuild_changes_nothing(workspace)
