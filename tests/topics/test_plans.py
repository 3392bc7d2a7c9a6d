"""Plans and specifications as topics, with their tasks and decisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

DIALECTS = Path(__file__).parents[2] / "memoryhub/dialects"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> str:
    dialect, _, file = name.partition("/")
    return (DIALECTS / dialect / "samples" / file).read_text("utf-8")


def test_a_plan_is_a_topic_with_entries_items_and_decisions(
    workspace: Workspace,
) -> None:
    say(workspace, {"plans/tide-import.md": sample("exec_plan/tide-import.md")})

    topic = Topic.objects.get()
    assert topic.name == "tide-import"
    first, second = LogEntry.objects.order_by("first_line")
    assert (first.kind, first.precision) == (LogEntry.Kind.ENTRY, "second")
    assert first.occurred_at.isoformat() == "2026-05-01T13:00:00+00:00"
    assert second.occurred_at.date().isoformat() == "2026-05-02"
    assert OpenItem.objects.filter(done=False, topic=topic).count() == 2
    decided = Decision.objects.get(text__startswith="Times are kept")
    assert decided.occurred_at.date().isoformat() == "2026-05-01"
    assert decided.reason == "the summer hour comes twice a year"
    assert decided.topic_id == topic.id
    assert_a_rebuild_changes_nothing(workspace)


def test_the_files_of_a_feature_are_one_topic(workspace: Workspace) -> None:
    folder = "specs/001-ferry-alarm"
    say(workspace, {f"{folder}/tasks.md": sample("spec_kit/tasks.md")})
    say(workspace, {f"{folder}/spec.md": sample("spec_kit/spec.md")})

    topic = Topic.objects.get()
    assert (topic.name, topic.title) == ("001-ferry-alarm", "Ferry alarm")
    assert topic.status == "Draft"
    assert OpenItem.objects.filter(done=False, topic=topic).count() == 3
    assert_a_rebuild_changes_nothing(workspace)


def test_a_feature_ends_with_its_spec(workspace: Workspace) -> None:
    folder = "specs/001-ferry-alarm"
    say(workspace, {f"{folder}/spec.md": sample("spec_kit/spec.md")})
    say(workspace, {f"{folder}/spec.md": None})

    assert not Topic.objects.filter(last_seq=None).exists()
    assert_a_rebuild_changes_nothing(workspace)
