"""Commands that are a tool: what people type on the sample."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace

SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"
TODAY = "memory/2026-11-20.md"


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, tmp_path: Path) -> Workspace:
    shutil.copytree(SAMPLE, tmp_path / "acme")
    made = make_workspace(tmp_path / "acme")
    sync_workspace(made)
    return made


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["open_items", "image updates"], "put image updates back into the night"),
        (["recall", "webhook-signing", "--for=snap-memory"], "auto-injected by snap"),
        (["search", "webhook retries", "--max-results=2"], "lines have words of it"),
        (["get", TODAY, "--from=1", "--lines=2"], f"[{TODAY} from 1]"),
        (["save", "Test it", "--phase=testing", "--next-steps=Run"], "Snapshot saved"),
        (["handoff"], "take "),
        (["handoff", "list", "--state=open"], "20261120-06"),
        (["handoff", "take", "20261120-06", "--agent=scout"], "in_progress"),
    ],
)
def test_it_says(
    workspace: Workspace,
    line: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command(*line)

    assert said in capsys.readouterr().out


def test_a_file_is_translated(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Path(workspace.root, "memory/context-webhook-signing.md")

    call_command("translate", str(place), "--to=task_snapshot", "--json")

    told = json.loads(capsys.readouterr().out)
    assert "BIG-MEMORY-SNAPSHOT v1" in told["text"]
    assert told["source"] == "topic_context"


def test_a_transcript_is_compacted(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "session.json"
    place.write_text(json.dumps([{"role": "user", "content": "Ship it"}]))

    call_command("compact", str(place), "--level=L1", "--json")

    assert json.loads(capsys.readouterr().out)["messages_after"] == 1


@pytest.mark.parametrize("line", [["recall", "none"], ["get", "../x.md"], ["search"]])
def test_what_cannot_be_done_is_one_line(workspace: Workspace, line: list[str]) -> None:
    with pytest.raises(CommandError) as caught:
        call_command(*line)

    assert caught.value.returncode == 1
    assert "\n" not in str(caught.value)
