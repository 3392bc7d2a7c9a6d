"""Edits that are refused or fail: what they leave, and what the caller learns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.audit.models import AuditEntry
from memoryhub.disk.files import ExternallyChanged, UnreadableFile
from memoryhub.disk.replacing import State as DraftState
from memoryhub.disk.replacing import beginning, draft_for
from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import FileStat, Operation, Problem, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.sync.edit import editing, leftovers, writing
from memoryhub.sync.edit.editing import (
    apply_each,
    apply_edit,
    removes_staged,
    restage,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    is_unwritten,
    value_text,
)
from memoryhub.sync.edit.gate import check_write, limited_to, may_read
from memoryhub.sync.edit.holding import WorkspaceAway, held_problem, hold
from memoryhub.sync.edit.leftovers import finish_drafts
from memoryhub.sync.edit.writing import read_newest
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT, State, edit
from tests.sync.test_editing_interrupted import Crash, crash
from tests.writing import say

UNWRITTEN = "(could not be written)"


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Have the disk refuse every write until the patch is undone."""

    def refuse(*arguments: object) -> bytes:
        raise UnreadableFile(PATH, "no space left")

    with monkeypatch.context() as patched:
        patched.setattr(editing, "write", refuse)
        yield patched


def entries() -> list[tuple[str, ...]]:
    columns = ("action", "workspace", "subject", "outcome", "actor")
    return list(AuditEntry.objects.order_by("id").values_list(*columns))


def test_each_write_is_in_the_audit_log_with_its_outcome(
    workspace: Workspace, reviewed: Workspace
) -> None:
    apply_edit(reviewed, edit("set_status", "Done."))
    write_staged(reviewed)
    reviewed.review_before_writing = False
    apply_edit(reviewed, Edit(PATH, "add_history", {"text": "2026-11-03: x"}, "ana"))

    slug = workspace.slug
    assert entries()[-3:] == [
        ("write.set_status", slug, PATH, "staged", "person:1"),
        ("write.set_status", slug, PATH, "done", "person:1"),
        ("write.add_history", slug, PATH, "done", "ana"),
    ]


@pytest.mark.parametrize("verb", ["set_status", "add_history"])
@pytest.mark.parametrize("reason", ["", "as agreed"])
def test_a_write_that_the_disk_refuses_can_be_tried_again(
    workspace: Workspace,
    place: Path,
    full_disk: pytest.MonkeyPatch,
    verb: str,
    reason: str,
) -> None:
    asked = replace(edit(verb, "2026-11-03: Checked", key="once"), reason=reason)
    for _ in range(2):
        with pytest.raises(UnreadableFile, match="no space left"):
            apply_edit(workspace, asked)
        failed = Operation.objects.get()
        assert (failed.state, is_unwritten(failed)) == (State.WITHDRAWN, True)
        assert failed.reason == f"{reason} {UNWRITTEN}".strip()

    full_disk.undo()
    done = apply_edit(workspace, asked)

    assert (done.pk, done.state) == (failed.pk, State.APPLIED)
    assert Operation.objects.get().reason == reason
    assert place.read_text().count("Checked") == 1
    told = Event.objects.filter(actor="person:1")
    assert ["Checked" in f"{one.title} {one.detail}" for one in told] == [True]


def test_a_staged_write_that_the_disk_refuses_stays_staged(
    reviewed: Workspace, place: Path, full_disk: pytest.MonkeyPatch
) -> None:
    apply_edit(reviewed, edit("set_status", "Done."))

    done, (left,) = write_staged(reviewed)

    assert (done, left.path, left.error.path) == ([], PATH, PATH)  # type: ignore[union-attr]
    assert Operation.objects.get().state == State.STAGED
    assert Operation.objects.get().reason == ""
    full_disk.undo()
    assert [one.state for one in write_staged(reviewed)[0]] == [State.APPLIED]


def test_of_many_files_those_that_fail_are_named_with_the_cause(
    workspace: Workspace, place: Path
) -> None:
    others = [f"memory/context-{name}.md" for name in "bcd"]
    say(workspace, dict.fromkeys(others, TEXT))
    edits = [replace(edit("set_status", "Done."), path=path) for path in others]
    edits[0] = replace(edits[0], base="Not begun.")
    edits[1] = replace(edits[1], payload={"text": "fine\n## Meta"})

    failed = apply_each(workspace, [edit("set_status", "Done."), *edits])

    assert [(one.path, type(error)) for one, error in failed] == [
        (others[0], Conflict),
        (others[1], FormatError),
    ]
    there = [Path(workspace.root, path).read_text() for path in (PATH, *others)]
    assert [text.count("Done.") for text in there] == [1, 0, 0, 1]
    assert {*Operation.objects.values_list("target", "state")} == {
        (PATH, "applied"), (others[2], "applied"),
    }  # fmt: skip


