"""What Health and `status` say of the hub's backups."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memoryhub.backups.ledger import BackupEntry, record_backup, record_failure
from memoryhub.journal.models import Workspace

MakeWorkspace = Callable[[Path], Workspace]


@pytest.fixture
def health(
    make_workspace: MakeWorkspace, workspace_root: Path, client: Client
) -> Callable[[], str]:
    workspace = make_workspace(workspace_root)

    def page() -> str:
        return client.get(f"/w/{workspace.slug}/health/").content.decode()

    return page


def taken(folder: Path, at: datetime) -> BackupEntry:
    file = folder / "memoryhub-backup.tar.gz"
    file.write_bytes(b"x" * 2_000_000)
    return BackupEntry(file, at, 2_000_000, 3, False, verified_at=at)


def test_a_hub_without_a_backup_is_told_so(health: Callable[[], str]) -> None:
    page = health()

    assert "No backup yet" in page and "MEMORYHUB_BACKUP_DIR" in page


def test_the_last_backup_is_told(health: Callable[[], str], hub_data: Path) -> None:
    record_backup(hub_data, taken(hub_data, timezone.now() - timedelta(days=2)))

    page = health()

    assert "Last backup 2 days ago" in page and "2.0 MB" in page
    assert "memoryhub-backup.tar.gz" in page and "MEMORYHUB_BACKUP_DIR" not in page


@pytest.mark.parametrize("concern", ["old", "gone", "failed"])
def test_what_is_wrong_with_it_is_told(
    health: Callable[[], str],
    hub_data: Path,
    concern: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    days = 8 if concern == "old" else 1
    last = taken(hub_data, timezone.now() - timedelta(days=days))
    record_backup(hub_data, last)
    if concern == "gone":
        last.path.unlink()
    if concern == "failed":
        record_failure(hub_data, "No space left on device", timezone.now())

    call_command("status", "--json")

    assert json.loads(capsys.readouterr().out)["backup"]["concern"] == concern
    assert "MEMORYHUB_BACKUP_DIR" in health()
