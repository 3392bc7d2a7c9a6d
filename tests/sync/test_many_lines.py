"""A file that takes long at every change is named; everything else goes on."""

from __future__ import annotations

from pathlib import Path

from memoryhub.journal.models import SourceFile
from memoryhub.journal.problems import current_problems
from memoryhub.sync.engine import sync_workspace
from memoryhub.values.limits import MOST_LINES
from tests.conftest import MakeWorkspace
from tests.writing import assert_a_rebuild_changes_nothing


def test_a_file_of_too_many_lines_is_a_problem_until_it_is_split(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    memory = workspace_root / "memory"
    memory.mkdir()
    log = memory / "2026-11-20.md"
    log.write_text("# 2026-11-20\n" + "\n" * MOST_LINES)
    (memory / "data.jsonl").write_text("{}\n" * (MOST_LINES + 1))
    (memory / "2026-11-21.md").write_text("# 2026-11-21\n\n- Decision: split logs\n")
    workspace = make_workspace(workspace_root)

    sync_workspace(workspace)
    with log.open("a") as file:
        file.write("- one more line\n")
    sync_workspace(workspace)

    found = [(p.path, p.code_name, p.seq) for p in current_problems(workspace)]
    assert len(found) == 1 and found[0][:2] == ("memory/2026-11-20.md", "many-lines")
    assert SourceFile.objects.filter(workspace=workspace, present=True).count() >= 2
    assert_a_rebuild_changes_nothing(workspace)

    log.write_text("# 2026-11-20\n")
    sync_workspace(workspace)
    codes = {p.code_name for p in current_problems(workspace)}
    assert "many-lines" not in codes