def test_of_many_files_one_that_the_disk_refuses_is_tried_again_alone(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "memory/context-b.md"
    say(workspace, {other: TEXT})
    write = writing.write
    refused: list[str] = []

    def refuse_once(disk: writing.Disk, data: bytes | None) -> bytes:
        if disk.place.path == other and not refused:
            refused.append(other)
            raise UnreadableFile(other, "busy")
        return write(disk, data)

    monkeypatch.setattr(editing, "write", refuse_once)
    edits = [
        edit("set_status", "Done."),
        replace(edit("set_status", "Done."), path=other),
    ]

    assert apply_each(workspace, edits) == []
    assert refused == [other]
    assert {*Operation.objects.values_list("target", "state", "reason")} == {
        (PATH, "applied", ""), (other, "applied", ""),
    }  # fmt: skip


@pytest.mark.parametrize("reason", ["", "as agreed"])
def test_an_operation_withdrawn_on_a_conflict_names_it(
    workspace: Workspace, place: Path, reason: str
) -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, replace(edit("set_status", "Done."), reason=reason))
    place.write_text(TEXT.replace("Half done.", "Begun anew."))

    assert settle(workspace) == []

    why = f"({PATH} has changed since this edit was begun)"
    withdrawn = Operation.objects.get()
    assert (withdrawn.state, withdrawn.reason) == (
        State.WITHDRAWN,
        f"{reason} {why}".strip(),
    )
    assert not is_unwritten(withdrawn)


def test_an_operation_that_no_file_can_hold_any_more_is_withdrawn(
    workspace: Workspace, place: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, edit("add_decision", "2026-11-03: Log out"))
    Operation.objects.update(payload={"text": "a\0b"})

    assert settle(workspace) == []

    assert Operation.objects.get().state == State.WITHDRAWN
    assert Operation.objects.get().reason.startswith("(text-not-encodable")
    assert place.read_text() == TEXT


def test_a_staged_file_is_replaced_by_what_a_person_made_of_it(
    reviewed: Workspace, place: Path
) -> None:
    apply_edit(reviewed, edit("set_status", "Done."))
    apply_edit(reviewed, edit("add_history", "2026-11-03: Checked"))
    sha = read_newest(reviewed, PATH, timezone.now()).sha256

    with pytest.raises(ExternallyChanged) as refused:
        restage(reviewed, PATH, [edit("set_status", "Other.")], expected="0" * 64)
    assert refused.value.path == PATH
    restage(reviewed, PATH, [edit("set_status", "Dropped.")], expected=sha)

    found = Operation.objects.order_by("seq").values_list("state", "reason")
    assert list(found) == [
        ("withdrawn", "(resolved)"), ("withdrawn", "(resolved)"), ("staged", ""),
    ]  # fmt: skip
    assert not removes_staged(reviewed, PATH)
    write_staged(reviewed)
    assert place.read_text() == TEXT.replace("Half done.", "Dropped.")


def test_files_chosen_of_the_staged_ones_are_written_alone(
    reviewed: Workspace, place: Path
) -> None:
    other = "memory/context-b.md"
    for path in (PATH, other):
        apply_edit(reviewed, replace(edit("set_status", "Done."), path=path))

    done, left = write_staged(reviewed, only=[other])

    assert ([one.target for one in done], left) == ([other], [])
    assert place.read_text() == TEXT
    apply_edit(reviewed, edit("remove_file", ""))
    assert removes_staged(reviewed, PATH) and not removes_staged(reviewed, other)


@pytest.mark.parametrize(
    ("gone", "words"),
    [("root", "folder is not there"), ("held", "11 files"), ("folder", "beside it")],
)
def test_a_write_into_a_hole_is_refused_with_the_cause(
    workspace: Workspace, gone: str, words: str
) -> None:
    say(workspace, {f"memory/{n}.md": f"# {n}\n" for n in range(8)})
    say(workspace, {"a.md": "# A\n", "b.md": "# B\n"})
    root = Path(workspace.root)
    (root / "memory" if gone == "folder" else root).rename(root.with_name("away"))
    if gone == "held":
        root.mkdir()
        sync_workspace(workspace)

    with pytest.raises(WorkspaceAway) as refused:
        apply_edit(workspace, edit("set_status", "Done."))

    assert refused.value.path == PATH
    assert words in refused.value.reason
    if gone == "folder":
        assert apply_edit(workspace, replace(edit("set_status", "."), path="c.md"))


