"""An agent with a folder of its own owns the files in it, and no others."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.timeline.queries.agents import agents_now
from snapshots.models import LogEntry, OpenItem
from tests.factories import imported

pytestmark = pytest.mark.django_db
LOG = {"memory/2026-05-02.md": "# Log\n\n## 10:00 Tank\n\nRead the manual.\n"}
ONE = ".claude/agent-memory/linter/MEMORY.md"


def _owner() -> str:
    return str(LogEntry.objects.get().agent or "")


@pytest.mark.parametrize(
    "files",
    [
        {ONE: "# Linter memory\n\n- Node 20\n"},
        {"agents/linter/IDENTITY.md": "- **Name:** linter\n"},
    ],
)
def test_the_folder_of_one_agent_owns_nothing_of_the_rest(
    workspace_root: Path, hub_data: Path, files: dict[str, str]
) -> None:
    items = {"todo.md": "# To do\n\n- [ ] drain the tank\n"}
    imported(workspace_root, {**LOG, **items, **files})

    assert _owner() == ""
    assert not OpenItem.objects.filter(agent__isnull=False).exists()


def test_the_identity_of_the_root_owns_the_rest(
    workspace_root: Path, hub_data: Path
) -> None:
    own = {"agents/linter/memory/2026-05-03.md": "# Log\n\n## Check\n\nNo faults.\n"}
    identity = {"IDENTITY.md": "- **Name:**\n  Pip\n- **Creature:**\n  a heron\n"}
    imported(workspace_root, {**LOG, **own, **identity, ONE: "- Node 20\n"})

    owners = {row.title: str(row.agent or "") for row in LogEntry.objects.all()}
    assert owners == {"Tank": "Pip", "Check": "linter"}


def test_the_last_activity_is_behind_undated_decisions(
    workspace_root: Path, hub_data: Path
) -> None:
    choices = "".join(f"- Decision: use pump {n} in hall {n}\n" for n in range(40))
    identity = {"IDENTITY.md": "- **Name:** Olm\n"}
    files = {**LOG, **identity, "decisions.md": f"# Decisions\n\n{choices}"}
    workspace = imported(workspace_root, files)

    (olm,) = agents_now(workspace, timezone.now())
    assert olm.last_at == datetime(2026, 5, 2, 10, tzinfo=UTC)
    assert olm.last_title == "Tank"
