from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Problem, Workspace
from memoryhub.journal.versions import SectionLoss, section_losses, version_at
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.files import Who, restore
from memoryhub.sync.record.projection import rebuild
from tests.factories import TOPIC, imported, write
from tests.projected import differences, projected_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PEOPLE = "## People\n" + "".join(f"- person {n}\n" for n in range(12))
RULES = "## Rules\n" + "".join(f"- rule {n}\n" for n in range(12))
MEMORY = f"# Memory\n\n{PEOPLE}\n{RULES}"


def losses(workspace: Workspace) -> list[tuple[str, str, int]]:
    """Return path, code and number of lines of the losses that hold."""
    rows = Problem.objects.filter(
        workspace=workspace,
        code_name__in=("log-shrank", "memory-shrank"),
        until_seq__isnull=True,
    )
    found = rows.order_by("path", "seq")
    return [(row.path, row.code_name, row.parameters["lines"]) for row in found]


def changed(root: Path, path: str, before: str, after: str) -> Workspace:
    workspace = imported(root, {path: before})
    write(root, {path: after})
    sync_workspace(workspace)
    return workspace


@pytest.mark.parametrize(
    "path",
    [
        *("MEMORY.md", "USER.md", "AGENTS.md", "CLAUDE.md", "workspace/MEMORY.md"),
        *(".claude/memory/MEMORY.md", "memory-bank/activeContext.md"),
        *(
            "memory-bank/progress.md",
            "memory/lessons-learned.md",
            "memories/project.md",
        ),
    ],
)
def test_a_long_lived_file_that_lost_a_section_is_a_problem(
    workspace_root: Path, path: str
) -> None:
    workspace = changed(workspace_root, path, MEMORY, f"# Memory\n\n{RULES}")

    assert losses(workspace) == [(path, "memory-shrank", 13)]


@pytest.mark.parametrize(
    ("path", "head"),
    [
        (
            "docs/adr/0003-berths.md",
            "# 3. Berths\n\n## Status\n\nAccepted\n\n## Decision",
        ),
        ("plans/berths.md", "# Berths\n\n## Progress\n\n- [ ] a\n\n## Decision Log"),
    ],
)
def test_a_record_of_decisions_that_lost_them_is_a_problem(
    workspace_root: Path, path: str, head: str
) -> None:
    reasons = "".join(f"- Berth {n} has no network.\n" for n in range(12))
    before = f"{head}\n\nOne file each.\n{reasons}"
    workspace = changed(workspace_root, path, before, f"{head}\n\nOne file each.\n")

    assert losses(workspace) == [(path, "memory-shrank", 12)]


def test_a_topic_that_lost_its_history_is_a_problem(workspace_root: Path) -> None:
    path, history = (
        "memory/context-api.md",
        "".join(f"- 2026-11-{n:02}: Step {n}\n" for n in range(13, 29)),
    )
    workspace = changed(workspace_root, path, TOPIC + history, TOPIC)

    assert losses(workspace) == [(path, "memory-shrank", 16)]


@pytest.mark.parametrize("path", ["README.md", "notes/list.md", "memory/state.json"])
def test_other_files_may_shrink(workspace_root: Path, path: str) -> None:
    workspace = changed(workspace_root, path, MEMORY, "# Memory\n")

    assert losses(workspace) == []


@pytest.mark.parametrize(
    "after",
    [
        MEMORY.replace("person 3", "person three"),
        MEMORY.replace("- person 3\n- person 4\n", ""),
        MEMORY + "- more\n",
        MEMORY.replace("- person", "* person"),
    ],
    ids=["reworded", "two lines fewer", "longer", "other bullets"],
)
def test_an_edited_memory_is_no_problem(workspace_root: Path, after: str) -> None:
    assert losses(changed(workspace_root, "MEMORY.md", MEMORY, after)) == []


def test_a_large_file_may_lose_a_few_lines_but_not_twenty(workspace_root: Path) -> None:
    lines = [f"- fact {n}\n" for n in range(500)]
    workspace = changed(workspace_root, "MEMORY.md", "".join(lines), "".join(lines[9:]))
    assert losses(workspace) == []

    write(workspace_root, {"MEMORY.md": "".join(lines[29:])})
    sync_workspace(workspace)

    assert losses(workspace) == [("MEMORY.md", "memory-shrank", 20)]


def test_a_loss_is_not_forgotten_when_other_lines_come(workspace_root: Path) -> None:
    workspace = changed(workspace_root, "MEMORY.md", MEMORY, f"# Memory\n\n{RULES}")

    write(workspace_root, {"MEMORY.md": f"# Memory\n\n{RULES}" + "- news\n" * 40})
    sync_workspace(workspace)

    assert losses(workspace) == [("MEMORY.md", "memory-shrank", 13)]


def test_a_loss_ends_when_most_lines_are_back(workspace_root: Path) -> None:
    workspace = changed(workspace_root, "MEMORY.md", MEMORY, f"# Memory\n\n{RULES}")

    write(workspace_root, {"MEMORY.md": MEMORY.replace("- person 3\n", "")})
    sync_workspace(workspace)

    assert losses(workspace) == []


def test_what_a_person_restores_is_no_loss(workspace_root: Path) -> None:
    workspace = changed(workspace_root, "MEMORY.md", f"# Memory\n\n{RULES}", MEMORY)
    first, newest = (version_at(workspace, "MEMORY.md", seq) for seq in (1, None))
    assert first and newest

    restore(workspace, "MEMORY.md", first, newest.seq, Who("operator", "key"))

    assert losses(workspace) == []


def test_a_rebuild_gives_losses_again(workspace_root: Path) -> None:
    workspace = changed(workspace_root, "MEMORY.md", MEMORY, f"# Memory\n\n{RULES}")
    before = projected_rows(workspace)

    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))


def test_sections_say_where_the_lines_were() -> None:
    after = "# Memory\n\n" + RULES.replace("- rule 1\n", "- rule one\n")

    assert section_losses(MEMORY, after) == [
        SectionLoss("People", 13, 0, is_gone=True),
        SectionLoss("Rules", 1, 1, is_gone=False),
    ]


def test_lines_that_moved_to_another_section_are_not_lost() -> None:
    after = f"# Memory\n\n{RULES}\n{PEOPLE.replace('People', 'Persons')}"

    assert section_losses(MEMORY, after) == [SectionLoss("People", 1, 0, is_gone=True)]