def test_a_folder_with_one_known_file_is_written_though_it_is_gone(
    workspace: Workspace, place: Path
) -> None:
    say(workspace, {"a.md": "# A\n"})
    place.unlink()

    apply_edit(workspace, edit("set_status", "Begun anew."))

    assert "Begun anew." in place.read_text()


@pytest.mark.parametrize(("count", "end"), [(1, ""), (5, ""), (6, ", …"), (9, ", …")])
def test_a_problem_of_held_files_names_the_first_five(count: int, end: str) -> None:
    held = [f"{n}.md" for n in reversed(range(count))]

    problem = held_problem(held, 12)

    assert (problem.path, problem.reason) == (".", f"{count}/12")
    first = ", ".join(sorted(held)[:5])
    assert problem.more == {"names": first + end}


def test_a_file_is_held_since_it_was_first_missing(workspace: Workspace) -> None:
    now = timezone.now()
    many = [f"{n}.md" for n in range(600)]

    hold(workspace, [PATH, *many], now)
    hold(workspace, [PATH, *many], now + timedelta(hours=1))

    assert FileStat.objects.get(path=PATH).held_at == now


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (UnreadableFile(PATH, "no space left"), "no space left"),
    ],
)
def test_a_draft_that_cannot_be_finished_is_a_problem_with_the_cause(
    workspace: Workspace,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    reason: str,
) -> None:
    def refuse(*arguments: object) -> None:
        raise error

    held = draft_for(place.name, DraftState.HELD, beginning(TEXT.encode()))
    place.with_name(held.name).write_text(TEXT)
    monkeypatch.setattr(leftovers, "finish", refuse)

    sync_workspace(workspace)

    problem = Problem.objects.get()
    assert (problem.path, problem.code_name) == (PATH, "draft-left")
    assert problem.parameters["reason"] == f"{held.name}: {reason}"


def test_a_folder_that_is_gone_has_no_drafts(workspace: Workspace) -> None:
    assert finish_drafts(workspace, "nowhere/a.md") == []
    sync_workspace(workspace)
    assert not Problem.objects.exists()


def test_an_undo_that_was_staged_or_withdrawn_is_not_made_twice(
    workspace: Workspace, place: Path
) -> None:
    done = apply_edit(workspace, edit("set_status", "Done."))

    undone = [undo(workspace, done, "ana") for _ in range(2)]

    assert undone[0] == undone[1]
    assert (undone[0].key, undone[0].actor) == (f"undo-{done.seq}", "ana")
    assert place.read_text() == TEXT
    Operation.objects.filter(pk=done.pk).update(state=State.WITHDRAWN)
    assert undo(workspace, done, "ana") == done


@pytest.mark.parametrize(
    ("scopes", "path", "may"),
    [
        ({Scope.MEMORY}, PATH, True),
        ({Scope.MEMORY}, "CLAUDE.md", False),
        ({Scope.INSTRUCTIONS}, PATH, False),
        ({Scope.ADMIN}, PATH, True),
        ({Scope.ADMIN}, "CLAUDE.md", True),
        ({Scope.HANDOFF}, PATH, True),
        (set(), PATH, False),
    ],
)
def test_one_sufficient_scope_is_needed(
    workspace: Workspace, scopes: set[Scope], path: str, may: bool
) -> None:
    with limited_to(frozenset(scopes)):
        if may:
            check_write(workspace, path, also=frozenset({Scope.HANDOFF}))
        else:
            with pytest.raises(FormatError, match=r"^scope-missing"):
                check_write(workspace, path, also=frozenset({Scope.HANDOFF}))
    check_write(workspace, path, also=frozenset())


def test_the_hubs_own_data_is_never_read(workspace: Workspace, hub_data: Path) -> None:
    workspace.root = str(hub_data.parent)
    inside = f"{hub_data.name}/hub.sqlite3"

    assert not may_read(workspace, inside)
    with pytest.raises(FormatError) as refused:
        check_write(workspace, inside, also=frozenset({Scope.ADMIN}))
    assert refused.value.parameters["path"] == inside


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (None, ""),
        ("Done.", "Done."),
        (3, "3"),
        (["one", "two"], "one\ntwo"),
        (
            {"status": "Done.", "decisions": ["a", "b"]},
            "status: Done.\ndecisions: a\nb",
        ),
    ],
)
def test_values_are_compared_as_lines(value: object, lines: str) -> None:
    assert value_text(value) == lines


def test_an_edit_can_be_made_again_of_its_fields() -> None:
    asked = Edit(PATH, "set_status", {"text": "x"}, "ana", "Half.", "why", "key")

    assert Edit(**asked.as_fields()) == asked
    assert {*asked.as_fields()} == {
        "path", "verb", "payload", "actor", "base", "reason", "key",
    }  # fmt: skip
    assert str(Conflict(PATH, 1, 2)).startswith(PATH)
