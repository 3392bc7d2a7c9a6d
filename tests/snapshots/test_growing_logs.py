"""Logs that grow are imported from their end, with the rows of a whole import."""

from __future__ import annotations

from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.formats.openclaw.log_entries import Entry
from memoryhub.journal.lifetimes import Fact
from memoryhub.journal.models import Workspace
from memoryhub.journal.rows import Row
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from snapshots.importers import logs
from snapshots.importers.logs import KnownEntries
from snapshots.importers.provenance import Provenance
from snapshots.models import LogEntry
from tests.factories import imported
from tests.formats.test_growing import HEAD, LINES
from tests.growth import read_anew
from tests.projected import differences, projected_rows

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "memory/2026-11-20.md"


def grow(workspace: Workspace, text: str) -> None:
    with (Path(workspace.root) / LOG).open("a") as log:
        log.write(text)
    sync_workspace(workspace)


def rebuilt_in_whole(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuild without anything that is known of earlier versions."""
    with monkeypatch.context() as patch:
        read_anew(patch)
        patch.setattr(KnownEntries, "before", lambda *_: None)
        rebuild(workspace)


@pytest.mark.parametrize("seed", range(6))
def test_a_log_that_grew_has_the_rows_of_a_whole_import(
    hub_data: Path, workspace_root: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, chance = imported(workspace_root, {LOG: HEAD}), Random(seed)
    for _ in range(25):
        lines = chance.choices(LINES, k=chance.randrange(1, 5))
        grow(workspace, "\n".join(lines) + chance.choice(["", "\n", "\n\n"]))
    before = projected_rows(workspace)

    rebuilt_in_whole(workspace, monkeypatch)

    assert not differences(before, projected_rows(workspace))


def test_only_the_end_of_a_log_that_grew_is_imported(
    hub_data: Path, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Never read before in this process: a text known as a whole is not read as grown.
    head = f"{HEAD}- carried {uuid4()}\n"
    workspace = imported(workspace_root, {LOG: head})
    made: list[Entry] = []
    fact_of = logs._entry

    def counted(log: DailyLog, entry: Entry, where: Provenance, owned: Row) -> Fact:
        made.append(entry)
        return fact_of(log, entry, where, owned)

    monkeypatch.setattr(logs, "_entry", counted)

    grow(workspace, "- carried one more\n")

    assert len(made) == 1
    assert LogEntry.objects.filter(workspace=workspace).count() == head.count("- ") + 1
