"""What is forgotten is not left in the audit log."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.audit.chain import verify
from memoryhub.audit.models import AuditEntry
from memoryhub.forgetting.forgettings import Target, ask, carry_on, confirm, plan
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import imported

PATH = "memory/context-falcon.md"
TEXT = "# falcon\n\n## Current Status\nProject Falcon is late.\n"


@pytest.mark.django_db
def test_a_forgotten_name_is_gone_from_subjects_and_steps_are_recorded(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace: Workspace = imported(workspace_root, {PATH: TEXT})
    apply_edit(workspace, Edit(PATH, "set_status", {"text": "On time."}, "ada"))
    assert AuditEntry.objects.filter(subject__contains="falcon").exists()

    asked = ask(workspace, Target("regex", "(?i)falcon", minutes=0), "ada")
    confirm(plan(asked), now=True)
    carry_on(asked)

    entries = list(AuditEntry.objects.order_by("id"))
    written = next(entry for entry in entries if entry.action == "write.set_status")
    assert written.subject == "memory/context-[forgotten].md"
    steps = [entry.action for entry in entries if entry.action.startswith("forget.")]
    assert steps == ["forget.confirmed", "forget.erased"]
    assert "(?i)falcon" not in repr(list(AuditEntry.objects.values()))
    found = verify()
    assert found.fault is None and found.redacted >= 1
