"""`memoryhub export` in all its forms, and what it refuses."""

from __future__ import annotations

import io
import json
import resource
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.models import Revision, Workspace
from memoryhub.repair.trial import SAMPLES
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.browser.hub import empty_hub, manage
from tests.factories import write

PATH = "memory/context-trial.md"
MEMORY = "## Session ID\nWFS-1\n\n## Objective\nTry.\n\n## Last Action\nNone.\n"


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    write(workspace_root, SAMPLES)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


@pytest.fixture
def reviewed(workspace: Workspace) -> Workspace:
    workspace.review_before_writing = True
    workspace.save()
    for path in (PATH, "memory/context-new.md"):
        edit = Edit(path, "set_status", {"text": "Edited."}, "person:1", base="")
        apply_edit(workspace, edit)
    return workspace


def export(*arguments: object) -> int:
    """Run the command and return its exit code."""
    try:
        call_command("export", *map(str, arguments))
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_it_writes_every_byte_into_a_folder(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export("notes", "--to", tmp_path / "out") == 0

    assert (tmp_path / "out" / PATH).read_bytes() == SAMPLES[PATH]
    assert capsys.readouterr().out == f"notes: 9 files in {tmp_path / 'out'}\n"


def test_it_tells_programs_what_it_did(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export("--json", "--zip", tmp_path / "out.zip")

    told = json.loads(capsys.readouterr().out)
    assert told == {
        "workspace": "notes",
        "files": 9,
        "target": str(tmp_path / "out.zip"),
    }


def test_a_zip_goes_to_standard_output(
    workspace: Workspace, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    export("--zip", "-")

    with zipfile.ZipFile(io.BytesIO(capfdbinary.readouterr().out)) as archive:
        assert archive.read(PATH) == SAMPLES[PATH]


def test_a_zip_that_could_not_be_finished_is_removed(
    workspace: Workspace, tmp_path: Path
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        with pytest.raises(CommandError, match="File too large"):
            export("--zip", tmp_path / "out.zip")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert not (tmp_path / "out.zip").exists()


def test_a_topic_is_printed_byte_for_byte(
    workspace: Workspace, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    export("--topic", "crlf")

    assert capfdbinary.readouterr().out == SAMPLES["memory/context-crlf.md"]


def test_a_snapshot_is_printed(
    workspace: Workspace, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    export("--snapshot", "2026-11-20-01")

    printed = capfdbinary.readouterr().out
    assert b"Prove the loop." in printed
    assert printed.endswith(b"<!-- /BIG-MEMORY-SNAPSHOT -->\n")


def test_session_memories_go_into_a_bundle(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = Path(workspace.root, "memory/sessions/CMEM-20261120-090000.md")
    place.parent.mkdir()
    place.write_text(f"---\nid: CMEM-20261120-090000\ntags: [a, b]\n---\n\n{MEMORY}")
    sync_workspace(workspace)

    export("--ccw", tmp_path / "bundle.json")

    (memory,) = json.loads((tmp_path / "bundle.json").read_text())["memories"]
    assert (memory["id"], memory["content"]) == ("CMEM-20261120-090000", MEMORY)
    assert memory["tags"] == ["a", "b"]


def test_a_day_means_its_end(workspace: Workspace, tmp_path: Path) -> None:
    export("--to", tmp_path / "before", "--as-of", "2020-01-01")
    export("--to", tmp_path / "after", "--as-of", "2999-01-01")

    assert list((tmp_path / "before").iterdir()) == []
    assert (tmp_path / "after" / PATH).exists()


def test_the_day_of_the_import_is_not_over_before_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    zone = ZoneInfo(workspace.time_zone)
    day = Revision.objects.latest("seq").recorded_at.astimezone(zone).date()

    export("--to", tmp_path / "today", "--as-of", day)
    export("--to", tmp_path / "before", "--as-of", day - timedelta(days=1))

    assert (tmp_path / "today" / PATH).read_bytes() == SAMPLES[PATH]
    assert list((tmp_path / "before").iterdir()) == []


def test_the_plain_form_is_written(workspace: Workspace, tmp_path: Path) -> None:
    export("--canonical", "--to", tmp_path / "out")

    assert (tmp_path / "out/memory/decisions.md").read_text() == (
        "# Decisions\n\n- 2026-11-20: Prüfen (Gründlichkeit)\n"
    )


def test_the_plain_form_of_a_past_time_has_what_was_known_then(tmp_path: Path) -> None:
    root, out = tmp_path / "mill", tmp_path / "out"
    log = "# 2026-11-20\n\n## Decisions\n- Keep stone wheels\n"
    write(
        root,
        {
            "memory/2026-11-20.md": log,
            "memory/decisions.md": "- 2026-11-19: Mill oats\n",
        },
    )
    empty_hub(tmp_path)
    manage(tmp_path, "add", str(root))
    manage(tmp_path, "sync")
    write(root, {"memory/decisions.md": "- 2026-11-19: Mill rye\n"})
    manage(tmp_path, "sync")
    then = datetime.now(UTC).isoformat()
    write(
        root,
        {
            "memory/decisions.md": "- 2026-11-19: Mill rice\n",
            "memory/context-rye.md": "x",
        },
    )
    manage(tmp_path, "sync")

    past = ("--canonical", "--as-of", then, "--to", str(out), "--json")
    told = json.loads(manage(tmp_path, "export", "mill", *past))

    assert told["target"] == str(out)
    decisions = (out / "memory/decisions.md").read_text()
    known = [word for word in ("stone", "oats", "rye", "rice") if word in decisions]
    assert known == ["stone", "oats", "rye"]
    assert not list(out.glob("memory/context-*"))


def test_the_plain_form_names_files_with_lines_that_it_has_no_place_for(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path(workspace.root), {"SOUL.md": "# Soul\n\nBe brief.\n"})
    sync_workspace(workspace)

    export("--canonical", "--to", tmp_path / "out")
    assert "SOUL.md: 2 of 2 lines are not in this form" in capsys.readouterr().out
    export("--canonical", "--zip", tmp_path / "out.zip", "--json")
    told = json.loads(capsys.readouterr().out)["left_out"]
    assert {"path": "SOUL.md", "lines": 2, "of": 2} in told
    assert PATH not in {file["path"] for file in told}


def test_the_plain_form_adds_only_missing_files(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(workspace.root, "memory/decisions.md").rename(
        Path(workspace.root, "memories/decisions.md")
    )
    sync_workspace(workspace)

    assert export("--canonical", "--write") == 0

    told = capsys.readouterr().out
    assert "memory/decisions.md: written" in told
    assert "MEMORY.md: left as it is" in told
    assert Path(workspace.root, "MEMORY.md").read_bytes() == SAMPLES["MEMORY.md"]


def test_waiting_edits_are_written(
    reviewed: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export("--write", "--json") == 0

    told = json.loads(capsys.readouterr().out)
    assert told["written"] == [PATH, "memory/context-new.md"]
    assert b"Edited." in Path(reviewed.root, PATH).read_bytes()


def test_a_file_in_conflict_is_left_and_named(
    reviewed: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = SAMPLES[PATH].replace(b"(no status yet)", b"By an agent.")
    Path(reviewed.root, PATH).write_bytes(newer)

    assert export("--write") == 3

    told = capsys.readouterr()
    assert "memory/context-new.md: written" in told.out
    assert f"{PATH}: not written: " in told.err
    assert Path(reviewed.root, PATH).read_bytes() == newer


def test_a_conflict_tells_programs_both_values(
    reviewed: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = SAMPLES[PATH].replace(b"(no status yet)", b"By an agent.")
    Path(reviewed.root, PATH).write_bytes(newer)

    assert export("--write", "--json") == 3

    (left,) = json.loads(capsys.readouterr().out)["left"]
    assert (left["path"], left["base"], left["current"]) == (PATH, "", "By an agent.")


def test_nothing_to_write_is_said(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export("--write") == 0

    assert capsys.readouterr().out == "notes: nothing waits to be written\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--to", "{root}/out"),
        ("--to", "{root}"),
        ("--zip", "{root}/MEMORY.md"),
        ("--zip", "{root}/none/out.zip"),
        ("--topic", "unknown"),
        ("--topic", "trial", "--as-of", "2020-01-01"),
        ("--topic", "trial", "--canonical"),
        ("--snapshot", "unknown"),
        ("--write", "--as-of", "2020-01-01"),
        ("--to", "{root}-out", "--as-of", "yesterday"),
        ("elsewhere", "--write"),
    ],
)
def test_it_says_in_one_line_what_cannot_be(
    workspace: Workspace, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError) as raised:
        export(*(each.replace("{root}", workspace.root) for each in arguments))

    assert "\n" not in str(raised.value)
    assert Path(workspace.root, "MEMORY.md").read_bytes() == SAMPLES["MEMORY.md"]
