from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from memoryhub.dialects import kiro_steering
from memoryhub.dialects.registry import detect
from memoryhub.journal.models import SourceFile, Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Directive, Topic

SAMPLES = Path(kiro_steering.__file__).parent / "samples"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".kiro/steering/product.md", "kiro_steering"),
        ("shop/.kiro/steering/team/2026-05-01-tides.md", "kiro_steering"),
        (".kiro/specs/tides/tasks.md", "spec_kit"),
        ("docs/steering/product.md", "plain"),
    ],
)
def test_its_place_tells_it(path: str, name: str) -> None:
    assert detect(PurePosixPath(path), "# A note\n").name == name


def test_steering_is_an_instruction_that_says_when_it_counts(
    workspace: Workspace,
) -> None:
    folder = ".kiro/steering"
    files = {f"{folder}/{path.name}": path.read_bytes() for path in SAMPLES.iterdir()}
    say(workspace, {**files})

    rows = SourceFile.objects.values_list("path", "title", "format", "role")
    assert sorted(rows) == [
        (f".kiro/steering/{name}", title, "kiro_steering", "instruction")
        for name, title in (
            ("auto-crlf.md", "night-crossings (auto)"),
            ("product.md", "The ferry's product"),
            ("tides.md", "Code about tides (src/tides/**/*.py, tests/tides/**)"),
            ("without-a-pattern.md", "(fileMatch)"),
        )
    ]
    for model in (Topic, Directive, OpenItem, LogEntry):
        assert not model.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)
