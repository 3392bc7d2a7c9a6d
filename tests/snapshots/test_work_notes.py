"""Entries, open items and decisions of notes on a piece of work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.dialects.daily_log import parse
from memoryhub.formats.base import NOWHERE
from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

DIALECTS = Path(__file__).parents[2] / "memoryhub/dialects"
THREAD = "memories/rollout_summaries/2026-08-03T09-11-20-k3Zd-frost_alarm.md"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(dialect: str, name: str) -> str:
    return (DIALECTS / dialect / "samples" / name).read_bytes().decode()


def thread() -> str:
    return sample("rollout_summary", THREAD.rpartition("/")[2])


def open_texts() -> list[str]:
    items = OpenItem.objects.filter(last_seq=None, done=False)
    return [*items.order_by("first_line").values_list("text", flat=True)]


@pytest.mark.parametrize(
    "path",
    sorted((DIALECTS / "daily_log/samples").iterdir()),
    ids=lambda path: path.name,
)
def test_a_line_of_a_log_is_of_the_entry_that_has_it(path: Path) -> None:
    log = parse(path.read_bytes().decode())

    for line in range(log.text.count("\n") + 3):
        holding = (e for e in log.entries if e.lines.first <= line <= e.lines.last)
        entry = next(holding, None)
        found = log.entry_at(line).lines
        assert found == (entry.lines if entry else NOWHERE)


def test_a_thread_of_codex_is_one_entry_on_the_topic_of_its_folder(
    workspace: Workspace,
) -> None:
    say(workspace, {THREAD: thread()})

    entry = LogEntry.objects.get()
    assert entry.title == "The frost alarm rang at noon; it reads the right probe now"
    assert entry.excerpt == "alarm at noon: success; quiet hours: partial"
    assert entry.session_key == "0198aa40-a8ff-72e2-a7da-43b8f9befc65"
    assert entry.occurred_at.isoformat() == "2026-08-03T09:11:20+00:00"
    assert open_texts() == ["Should the alarm ring twice below -3 °C?"]
    assert Decision.objects.get().occurred_at == entry.occurred_at
    topic = Topic.objects.get()
    assert (topic.name, topic.kind) == ("alarm", Topic.Kind.NAMED)
    assert entry.topic == Decision.objects.get().topic == topic
    assert_a_rebuild_changes_nothing(workspace)


def test_rows_of_a_thread_end_where_its_file_becomes_a_note(
    workspace: Workspace,
) -> None:
    say(workspace, {THREAD: thread()})
    say(workspace, {THREAD: "# Only a note\n"})

    assert not LogEntry.objects.filter(last_seq=None, kind="session").exists()
    assert open_texts() == []
    assert_a_rebuild_changes_nothing(workspace)
