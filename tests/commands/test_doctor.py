"""`memoryhub doctor`: what it proves and what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import call_command

from memoryhub.hooks.client import spool_frame
from memoryhub.journal.models import Blob, Revision, Workspace
from memoryhub.management.commands import doctor
from memoryhub.repair.checkup import check_database
from memoryhub.repair.trial import run_trial
from memoryhub.sync.engine import sync_workspace

MakeWorkspace = Callable[[Path], Workspace]


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    for name in ("a", "b"):
        (workspace_root / f"{name}.md").write_text(f"# {name}\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


def wrong() -> list[str]:
    return [finding.name for finding in check_database() if not finding.holds]


def test_the_loop_holds(make_workspace: MakeWorkspace, tmp_path: Path) -> None:
    findings = list(run_trial(tmp_path / "trial", make_workspace))

    assert len(findings) == 8
    assert [name for name, holds in findings if not holds] == []


def test_a_sound_database_has_nothing_wrong(workspace: Workspace) -> None:
    assert wrong() == []


def test_a_gap_in_a_journal_is_found(workspace: Workspace) -> None:
    Revision.objects.filter(seq=1).delete()

    assert wrong() == ["the journal of notes has no gaps"]


def test_bytes_that_were_changed_are_found(workspace: Workspace) -> None:
    Blob.objects.filter(id=Blob.objects.earliest("id").id).update(data=b"other")

    assert wrong() == ["every stored version has its hash"]


def test_rows_that_are_behind_are_found(workspace: Workspace) -> None:
    Workspace.objects.update(projected_seq=0)

    assert wrong() == ["the rows of notes are those of its journal"]


def test_the_trial_runs_apart_from_the_persons_database(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("doctor", "--json")

    told = json.loads(capsys.readouterr().out)
    assert told["holds"] is True
    assert len(told["findings"]) == 13
    assert Workspace.objects.count() == 1


def test_something_wrong_is_its_exit_code(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "_tried_apart", lambda: iter(()))
    Revision.objects.filter(seq=1).delete()

    with pytest.raises(SystemExit) as ended:
        call_command("doctor")

    assert ended.value.code == 1
    assert "WRONG the journal of notes has no gaps (" in capsys.readouterr().out


def told(data: Path, event: str = "before_compaction") -> None:
    body = b'{"event": {}, "ctx": {"sessionKey": "agent:main:x"}}'
    parts = dict.fromkeys(("folder", "workspace", "agent"), b"")
    known = {"event": event.encode(), "key": event.encode(), "at_ns": b"1"}
    spool_frame({**parts, **known, "body": body}, str(data))


def hooks_finding(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with suppress(SystemExit):
        call_command("doctor", *options)
    return capsys.readouterr().out.splitlines()[-1]


def test_what_hooks_told_is_done_or_counted(
    workspace: Workspace,
    hub_data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "_tried_apart", lambda: iter(()))
    told(hub_data)
    assert hooks_finding(capsys).startswith("ok ")
    Path(workspace.root).rename(hub_data / "away")
    told(hub_data, "before_reset")

    line = hooks_finding(capsys)

    assert line.startswith("WRONG every event that hooks told was done (1 wait: ")
    assert "the workspace's folder is not there" in line


def test_what_was_refused_is_tried_again_when_asked(
    workspace: Workspace,
    hub_data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "_tried_apart", lambda: iter(()))
    linked = Path(workspace.root, "memory/context-agent-main-x.md")
    linked.parent.mkdir()
    linked.symlink_to(Path(workspace.root))
    told(hub_data)
    assert "1 were refused" in hooks_finding(capsys)
    linked.unlink()

    assert "1 were refused" in hooks_finding(capsys)
    assert hooks_finding(capsys, "--retry").startswith("ok ")
    assert "Auto-saved" in linked.read_text()
