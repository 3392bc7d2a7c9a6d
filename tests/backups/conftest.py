"""A hub of its own, in real files, for each test of backups."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from memoryhub.backups import sealing
from memoryhub.backups.ledger import BackupEntry
from memoryhub.backups.taking import Source, Wish, take_backup
from tests.browser.hub import copy_hub, prepare_hub

LOG = "# 2026-11-20\n\n## 09:00 Tokens\n\nTokens rotate.\n"


@pytest.fixture(scope="session", autouse=True)
def keys_derived_once() -> Iterator[None]:
    """Derive the key of one header and passphrase once: that is costly by design."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sealing, "_cipher", cache(sealing._cipher))
        yield


@pytest.fixture(scope="session")
def made_hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a hub with one workspace, which nobody changes."""
    folder = tmp_path_factory.mktemp("hub")
    notes = folder / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory/2026-11-20.md").write_text(LOG)
    (notes / "MEMORY.md").write_text("# Index\n")
    prepare_hub(folder, [notes])
    return folder


@pytest.fixture
def hub(made_hub: Path, tmp_path: Path) -> Path:
    """Return the data folder of a hub of the test's own; `notes` lies beside it."""
    return copy_hub(made_hub, tmp_path / "hub") / "data"


def backed_up(data: Path, to: Path, passphrase: str = "", keep: int = 0) -> BackupEntry:
    """Take a backup of the hub in a data folder."""
    source = Source(data, data / "memoryhub.sqlite3")
    return take_backup(source, Wish(to, passphrase, keep), lambda: datetime.now(UTC))
