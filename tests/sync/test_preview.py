"""What writing would do, told before it is done, on real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.disk.files import ExternallyChanged
from memoryhub.exports.preview import Answers, previews, resolve
from memoryhub.formats.text.merging import Choice
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.editing import (
    apply_edit,
    write_staged,
)
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace

PATH = "memory/context-api.md"
TEXT = "# Context: api\r\n\r\n## Current Status\r\n{}\r\n\r\n## History\r\n"


def write(workspace: Workspace, status: str) -> None:
    (Path(workspace.root) / PATH).write_bytes(TEXT.format(status).encode())


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    (workspace_root / "memory").mkdir()
    found = make_workspace(workspace_root)
    found.review_before_writing = True
    found.save()
    write(found, "one")
    sync_workspace(found)
    return found


def stage(workspace: Workspace, text: str, base: str) -> Operation:
    payload = {"text": text}
    return apply_edit(workspace, Edit(PATH, "set_status", payload, "dana", base=base))


def test_a_preview_records_nothing(workspace: Workspace) -> None:
    stage(workspace, "two", "one")
    write(workspace, "three")
    before = Revision.objects.count()

    (found,) = previews(workspace)

    assert (found.state, found.unresolved) == ("conflict", 1)
    assert Revision.objects.count() == before


def test_edits_of_edits_are_one_conflict_with_the_last_text(
    workspace: Workspace,
) -> None:
    stage(workspace, "two", "one")
    stage(workspace, "three", "two")
    write(workspace, "four")

    (found,) = previews(workspace)

    clash = found.clashes[0].clash
    assert len(found.clashes) == 1
    assert (clash.base, clash.disk, clash.here) == ("one", "four", "three")


def test_what_both_sides_changed_elsewhere_is_merged(workspace: Workspace) -> None:
    write(workspace, "a\r\nb\r\nc")
    stage(workspace, "a\nb\nC", "a\r\nb\r\nc")
    write(workspace, "A\r\nb\r\nc")

    (found,) = previews(workspace)

    assert (found.state, found.restaged) == ("changed", True)
    assert "A\nb\nC" in found.after.replace("\r\n", "\n")


def test_a_resolved_file_keeps_its_line_ends(workspace: Workspace) -> None:
    operation = stage(workspace, "two", "one")
    write(workspace, "three")
    answers = Answers({(operation.seq, 0): Choice("both")})

    (found,) = previews(workspace, answers)
    resolve(workspace, found)
    write_staged(workspace)

    written = (Path(workspace.root) / PATH).read_bytes()
    assert b"three\r\ntwo\r\n" in written
    assert written.count(b"\n") == written.count(b"\r\n")


def test_a_file_that_changed_since_is_not_resolved(workspace: Workspace) -> None:
    operation = stage(workspace, "two", "one")
    write(workspace, "three")
    answers = Answers({(operation.seq, 0): Choice("here")})
    (found,) = previews(workspace, answers)
    write(workspace, "four")

    with pytest.raises(ExternallyChanged):
        resolve(workspace, found)

    assert [o.state for o in Operation.objects.all()] == ["staged"]


def test_choosing_the_disk_withdraws_the_edit(workspace: Workspace) -> None:
    operation = stage(workspace, "two", "one")
    write(workspace, "three")

    (found,) = previews(workspace, Answers({(operation.seq, 0): Choice("disk")}))
    assert found.state == "same"
    resolve(workspace, found)

    assert [o.state for o in Operation.objects.all()] == ["withdrawn"]
    assert previews(workspace) == []


def test_what_is_no_text_can_only_be_kept_or_dropped(workspace: Workspace) -> None:
    write(workspace, "one")
    payload = {"text": "2026-11-20: Use webhooks (fast)"}
    edit = Edit(PATH, "add_history", payload, "dana", base=0)
    operation = apply_edit(workspace, edit)
    place = Path(workspace.root) / PATH
    place.write_bytes(place.read_bytes() + b"- 2026-11-20: Use webhooks (fast)\r\n" * 2)

    answers = Answers({(operation.seq, 0): Choice("both")})
    (found,) = previews(workspace, answers)

    assert (found.unresolved, found.clashes[0].mixable) == (1, False)


@pytest.mark.parametrize("gone", ["file", "folder"])
def test_what_is_gone_is_told(workspace: Workspace, gone: str) -> None:
    stage(workspace, "two", "one")
    root = Path(workspace.root)
    if gone == "file":
        (root / PATH).unlink()
    else:
        root.rename(root.with_name("away"))

    (found,) = previews(workspace)

    assert found.state == ("conflict" if gone == "file" else "unreadable")
