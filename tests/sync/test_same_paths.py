"""Workspaces with the same paths, keys and texts: none takes what is another's."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.disk.replacing import State as DraftState
from memoryhub.disk.replacing import beginning, draft_for
from memoryhub.events.models import Event
from memoryhub.journal.models import FileStat, Operation, Revision, Workspace
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import (
    apply_each,
    apply_edit,
    settle,
    staged_paths,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import (
    Edit,
    was_tried,
)
from memoryhub.sync.edit.holding import held_paths
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from tests.editing import PATH, TEXT, State, edit, versions
from tests.projected import differences, projected_rows
from tests.sync.test_editing_interrupted import Crash, crash
from tests.writing import say, write_files

NEW = "memory/context-new.md"
DONE = TEXT.replace("Half done.", "Done.")


def interrupted(workspace: Workspace, asked: Edit, step: str = "write") -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, step, crash)
        apply_edit(workspace, asked)


def states(workspace: Workspace) -> list[str]:
    found = Operation.objects.filter(workspace=workspace).order_by("seq")
    return list(found.values_list("state", flat=True))


def test_a_sync_reads_a_file_though_another_workspace_writes_its_path(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    interrupted(second, edit("set_status", "Done."))

    place.write_text(DONE)

    assert sync_workspace(workspace).changed == 1
    assert versions(workspace)[-1] == ("seen", DONE.encode())
    assert states(second) == [State.PENDING]


def test_bytes_that_another_workspace_is_to_write_are_a_version_here(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    asked = edit("set_status", "Done.")
    interrupted(second, asked)

    place.write_text(DONE)
    assert Operation.objects.get().after_sha == sha256(DONE.encode()).hexdigest()
    apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))

    assert [kind for kind, _ in versions(workspace)] == ["seen", "seen", "written"]


def test_each_settles_its_own_operations(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    for each in (workspace, second):
        interrupted(each, edit("set_status", "Done."))

    assert settle(workspace) == []

    assert (states(workspace), states(second)) == ([State.APPLIED], [State.PENDING])
    assert (place.read_text(), Path(second.root, PATH).read_text()) == (
        place.read_text().replace("Half done.", "Done."),
        TEXT,
    )


@pytest.mark.parametrize("verb", ["set_status", "add_history"])
def test_one_key_is_one_edit_of_each(
    workspace: Workspace, second: Workspace, place: Path, verb: str
) -> None:
    asked = edit(verb, "2026-11-03: Checked", key="once")

    done = [apply_edit(each, asked) for each in (second, workspace)]

    assert [one.workspace_id for one in done] == [second.pk, workspace.pk]
    assert place.read_text().count("Checked") == 1
    assert was_tried(workspace, "once") and not was_tried(workspace, "twice")
    Operation.objects.filter(workspace=workspace).update(key="other")
    assert not was_tried(workspace, "once")


def test_a_pending_addition_elsewhere_is_not_the_one_of_this_key(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    asked = edit("add_history", "2026-11-03: Checked", key="once")
    for each in (workspace, second):
        interrupted(each, asked)

    assert apply_edit(workspace, asked).workspace_id == workspace.pk

    assert (states(workspace), states(second)) == ([State.APPLIED], [State.PENDING])
    assert place.read_text().count("Checked") == 1


def test_each_writes_what_is_staged_for_it(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    for each, text in ((workspace, "Done."), (second, "Dropped.")):
        each.review_before_writing = True
        each.save()
        apply_edit(each, edit("set_status", text))

    done, left = write_staged(workspace)

    assert ([one.workspace_id for one in done], left) == ([workspace.pk], [])
    assert "Done." in place.read_text()
    assert (staged_paths(workspace), staged_paths(second)) == ([], [PATH])


def test_a_file_made_alike_elsewhere_is_still_taken_away_here(
    workspace: Workspace, second: Workspace
) -> None:
    asked = Edit(NEW, "set_status", {"text": "Begun.", "today": "2026-11-03"}, "ana")
    made = [apply_edit(each, replace(asked, key=f"k{each.pk}")) for each in (
        workspace, second,
    )]  # fmt: skip

    assert undo(workspace, made[0], "ana").verb == "remove_file"

    assert not Path(workspace.root, NEW).exists()
    assert Path(second.root, NEW).exists()


def test_an_undo_elsewhere_does_not_count_for_a_file_here(
    workspace: Workspace, second: Workspace
) -> None:
    for each in (workspace, second):
        Workspace.objects.filter(pk=each.pk).update(review_before_writing=True)
        each.refresh_from_db()
    made = [
        (apply_edit(each, Edit(NEW, "set_status", {"text": "Begun."}, "ana")),
         apply_edit(each, Edit(NEW, "add_decision", {"text": "Queues"}, "ana")))
        for each in (workspace, second)
    ]  # fmt: skip
    for each in (workspace, second):
        write_staged(each)
        Workspace.objects.filter(pk=each.pk).update(review_before_writing=False)
        each.refresh_from_db()
    undo(second, made[1][1], "ana")

    undo(workspace, made[0][0], "ana")

    assert "Queues" in Path(workspace.root, NEW).read_text()


def test_edits_of_many_files_are_one_commit_whatever_happens_elsewhere(
    workspace: Workspace, second: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(second, edit("set_status", "Done.", key="once"))
    apply_edit(workspace, edit("set_status", "Nearly done."))
    new = replace(edit("set_status", "Begun."), path=NEW)
    commits: list[None] = []
    monkeypatch.setattr(editing, "sync_commits", lambda: commits.append(None))

    assert not apply_each(workspace, [edit("set_status", "Done.", key="once"), new])

    assert len(commits) == 1
    assert states(workspace) == [State.APPLIED] * 3


def test_a_file_that_goes_or_moves_here_stays_known_there(
    workspace: Workspace, second: Workspace
) -> None:
    for each in (workspace, second):
        say(each, {"memory/a.md": "# A\n", "memory/b.md": "# B\n"})
    root = Path(workspace.root)

    (root / "memory/a.md").unlink()
    (root / "memory/b.md").rename(root / "memory/c.md")
    report = sync_workspace(workspace)

    assert (report.deleted, report.moved) == (1, 1)
    known = FileStat.objects.filter(workspace=second).values_list("path", flat=True)
    assert {*known} == {PATH, "memory/a.md", "memory/b.md"}
    assert sync_workspace(second).is_empty


def test_a_file_that_is_gone_here_is_deleted_once(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    for each in (workspace, second):
        os.utime(Path(each.root, PATH), ns=(10**18, 10**18))
        say(each, {"memory/a.md": "# A\n", "memory/b.md": "# B\n"})
    assert {*FileStat.objects.filter(path=PATH).values_list("mtime_ns")} == {(10**18,)}

    place.unlink()

    assert sync_workspace(workspace).deleted == 1
    assert Revision.objects.filter(kind="deleted").count() == 1


def test_a_file_taken_away_by_an_edit_stays_known_there(
    workspace: Workspace, second: Workspace
) -> None:
    apply_edit(workspace, edit("remove_file", ""))

    assert FileStat.objects.get().workspace_id == second.pk
    assert sync_workspace(second).is_empty and sync_workspace(workspace).is_empty


@pytest.mark.parametrize("number", [0, 1])
def test_each_has_the_new_versions_of_its_own_file(
    workspace: Workspace, second: Workspace, number: int
) -> None:
    one, other = (workspace, second) if number else (second, workspace)
    say(other, {PATH: DONE})

    assert say(one, {PATH: TEXT + "- more\n"}).changed == 1
    Path(one.root, PATH).touch()
    assert sync_workspace(one).is_empty
    Path(one.root, PATH).unlink()
    assert sync_workspace(one).deleted == 1
    assert [data.decode() for _, data in versions(other)] == [TEXT, DONE]


def test_files_held_in_one_are_not_held_in_another(
    workspace: Workspace, second: Workspace
) -> None:
    names = [f"memory/{number}.md" for number in range(20)]
    for each in (workspace, second):
        say(each, {name: f"# {name}\n" for name in names})
    for each in (workspace, second):
        write_files(Path(each.root), dict.fromkeys(names))

    assert len(sync_workspace(workspace).held) == 20
    assert held_paths(second) == []
    sync_workspace(second)
    say(workspace, {name: f"# {name}\n" for name in names})
    assert (held_paths(workspace), len(held_paths(second))) == ([], 20)


def test_a_draft_with_a_version_of_another_workspace_is_a_version_here(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    say(second, {PATH: "# Known elsewhere\n"})
    write_files(Path(second.root), {PATH: TEXT})
    sync_workspace(second)
    apply_edit(second, edit("set_status", "Done."))
    elsewhere = [data for _, data in versions(second)][1:]
    for number, data in enumerate((elsewhere[0], elsewhere[-1])):
        place.with_name(f".{place.name}.memoryhub-2c2f7ff71b0{number}").write_bytes(
            data
        )
    sync_workspace(workspace)

    assert {elsewhere[0], elsewhere[-1]} <= {data for _, data in versions(workspace)}
    assert place.read_text() == TEXT


def test_a_draft_is_of_no_file_that_another_workspace_alone_knows(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    name = "记" * 60 + ".md"
    say(second, {f"memory/{name}": TEXT})
    held = draft_for(name, DraftState.HELD, beginning(TEXT.encode()))
    place.with_name(held.name).write_text(TEXT)

    (problem,) = sync_workspace(workspace).problems

    assert problem.code == "draft-left"
    assert problem.path == f"memory/{held.name}"


def test_a_rebuild_replays_the_operations_of_its_workspace_alone(
    workspace: Workspace, second: Workspace
) -> None:
    for each, text in ((workspace, "Done."), (second, "Dropped.")):
        apply_edit(each, edit("set_status", text, key=text))
    before = [projected_rows(each) for each in (workspace, second)]

    rebuild(workspace)

    after = [projected_rows(each) for each in (workspace, second)]
    assert not differences(before[0], after[0])
    assert not differences(before[1], after[1])
    told = Event.objects.filter(kind="edit").values_list("workspace", "detail")
    assert sorted(told) == [(workspace.pk, "Done."), (second.pk, "Dropped.")]
    assert Revision.objects.filter(workspace=workspace).count() == 2
