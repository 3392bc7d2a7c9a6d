"""A session's analysis as text: ccw's own answers, plans by source, absolute paths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from memoryhub.people.callers import Caller
from tests.factories import NOON, imported
from tests.recorded import recorded
from tests.tools.asking import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


@pytest.fixture
def caller(workspace_root: Path) -> Caller:
    workspace = imported(workspace_root, {"notes.md": "x\n"})
    return Caller(workspace, "agent:scout", agent="scout", clock=lambda: NOON)


def test_the_text_is_what_ccw_writes(caller: Caller) -> None:
    for case in recorded("ccw-session")["cases"]:
        assert asked(caller, "session_text", **case["input"]).text == case["output"]


def test_the_best_source_gives_the_plan(caller: Caller) -> None:
    todos = [{"content": "a", "status": s} for s in ("completed", "in_progress", "x")]
    inferred = {"source": "inferred", "content": "guess"}
    workflow = {"source": "workflow", "content": "IMPL"}

    told = asked(caller, "session_text", executionPlan=inferred, todos=todos)
    best = asked(caller, "session_text", todos=todos, plans=[inferred, workflow])

    assert told.plan_source == "todo"
    assert "\n- [x] a\n- [>] a\n- [ ] a\n" in told.text
    assert best.plan_source == "workflow" and "\nIMPL\n" in best.text


def test_the_root_of_the_project_is_the_topmost_folder_with_a_marker(
    caller: Caller, settings: Settings
) -> None:
    folder = Path(caller.workspace.root)
    settings.MEMORYHUB_HOME = folder.parents[1]
    (folder / "package.json").write_text("{}")
    (folder.parents[0] / ".git").mkdir()
    (folder.parents[1] / ".claude").mkdir()
    files = [{"absolutePath": "src/a.ts"}]

    told = asked(caller, "session_text", workingFiles=files)
    elsewhere = replace(caller, bound=True)

    assert f"\n- {folder.parents[0]}/src/a.ts" in told.text
    assert "\n- src/a.ts" in asked(elsewhere, "session_text", workingFiles=files).text


@pytest.mark.parametrize(
    ("root", "path", "absolute"),
    [
        ("/srv/app", "src/a.ts", "/srv/app/src/a.ts"),
        ("/srv/app", "./x/../a.ts", "/srv/app/a.ts"),
        ("/srv/app", "/a.ts", "/a.ts"),
        ("D:\\app", "src/api/a.ts", "D:\\app\\src\\api\\a.ts"),
        ("", "src/a.ts", "src/a.ts"),
    ],
)
def test_paths_are_made_absolute(
    caller: Caller, root: str, path: str, absolute: str
) -> None:
    files = [{"absolutePath": path, "role": "r"}]

    told = asked(caller, "session_text", projectRoot=root, workingFiles=files)

    assert f"\n- {absolute} (role: r)\n" in told.text
    assert bool(root) != any("not absolute: src" in said for said in told.problems)


def test_a_saved_session_has_its_recovery_id(caller: Caller) -> None:
    told = asked(caller, "session_text", objective="Ship", save=True, tags=["a, b"])

    assert told.id == "CMEM-20261120-120000" and told.id in told.banner
    held = asked(caller, "core_memory", operation="export", id=told.id)
    assert held.content == told.text
    assert asked(caller, "core_memory", operation="list", tags=["a, b"]).total == 1


def test_what_the_checklist_misses_is_said(caller: Caller) -> None:
    decisions = [{"decision": "Use X"}]

    told = asked(caller, "session_text", decisions=decisions)

    assert "a decision has no reasoning: Use X" in told.problems
    assert "0 working files, name 3 to 8" in told.problems
