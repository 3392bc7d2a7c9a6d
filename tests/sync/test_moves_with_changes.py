"""Files that moved and changed between two syncs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryhub.events.models import Event
from memoryhub.journal.models import Problem, Revision, SourceFile, Workspace
from memoryhub.journal.versions import readable_versions, versions_of
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.sync.record.projection import rebuild
from tests.projected import differences, projected_rows
from topics.models import Decision, Topic

MakeWorkspace = Callable[[Path], Workspace]

LOG = """# 2026-11-01

## 10:00 - The printer was installed

It stands in the corridor, and takes paper of two sizes.

## 11:30 - Letters are queued

Decision: Letters wait in a queue (the printer is slow)
"""
MORE = "\n## 14:00 - A new cartridge\n\nThe old one was empty.\n"
NOTE = """# Billing

Invoices are sent on the first working day of the month.
The tax office wants the VAT number on each of them.

## Decisions

- We keep ten years of invoices (the law wants it)
"""


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/2026-11-01.md").write_text(LOG)
    (workspace_root / "memory/billing.md").write_text(NOTE)
    (workspace_root / "memory/tools.md").write_text("# Tools\n\nWe use a hammer.\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


def move(workspace: Workspace, old: str, new: str, text: str) -> None:
    """Move a file and give it another text before the next sync."""
    place = Path(workspace.root, new)
    place.parent.mkdir(parents=True, exist_ok=True)
    Path(workspace.root, old).rename(place)
    place.write_text(text)
    sync_workspace(workspace)


def assert_a_rebuild_changes_nothing(workspace: Workspace) -> None:
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_a_log_that_moved_and_grew_is_the_same_file(workspace: Workspace) -> None:
    before = SourceFile.objects.get(path="memory/2026-11-01.md")
    entries = list(workspace.logentrys.values_list("pk", flat=True))

    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)

    after = SourceFile.objects.get(path="memory/old/2026-11-01.md")
    assert (after.id, after.present) == (before.id, True)
    assert Revision.objects.get(kind="moved").moved_from == "memory/2026-11-01.md"
    open_now = workspace.logentrys.filter(last_seq=None)
    assert set(entries) < set(open_now.values_list("pk", flat=True))
    assert open_now.count() == len(entries) + 1
    assert_a_rebuild_changes_nothing(workspace)


def test_history_and_blame_go_through_the_move(workspace: Workspace) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)

    versions = versions_of(workspace, "memory/old/2026-11-01.md")
    assert [v.path for v in versions] == [
        "memory/old/2026-11-01.md",
        "memory/2026-11-01.md",
    ]
    readable, _ = readable_versions(workspace, versions[0].path, versions[0].seq)
    assert [v.seq for v in readable] == sorted(v.seq for v in versions)


def test_decisions_and_topics_of_a_note_go_along(workspace: Workspace) -> None:
    topic, decision = Topic.objects.get(name="billing"), _decision("We keep ten years")

    text = NOTE.replace("VAT number", "VAT and order number")
    move(workspace, "memory/billing.md", "memory/invoices.md", text)

    assert _decision("We keep ten years").id == decision.id
    assert _decision("We keep ten years").last_seq is None
    assert Topic.objects.get(pk=topic.pk).name == "invoices"
    assert Topic.objects.get(pk=topic.pk).last_seq is None
    assert_a_rebuild_changes_nothing(workspace)


def _decision(text: str) -> Decision:
    return Decision.objects.get(text__startswith=text)


def test_lines_that_a_file_lost_on_the_way_are_a_loss(workspace: Workspace) -> None:
    short = "\n".join(line for line in LOG.splitlines() if "corridor" not in line)

    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", short)

    loss = Problem.objects.get(code_name="log-shrank", until_seq=None)
    assert (loss.path, loss.parameters["lines"]) == ("memory/old/2026-11-01.md", 1)


def test_an_export_has_the_file_once_with_its_new_bytes(workspace: Workspace) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)

    files = {file.path: file.data for file in workspace_files(workspace)}

    assert files["memory/old/2026-11-01.md"].decode() == LOG + MORE
    assert "memory/2026-11-01.md" not in files


def test_a_file_that_became_another_text_is_a_new_one(workspace: Workspace) -> None:
    move(workspace, "memory/billing.md", "memory/garden.md", "# Garden\n\nRoses.\n" * 9)

    assert not Revision.objects.filter(kind="moved").exists()
    assert not SourceFile.objects.get(path="memory/billing.md").present
    assert_a_rebuild_changes_nothing(workspace)


def test_a_copy_is_no_move(workspace: Workspace) -> None:
    Path(workspace.root, "copy.md").write_text(LOG + MORE)
    report = sync_workspace(workspace)

    assert (report.added, report.moved, report.deleted) == (1, 0, 0)


def test_equal_bytes_go_before_likeness(workspace: Workspace) -> None:
    root = Path(workspace.root)
    (root / "memory/2026-11-01.md").unlink()
    (root / "a.md").write_text(LOG + MORE)
    (root / "b.md").write_text(LOG)

    report = sync_workspace(workspace)

    moved = Revision.objects.get(kind="moved")
    assert (report.moved, report.added, report.deleted) == (1, 1, 0)
    assert (moved.path, moved.moved_from) == ("b.md", "memory/2026-11-01.md")


def test_a_reorganisation_is_no_mass_deletion(workspace: Workspace) -> None:
    root = Path(workspace.root)
    for name in ("2026-11-01.md", "billing.md", "tools.md"):
        old, new = root / "memory" / name, root / "notes" / name
        new.parent.mkdir(exist_ok=True)
        new.write_text(old.read_text() + "\nMoved here.\n")
        old.unlink()

    report = sync_workspace(workspace)

    assert (report.moved, report.added, report.deleted) == (3, 0, 0)
    assert not report.held
    assert_a_rebuild_changes_nothing(workspace)


def test_pages_name_the_old_place_and_the_change(
    workspace: Workspace, client: Client
) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)
    base = f"/w/{workspace.slug}"

    for page in ("/imports/2/", "/files/memory/old/2026-11-01.md?view=history"):
        text = _words(client, base + page)
        assert "moved and changed" in text, page
        assert "from memory/2026-11-01.md" in text, page
    timeline = _words(client, f"{base}/timeline/?kind=file")
    assert "moved and changed" in timeline
    assert "from memory/2026-11-01.md" in timeline


def test_the_files_that_changed_name_the_old_place(
    workspace: Workspace, client: Client
) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)

    text = _words(client, f"/w/{workspace.slug}/")

    assert "from memory/2026-11-01.md" in text


def test_pages_call_a_file_that_only_moved_moved(
    workspace: Workspace, client: Client
) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG)

    for page in ("imports/2/", "timeline/?kind=file"):
        text = _words(client, f"/w/{workspace.slug}/{page}")
        assert "moved" in text
        assert "moved and changed" not in text


def _words(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return " ".join(answer.content.decode().split())


def test_the_move_is_an_event_beside_what_the_file_gained(workspace: Workspace) -> None:
    move(workspace, "memory/2026-11-01.md", "memory/old/2026-11-01.md", LOG + MORE)

    event = Event.objects.get(kind="file", verb="moved")
    assert (event.title, event.data) == (
        "memory/old/2026-11-01.md",
        {"from": "memory/2026-11-01.md"},
    )


NAMES = ["a.md", "b.md", "memory/a.md", "old/a.md", "memory/2026-11-01.md"]
TEXTS = [LOG, LOG + MORE, NOTE, NOTE + MORE, NOTE[:120], "# Tools\n", ""]


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(TEXTS)), max_size=4
    )
)
def test_whatever_moves_the_files_on_disk_are_those_of_the_journal(
    workspace: Workspace, states: list[dict[str, str]]
) -> None:
    root = Path(workspace.root)
    for state in states:
        for path in root.rglob("*.md"):
            path.unlink()
        for name, text in state.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        sync_workspace(workspace, accept_deletions=True)
        files = {f.path: f.data.decode() for f in workspace_files(workspace)}
        present = SourceFile.objects.filter(workspace=workspace, present=True)
        assert files == state
        assert set(present.values_list("path", flat=True)) == state.keys()
    # Once for all states: it replays the journal of all examples so far.
    assert_a_rebuild_changes_nothing(workspace)
