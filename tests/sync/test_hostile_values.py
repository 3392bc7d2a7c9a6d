"""Numbers and times in files of every dialect, as far out as a text can have them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.every_dialect import write_every_dialect
from tests.writing import assert_a_rebuild_changes_nothing

_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_TIME = re.compile(_DAY.pattern + r"[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"\b\d\d:\d\d\b")
_ZONE = re.compile(r"\b(?:UTC|ET|PST|Asia/Shanghai|Europe/Berlin)\b|(?<=\d)Z\b")

#: What is put into the place of what.
KINDS = {
    "first-day": (_DAY, "0001-01-01"),
    "last-day": (_DAY, "9999-12-31"),
    "no-day": (_DAY, "2026-02-31"),
    "before-time": (_TIME, "0001-01-01T00:00:00+14:00"),
    "after-time": (_TIME, "9999-12-31T23:59:59-12:00"),
    "no-offset": (_TIME, "2026-11-20T12:00:00+99:59"),
    "fraction": (_TIME, f"2026-11-20T12:00:00.{'9' * 5000}Z"),
    "clock": (_CLOCK, "99:99"),
    "huge": (_NUMBER, "9" * 5000),
    "beyond-int64": (_NUMBER, "9" * 19),
    "other-digits": (_NUMBER, "\u0662\u00b2"),
    "minus": (_NUMBER, "-1"),
    "not-finite": (_NUMBER, "1e999"),
    "zone-path": (_ZONE, "../../etc/localtime"),
    "zone-far": (_ZONE, "UTC+99"),
    "nested": (_NUMBER, "[" * 3000),
}  # fmt: skip


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    """Return a workspace that is fourteen hours ahead, with files of every dialect."""
    write_every_dialect(workspace_root, small=True)
    made = make_workspace(workspace_root)
    made.time_zone = "Pacific/Kiritimati"
    made.save()
    return made


def rewrite(workspace: Workspace, change: Callable[[str], str]) -> None:
    for place in Path(workspace.root).rglob("*.*"):
        if place.is_file():
            text = place.read_bytes().decode("utf-8", "surrogateescape")
            place.write_bytes(change(text).encode("utf-8", "surrogateescape"))


def assert_all_is_imported(workspace: Workspace) -> None:
    report = sync_workspace(workspace)

    assert SourceFile.objects.count() == report.files
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_keeps_a_file_from_being_imported(
    workspace: Workspace, kind: str
) -> None:
    pattern, value = KINDS[kind]
    rewrite(workspace, lambda text: pattern.sub(lambda _: value, text))

    assert_all_is_imported(workspace)


@pytest.mark.parametrize("seed", range(3))
def test_nor_do_several_here_and_there(workspace: Workspace, seed: int) -> None:
    chance = random.Random(seed)

    def mixed(text: str) -> str:
        for pattern, value in KINDS.values():
            text = "".join(
                value if chance.random() < 0.03 and pattern.fullmatch(part) else part
                for part in re.split(f"({pattern.pattern})", text)
            )
        return text

    rewrite(workspace, mixed)

    assert_all_is_imported(workspace)
