"""What is read from a file follows its role: pointers and settings give it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.record.projection import rebuild
from snapshots.models import LogEntry
from snapshots.services.assigning import assignment
from tests.factories import TOPIC
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

NOTE = "# Boiler\n\n## Decisions\n\n- We keep the valve\n"
POINTER = "# Memory\n\n- [Boiler](house/boiler.md) — what was decided\n"


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    return make_workspace(workspace_root)


def _role(workspace: Workspace, path: str) -> str:
    return SourceFile.objects.get(workspace=workspace, path=path, present=True).role


def _decided(workspace: Workspace) -> list[str]:
    rows = Decision.objects.filter(workspace=workspace, open_sources__gt=0)
    return list(rows.values_list("text", flat=True))


def test_a_note_elsewhere_is_a_document_of_which_nothing_is_read(
    workspace: Workspace,
) -> None:
    say(workspace, {"house/boiler.md": NOTE})

    assert _role(workspace, "house/boiler.md") == "document"
    assert _decided(workspace) == []


def test_a_note_that_memory_points_to_is_memory(workspace: Workspace) -> None:
    say(workspace, {"house/boiler.md": NOTE, "MEMORY.md": POINTER})

    assert _role(workspace, "house/boiler.md") == "memory"
    assert _decided(workspace) == ["We keep the valve"]


def test_a_pointer_added_later_counts_at_once_and_one_taken_away_too(
    workspace: Workspace,
) -> None:
    say(workspace, {"house/boiler.md": NOTE})
    say(workspace, {"MEMORY.md": POINTER})
    assert _decided(workspace) == ["We keep the valve"]
    assert_a_rebuild_changes_nothing(workspace)

    say(workspace, {"MEMORY.md": "# Memory\n\nNothing.\n"})
    assert _role(workspace, "house/boiler.md") == "document"
    assert _decided(workspace) == []


def test_a_pattern_in_the_settings_gives_files_their_role(workspace: Workspace) -> None:
    workspace.roles = [["house/*", "memory"]]
    workspace.save()
    say(workspace, {"house/boiler.md": NOTE})

    assert _role(workspace, "house/boiler.md") == "memory"
    assert _decided(workspace) == ["We keep the valve"]


def test_an_upgrade_gives_files_roles_and_keeps_what_people_set(
    workspace: Workspace,
) -> None:
    """As of a hub that read everything: what was read from memory has its id."""
    workspace.roles = [["*", "memory"]]
    workspace.save()
    log = "# 2026-05-02\n\n## 07:30 Boiler\nWe looked.\n\nDecision: keep valve 3.\n"
    files: dict[str, str | bytes | None] = {
        "memory/2026-05-02.md": log,
        "memory/context-api.md": TOPIC,
        "docs/guide.md": NOTE,
    }
    say(workspace, files)
    entry = LogEntry.objects.get(title="Boiler")
    assert entry.topic is not None
    apply_edit(workspace, assignment(entry, agent=None, topic=None, actor="operator"))
    read = dict(Decision.objects.values_list("text", "id"))
    assert "We keep the valve" in read

    workspace.refresh_from_db()
    workspace.roles, workspace.projection_version = [], 1
    workspace.save()
    SourceFile.objects.update(role="")
    say(workspace, {})

    assert _role(workspace, "docs/guide.md") == "document"
    assert _role(workspace, "memory/2026-05-02.md") == "memory"
    del read["We keep the valve"]
    assert dict(Decision.objects.values_list("text", "id")) == read
    kept = LogEntry.objects.get(pk=entry.pk)
    assert (kept.topic, kept.topic_rule) == (None, "assigned")


def test_an_upgrade_keeps_documents_memory_whose_topics_people_assigned(
    workspace: Workspace,
) -> None:
    workspace.roles = [["*", "memory"]]
    workspace.save()
    log = "# 2026-05-02\n\n## 07:30 Boiler\nWe looked.\n"
    shop = "# Shop\n\n- [ ] Weigh the parcels\n"
    files: dict[str, str | bytes | None] = {
        "memory/2026-05-02.md": log,
        "projects/shop [a].md": shop,
        "docs/guide.md": NOTE,
    }
    say(workspace, files)
    entry = LogEntry.objects.get(title="Boiler")
    topic = Topic.objects.get(file__path="projects/shop [a].md")
    edit = assignment(entry, agent=None, topic=topic.pk, actor="operator")
    apply_edit(workspace, edit)
    workspace.refresh_from_db()
    workspace.roles = []
    workspace.save()

    module = import_module("snapshots.migrations.0004_roles_of_assigned")
    module.keep_memory(apps, None)
    workspace.refresh_from_db()
    rebuild(workspace)

    assert workspace.roles == [["projects/shop [[]a].md", "memory"]]
    kept = LogEntry.objects.get(pk=entry.pk)
    assert kept.topic is not None and kept.topic.pk == topic.pk
    assert _role(workspace, "docs/guide.md") == "document"
