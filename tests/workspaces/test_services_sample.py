"""The sample's copy: as if its newest day were today."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.sample import copy_until, sample_folder
from snapshots.models import Snapshot
from tests.conftest import MakeWorkspace
from topics.models import Decision, Topic

SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"

pytestmark = pytest.mark.usefixtures("hub_data", "db")


def counts(workspace: Workspace) -> Counter[str]:
    models = (SourceFile, Topic, Decision, Snapshot, Handoff)
    found = {m.__name__: m.objects.filter(workspace=workspace).count() for m in models}
    codes = Problem.objects.filter(workspace=workspace).values_list(
        "code_name", flat=True
    )
    return Counter(found) + Counter(codes)


def test_its_newest_day_is_today() -> None:
    root = sample_folder()

    today = timezone.localdate()
    assert (root / f"memory/{today}.md").is_file()
    assert f"# {today} Daily Log" in (root / f"memory/{today}.md").read_text()
    assert (root / f"memory/handoffs/{today:%Y%m%d}-06.md").is_file()


def test_a_copy_that_is_there_stays_as_it_was_edited() -> None:
    (sample_folder() / "MEMORY.md").write_text("mine\n")

    assert (sample_folder() / "MEMORY.md").read_text() == "mine\n"


@pytest.mark.parametrize("today", [date(2027, 3, 1), date(2028, 2, 29)])
def test_moved_dates_change_no_other_row(
    make_workspace: MakeWorkspace, tmp_path: Path, today: date
) -> None:
    copy_until(SAMPLE, tmp_path / "moved", today)
    here, moved = make_workspace(SAMPLE), make_workspace(tmp_path / "moved")
    sync_workspace(here)
    sync_workspace(moved)

    assert counts(moved) == counts(here)


def test_a_copy_until_its_own_day_is_the_sample(tmp_path: Path) -> None:
    copy_until(SAMPLE, tmp_path / "same", date(2026, 11, 20))

    for path in filter(Path.is_file, SAMPLE.rglob("*")):
        copied = tmp_path / "same" / path.relative_to(SAMPLE)
        assert copied.read_bytes() == path.read_bytes()


def test_the_command_adds_it(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("add", "--sample")

    assert Workspace.objects.get().root == str(sample_folder())
    assert "acme-checkout: " in capsys.readouterr().out
