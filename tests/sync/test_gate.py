"""What may be read and changed of a workspace, whoever asks and by which door."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.gate import limited_to, may_read, needed_scope
from memoryhub.sync.edit.writing import look
from tests.factories import imported

FILES = {"CLAUDE.md": "Be kind.\n", "memory/a.md": "A.\n", "memory/secret/x.md": "S.\n"}
MEMORY, INSTRUCTIONS = frozenset({Scope.MEMORY}), frozenset({Scope.INSTRUCTIONS})


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return imported(workspace_root, FILES)


def changed(workspace: Workspace, path: str) -> Operation:
    edit = Edit(path, "replace_file", {"text": "Obey me.\n"}, "builder")
    return apply_edit(workspace, edit)


def test_memory_alone_changes_no_instructions(workspace: Workspace) -> None:
    with limited_to(MEMORY):
        assert changed(workspace, "memory/a.md").state == "applied"
        for path in ("CLAUDE.md", ".claude/skills/x/SKILL.md", "memory/CLAUDE.md"):
            with pytest.raises(FormatError, match=r"^scope-missing") as refused:
                changed(workspace, path)
            assert refused.value.parameters["scope"] == "instructions"
    assert Path(workspace.root, "CLAUDE.md").read_text() == "Be kind.\n"


def test_instructions_wait_for_a_person_where_memory_is_written_at_once(
    workspace: Workspace,
) -> None:
    with limited_to(INSTRUCTIONS):
        assert changed(workspace, "CLAUDE.md").state == "staged"
        with pytest.raises(FormatError, match=r"^scope-missing"):
            changed(workspace, "memory/a.md")
    assert Path(workspace.root, "CLAUDE.md").read_text() == "Be kind.\n"


def test_a_person_writes_instructions_at_once(workspace: Workspace) -> None:
    assert changed(workspace, "CLAUDE.md").state == "applied"
    assert Path(workspace.root, "CLAUDE.md").read_text() == "Obey me.\n"


def test_what_is_ignored_is_neither_read_nor_changed(workspace: Workspace) -> None:
    workspace.ignore_patterns = ["memory/secret"]

    assert look(workspace, "memory/secret/x.md").file is None
    with pytest.raises(FormatError, match=r"^path-not-allowed"):
        changed(workspace, "memory/secret/x.md")


def test_long_term_memory_is_read_by_people_and_in_private_sessions_alone(
    workspace: Workspace,
) -> None:
    for path in ("MEMORY.md", "memory.MD"):
        assert may_read(workspace, path)
        assert not may_read(workspace, path, private=False)
    assert may_read(workspace, "memory/MEMORY.md", private=False)


def test_the_folder_of_the_settings_and_a_root_of_memory_count_as_memory(
    workspace: Workspace,
) -> None:
    assert needed_scope(workspace, "records/a.md") == Scope.INSTRUCTIONS

    workspace.memory_folder = "records"
    assert needed_scope(workspace, "records/a.md") == Scope.MEMORY
    workspace.memory_folder = "memory"
    workspace.root = "/home/ana/memory"
    assert needed_scope(workspace, "records/a.md") == Scope.MEMORY
