from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from pathlib import Path

import pytest

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Operation, Revision, Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.editing import (
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.read import reader
from memoryhub.sync.record import projection
from memoryhub.sync.record.projection import catch_up, rebuild
from snapshots.importers.linking import ASSIGNABLE
from snapshots.services.assigning import assignment
from tests.every_dialect import Changer, write_every_dialect
from tests.projected import differences, projected_rows
from topics.models import Topic

LOGGED = {"add_decision", "supersede", "reject", "remove_decision"}
MakeWorkspace = Callable[[Path], Workspace]
BEGIN = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


class Killed(BaseException):
    """Stands for the end of the process between two batches."""


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_BATCH_FILES", 3)
    monkeypatch.setattr(reader, "FIRST_FILES", 3)
    monkeypatch.setattr(projection, "_REPLAY_BATCH", 7)


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: MakeWorkspace, small_batches: None
) -> Workspace:
    write_every_dialect(workspace_root)
    made = make_workspace(workspace_root)
    made.time_zone = "Asia/Shanghai"
    made.save()
    return made


def killed_after(batches: int) -> Callable[..., None]:
    numbers = count(1)

    def progress(*how_far: object) -> None:
        if next(numbers) == batches:
            raise Killed

    return progress


class History:
    """Random edits to a workspace's files and through the hub, synced and killed."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self.workspace = workspace
        self._random = random.Random(seed)
        self._changer = Changer(Path(workspace.root), seed)
        self._ticks = count()

    def clock(self) -> datetime:
        return BEGIN + timedelta(seconds=next(self._ticks))

    def run(self, rounds: int) -> None:
        for _ in range(rounds):
            for _ in range(self._random.randint(1, 6)):
                self._changer.change()
            if self._random.random() < 0.4:
                self._edit()
            self._sync()
            if self._random.random() < 0.05:
                self._rebuild()
        sync_workspace(self.workspace, clock=self.clock)

    def _sync(self) -> None:
        with suppress(Killed):
            sync_workspace(
                self.workspace,
                # It is told of the first file before anything is read.
                progress=killed_after(1 + self._random.randint(1, 6)),
                clock=self.clock,
            )

    def _rebuild(self) -> None:
        with suppress(Killed):
            rebuild(self.workspace, progress=killed_after(self._random.randint(1, 9)))

    def _edit(self) -> None:
        self.workspace.refresh_from_db()
        self.workspace.review_before_writing = self._random.random() < 0.3
        self.workspace.save(update_fields=["review_before_writing"])
        with suppress(Conflict, FileError, FormatError):
            self._do(self._random.randint(1, 10))

    def _do(self, number: int) -> None:
        done = list(Operation.objects.filter(workspace=self.workspace).order_by("seq"))
        if number == 1:
            settle(self.workspace, clock=self.clock)
        elif number == 2:
            write_staged(self.workspace, clock=self.clock)
        elif number == 3 and done:
            undo(
                self.workspace, self._random.choice(done), "person:1", clock=self.clock
            )
        else:
            edit = self._assignment() if number == 4 else self._new_edit()
            if edit:
                apply_edit(self.workspace, edit, clock=self.clock)

    def _assignment(self) -> Edit | None:
        """Return an edit that gives some row to some agent and topic."""
        model = self._random.choice([*ASSIGNABLE.values()])
        rows = list(model._default_manager.order_by("id"))
        agents = [None, *Agent.objects.order_by("id").values_list("id", flat=True)]
        topics = [None, *Topic.objects.order_by("id").values_list("id", flat=True)]
        if not rows:
            return None
        return assignment(
            self._random.choice(rows),
            agent=self._random.choice(agents),
            topic=self._random.choice(topics),
            actor="person:1",
            key=f"edit-{next(self._ticks)}",
        )

    def _new_edit(self) -> Edit:
        topics = [
            *Path(self.workspace.root).glob("memory/context-*.md"),
            Path(self.workspace.root, "memory/context-new.md"),
        ]
        path = f"memory/{self._random.choice(sorted(topics)).name}"
        text = self._random.choice(["Use queues", "Blocked", "2026-11-09: Sharded"])
        verb = self._random.choice(
            [
                "set_status",
                "add_decision",
                "supersede",
                "reject",
                "remove_decision",
                "add_history",
                "bind",
            ]
        )
        payload: Payload = {"text": text, "today": "2026-11-21"}
        if verb in LOGGED and self._random.random() < 0.5:
            path, payload = "memory/decisions.md", {"text": text, "log": True}
        if verb == "bind":
            path = "memory/context-session-map.json"
            payload = {"key": "agent:main:cli:direct:7", "topic": text}
        key = f"edit-{next(self._ticks)}"
        return Edit(path, verb, payload, "person:1", key=key)


def assert_rebuild_changes_nothing(workspace: Workspace) -> None:
    before = projected_rows(workspace)

    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))


def test_a_rebuild_gives_equal_rows_with_equal_ids(workspace: Workspace) -> None:
    sync_workspace(workspace)

    assert_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rebuild_gives_equal_rows_after_random_edits_and_kills(
    workspace: Workspace, seed: int
) -> None:
    history = History(workspace, seed)

    history.run(rounds=25)

    assert Revision.objects.filter(workspace=workspace).count() > 150
    assert_rebuild_changes_nothing(workspace)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 30))
def test_a_rebuild_gives_equal_rows_after_hundreds_of_edits(
    workspace: Workspace, seed: int
) -> None:
    history = History(workspace, seed)

    history.run(rounds=200)

    assert_rebuild_changes_nothing(workspace)


def test_a_killed_rebuild_is_finished_by_the_next_run(workspace: Workspace) -> None:
    sync_workspace(workspace)
    before = projected_rows(workspace)

    with pytest.raises(Killed):
        rebuild(workspace, progress=killed_after(3))
    catch_up(workspace)

    assert not differences(before, projected_rows(workspace))


def test_a_setting_changed_during_a_rebuild_stays(workspace: Workspace) -> None:
    sync_workspace(workspace)

    def rename(done: int, whole: int) -> None:
        if done < whole:
            Workspace.objects.filter(pk=workspace.pk).update(name="Renamed")

    rebuild(workspace, progress=rename)

    assert Workspace.objects.get().name == "Renamed"


def test_a_rebuild_lets_others_write_every_few_files(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    for number in range(60):
        (workspace_root / f"note-{number}.md").write_text(f"# Note {number}\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    committed: list[int] = []

    rebuild(workspace, progress=lambda done, _: committed.append(done))

    steps = [after - before for before, after in pairwise([0, *committed])]
    assert len(steps) > 1 and max(steps) <= 30
