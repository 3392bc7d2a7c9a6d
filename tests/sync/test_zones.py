"""A workspace has the time zone that its files state, until a person chooses one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import LogEntry

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "# 2026-05-03\n\n## 晚上 21:00 收尾\nDone.\n\n## 22:10 UTC — check\nDone.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "w/memory").mkdir(parents=True)
    (tmp_path / "w/memory/2026-05-03.md").write_text(LOG, encoding="utf-8")
    return add_workspace(tmp_path / "w", slug="w")


def _state(workspace: Workspace, zone: str) -> None:
    text = f"# USER.md\n\n- **Timezone:** {zone}\n"
    (Path(workspace.root) / "USER.md").write_text(text, encoding="utf-8")


def _times(workspace: Workspace) -> list[datetime]:
    rows = LogEntry.objects.filter(workspace=workspace).order_by("first_line")
    return [row.occurred_at.astimezone(UTC) for row in rows]


def test_user_md_states_the_zone_of_times_without_one(workspace: Workspace) -> None:
    _state(workspace, "Asia/Shanghai")
    sync_workspace(workspace)

    workspace.refresh_from_db()
    assert workspace.time_zone == "Asia/Shanghai"
    assert [f"{at:%H:%M}" for at in _times(workspace)] == ["13:00", "22:10"]


def test_a_zone_stated_later_applies_to_what_is_there(workspace: Workspace) -> None:
    sync_workspace(workspace)
    _state(workspace, "Europe/Lisbon")
    sync_workspace(workspace)

    assert [f"{at:%H:%M}" for at in _times(workspace)] == ["20:00", "22:10"]


def test_a_zone_that_a_person_chose_stays(workspace: Workspace) -> None:
    _state(workspace, "Asia/Shanghai")
    sync_workspace(workspace)
    Workspace.objects.filter(pk=workspace.pk).update(time_zone="UTC", zone_chosen=True)
    sync_workspace(workspace)

    workspace.refresh_from_db()
    assert workspace.time_zone == "UTC"


def test_a_log_may_have_a_zone_of_its_own(workspace: Workspace) -> None:
    path = Path(workspace.root) / "memory/2026-05-03.md"
    path.write_text(f"---\ntimezone: Asia/Tokyo\n---\n{LOG}", encoding="utf-8")
    sync_workspace(workspace)

    workspace.refresh_from_db()
    assert workspace.time_zone == "UTC"
    assert [f"{at:%H:%M}" for at in _times(workspace)] == ["12:00", "22:10"]
