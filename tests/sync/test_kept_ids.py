"""Ids of statements: of their texts, and those that an earlier version gave."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.utils import timezone

from memoryhub.journal.models import Agent, KeptId, Workspace
from memoryhub.sync.record.projection import rebuild
from snapshots.models import OpenItem
from snapshots.services.assigning import assign, assignment
from tests.factories import TOPIC, imported, snapshot_text
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Directive

LOG = "memory/2026-11-20.md"
TEXT = (
    "# 2026-11-20\n\n## 07:30 - Started (builder)\n\nAgent: builder\n\n"
    "## Next steps\n\n- [ ] Rotate the logs\n- [ ] Measure the import\n\n"
    "## Rules\n\n- Never delete a log\n- Never push on a Friday\n"
)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    other = TOPIC.replace("agent:builder:main", "agent:scout:main")
    return imported(workspace_root, {LOG: TEXT, "memory/context-api.md": other})


def as_of_earlier_version() -> dict[str, int]:
    """Give all statements ids as of places, migrate; return the ids by text."""
    for model in (OpenItem, Directive):
        for number, row in enumerate(model.everything.order_by("position"), 7):
            model.everything.filter(pk=row.pk).update(id=number)
    ids = {
        row.text: row.pk
        for model in (OpenItem, Directive)
        for row in model.everything.all()
    }
    assert len(ids) == 4
    return ids


def upgrade() -> None:
    import_module("snapshots.migrations.0003_kept_ids").keep_ids(apps, None)
    rebuild(Workspace.objects.get())


def test_statements_of_an_earlier_version_keep_their_ids(workspace: Workspace) -> None:
    before = as_of_earlier_version()

    upgrade()

    for model in (OpenItem, Directive):
        for row in model.everything.all():
            assert before[row.text] == row.pk
    assert_a_rebuild_changes_nothing(workspace)


def test_what_a_person_assigned_stays_with_its_item(workspace: Workspace) -> None:
    code = as_of_earlier_version()["Measure the import"]
    row = OpenItem.objects.get(pk=code)
    agent = Agent.objects.get(name="scout")
    edit = assignment(row, agent=agent.pk, topic=None, actor="dana")
    workspace.refresh_from_db()
    assign(workspace, edit, timezone.now())

    upgrade()

    assigned = OpenItem.objects.filter(agent_rule="assigned")
    assert [(one.text, one.pk) for one in assigned] == [("Measure the import", code)]


def test_an_item_is_named_by_its_text_whatever_stands_before_it(
    workspace: Workspace,
) -> None:
    other = TEXT.replace("- [ ] Rotate the logs\n", "")
    say(workspace, {"memory/2026-11-21.md": TEXT, "memory/2026-11-22.md": other})
    ids = OpenItem.objects.values_list("pk", flat=True)

    assert len(set(ids)) == 5
    assert not KeptId.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_equal_texts_of_a_file_have_ids_of_their_own(workspace: Workspace) -> None:
    twice = f"# Log\n\n{snapshot_text(1)}\n{snapshot_text(2)}"
    say(workspace, {"memory/2026-11-21.md": twice})

    rows = OpenItem.everything.filter(file__path="memory/2026-11-21.md")
    assert rows.values("text").distinct().count() < rows.count()
    assert_a_rebuild_changes_nothing(workspace)
