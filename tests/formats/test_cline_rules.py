from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from memoryhub.dialects import cline_rules
from memoryhub.dialects.registry import detect
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

SAMPLES = Path(cline_rules.__file__).parent / "samples"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".clinerules", "cline_rules"),
        (".clinerules/01.md", "cline_rules"),
        (".clinerules/workflows/ship.md", "cline_rules"),
        (".cline/rules/2026-05-01.md", "cline_rules"),
        (".junie/guidelines.md", "cline_rules"),
        (".clinerules/memory-bank/lessons.md", "plain"),
        (".clinerules/memory-bank/progress.md", "memory_bank"),
        ("rules.clinerules", "plain"),
    ],
)
def test_its_place_tells_it(path: str, name: str) -> None:
    assert detect(PurePosixPath(path), "# A note\n").name == name


def test_rules_are_instructions_that_say_for_which_files(workspace: Workspace) -> None:
    files = {
        ".clinerules/02-berths.md": sample("02-berths.md"),
        ".clinerules/empty.md": sample("empty.md"),
        ".junie/guidelines.md": sample("guidelines.md"),
        "inner/.clinerules": sample("clinerules"),
    }
    say(workspace, {**files})

    rows = SourceFile.objects.values_list("path", "title", "format", "role")
    assert sorted(rows) == [
        (path, title, "cline_rules", "instruction")
        for path, title in zip(
            sorted(files),
            ("Berths (src/berths/**, tests/berths/*.py)", "", "Guidelines", ""),
            strict=True,
        )
    ]
    for model in (Topic, Decision, OpenItem, LogEntry):
        assert not model.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_to_write_rules_takes_the_scope_of_instructions() -> None:
    for path in (".clinerules", ".clinerules/01.md", ".junie/guidelines.md"):
        assert scope_to_write(path) is Scope.INSTRUCTIONS
