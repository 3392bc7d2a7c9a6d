from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Problem, Revision, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.sync.record.projection import rebuild

MakeWorkspace = Callable[[Path], Workspace]

LINES = [f"- line {number}\n" for number in range(10)]


@pytest.fixture
def log(workspace_root: Path) -> Path:
    path = workspace_root / "memory/2026-11-20.md"
    path.parent.mkdir()
    path.write_text("# Day\n\n" + "".join(LINES))
    return path


@pytest.fixture
def workspace(log: Path, make_workspace: MakeWorkspace) -> Workspace:
    workspace = make_workspace(log.parent.parent)
    sync_workspace(workspace)
    return workspace


def losses(workspace: Workspace) -> list[tuple[int, int]]:
    """Return the lines lost and the seq of the revision that still has them."""
    rows = Problem.objects.filter(
        workspace=workspace, code_name="log-shrank", until_seq__isnull=True
    )
    parameters = rows.order_by("seq").values_list("parameters", flat=True)
    return [(p["lines"], p["seq"]) for p in parameters]


def say(workspace: Workspace, log: Path, lines: list[str]) -> None:
    log.write_text("# Day\n\n" + "".join(lines))
    sync_workspace(workspace)


def test_a_log_that_lost_lines_is_a_problem_that_names_the_revision_before(
    workspace: Workspace, log: Path
) -> None:
    before = log.read_bytes()

    say(workspace, log, LINES[3:])

    assert losses(workspace) == [(3, 1)]
    earlier = Revision.objects.select_related("blob").get(workspace=workspace, seq=1)
    assert earlier.blob is not None
    assert blob_bytes(earlier.blob) == before


def test_the_report_of_the_sync_names_it(workspace: Workspace, log: Path) -> None:
    log.write_text("# Day\n\n" + "".join(LINES[:6]))

    report = sync_workspace(workspace)

    assert [(p.code, p.parameters["lines"]) for p in report.problems] == [
        ("log-shrank", 4)
    ]


def test_a_growing_log_is_no_problem(workspace: Workspace, log: Path) -> None:
    say(workspace, log, [*LINES, "- one more\n"])

    assert losses(workspace) == []


def test_a_reworded_line_is_no_problem(workspace: Workspace, log: Path) -> None:
    say(workspace, log, [*LINES[:4], "- reworded\n", *LINES[5:], "- more\n"])

    assert losses(workspace) == []


def test_the_problem_stays_while_the_log_grows_on(
    workspace: Workspace, log: Path
) -> None:
    say(workspace, log, LINES[3:])

    say(workspace, log, [*LINES[3:], "- one more\n"])

    assert losses(workspace) == [(3, 1)]


def test_a_second_loss_does_not_hide_the_first(workspace: Workspace, log: Path) -> None:
    say(workspace, log, LINES[3:])

    say(workspace, log, LINES[5:])

    assert losses(workspace) == [(3, 1), (2, 2)]


def test_the_problem_ends_when_the_lines_are_back(
    workspace: Workspace, log: Path
) -> None:
    say(workspace, log, LINES[3:])

    say(workspace, log, [*LINES, "- one more\n"])

    assert losses(workspace) == []


def test_an_emptied_log_is_a_problem(workspace: Workspace, log: Path) -> None:
    say(workspace, log, [])

    assert losses(workspace) == [(10, 1)]


def test_the_problem_moves_with_its_file(workspace: Workspace, log: Path) -> None:
    say(workspace, log, LINES[3:])

    log.rename(log.with_name("2026-11-20-moved.md"))
    sync_workspace(workspace)

    problem = Problem.objects.get(workspace=workspace, until_seq__isnull=True)
    assert problem.path == "memory/2026-11-20-moved.md"
    assert losses(workspace) == [(3, 1)]


def test_a_rebuild_keeps_the_problem(workspace: Workspace, log: Path) -> None:
    say(workspace, log, LINES[3:])

    rebuild(workspace)

    assert losses(workspace) == [(3, 1)]
    assert len(list(workspace_files(workspace))) == 1
