"""A week of changes on the layouts of five hosts: nothing that a file said is lost."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.journal.blobs import stored_bytes
from memoryhub.journal.models import Problem, Revision, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.sync.record.projection import rebuild
from memoryhub.workspaces.services.adding import add_workspace
from tests.host_layouts import LAYOUTS
from tests.projected import differences, projected_rows
from tests.writing import write_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)
LINE = "- {day}: the {number}. thing was weighed, packed and sent to the harbour\n"


class Week:
    """Random changes of an agent that nobody told about the hub."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.said: dict[str, set[bytes]] = {}
        self._random = random.Random(seed)
        self._number = 0

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {str(f.relative_to(self.root)): f.read_bytes() for f in found}

    def day(self, name: str) -> None:
        for _ in range(self._random.randint(1, 4)):
            paths = sorted(self.files())
            if paths:
                act = self._random.choice([self.add, self.cut, self.move, self.drop])
                act(self.root / self._random.choice(paths), name)
        if self._random.random() < 0.3:
            self.rename_a_folder(name)
        write_files(self.root, {f"memory/{name}.md": self._lines(name, 6)})

    def add(self, file: Path, day: str) -> None:
        with file.open("a") as open_file:
            open_file.write(self._lines(day, 3))

    def cut(self, file: Path, day: str) -> None:
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[: len(lines) // 2]))

    def move(self, file: Path, day: str) -> None:
        """Move a file, and change it in half of the cases."""
        place = file.parent / "old" / f"{file.stem}-{day}{file.suffix}"
        place.parent.mkdir(exist_ok=True)
        file.rename(place)
        if self._random.random() < 0.5:
            place.write_text(place.read_text() + self._lines(day, 1))

    def drop(self, file: Path, day: str) -> None:
        file.unlink()

    def rename_a_folder(self, day: str) -> None:
        folders = sorted(p for p in self.root.iterdir() if p.is_dir())
        if folders:
            folder = self._random.choice(folders)
            folder.rename(folder.with_name(f"{folder.name}-{day}"))

    def _lines(self, day: str, count: int) -> str:
        self._number += count
        numbers = range(self._number - count, self._number)
        return "".join(LINE.format(day=day, number=number) for number in numbers)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("host", [*LAYOUTS][:5])
def test_a_week_of_an_agent_loses_nothing(tmp_path: Path, host: str, seed: int) -> None:
    root = tmp_path / "hosted"
    write_files(root, dict(LAYOUTS[host].files))
    workspace, week = add_workspace(root), Week(root, seed)
    seen: set[bytes] = set()
    for number in range(7):
        at = MONDAY + timedelta(days=number)
        if number:
            week.day(at.date().isoformat())
        clock = partial(datetime.__add__, at, timedelta())
        report = sync_workspace(workspace, accept_deletions=True, clock=clock)
        assert not report.held
        imported = {f.path: f.data for f in workspace_files(workspace)}
        on_disk = {path: week.files()[path] for path in imported}
        assert imported == on_disk
        seen |= set(imported.values())

    _assert_all_restorable(workspace, seen)
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))
    assert not Problem.objects.filter(code_name="not-imported").exists()


def _assert_all_restorable(workspace: Workspace, seen: set[bytes]) -> None:
    rows = Revision.objects.filter(workspace=workspace, blob__isnull=False)
    recorded = set(rows.values_list("blob__sha256", flat=True))
    for data in seen:
        digest = sha256(data).hexdigest()
        assert digest in recorded
        assert stored_bytes(digest) == data
