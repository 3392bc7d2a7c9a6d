"""The lane holds with several processes at once, and when one is killed in it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connections

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import unfinished
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit import editing
from memoryhub.sync.record import projection
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.steps import put_back

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return add_workspace(workspace_root)


def by(actor: str) -> Author:
    return Author(actor, at=NOON)


def sent(workspace: Workspace) -> Handoff:
    task = Task("", "", "builder", "write", "c", "i")
    return send(workspace, task, by("planner")).handoff


def at_once(work: Callable[[int], object], number: int) -> list[object]:
    """Return what each thread's work gives, or the refusal that it met."""

    def done(index: int) -> object:
        try:
            return work(index)
        except NotAllowed as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(done, range(number)))


def test_ids_never_collide(workspace: Workspace) -> None:
    ids = at_once(lambda _: sent(workspace).task_id, 8)

    assert sorted(map(str, ids)) == [f"20261120-{n:02d}" for n in range(1, 9)]


def test_one_of_many_takes_a_write(workspace: Workspace) -> None:
    first = sent(workspace)

    states = at_once(lambda _: take(first, by("builder")).handoff.state, 6)

    assert sorted(map(str, states)) == ["handoff-state"] * 5 + ["in_progress"]


def test_a_taking_that_a_crash_cut_off_counts_before_the_next(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sent(workspace), sent(workspace)
    monkeypatch.setattr(editing, "record_written", _die)
    with pytest.raises(Killed):
        take(first, by("builder"))
    monkeypatch.undo()
    assert not unfinished(workspace).lane.now

    with pytest.raises(NotAllowed, match="lane-busy"):
        take(second, by("builder"))

    assert [write.id for write in unfinished(workspace).lane.now] == [first.pk]
    assert not Operation.objects.filter(state="pending").exists()


def test_the_same_call_after_a_crash_does_it_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, form = sent(workspace), by("builder")
    monkeypatch.setattr(editing, "write", _die)
    with pytest.raises(Killed):
        take(first, form)
    monkeypatch.undo()

    assert take(first, form).handoff.standing == "2 taken, builder"


def test_rows_that_a_rebuild_makes_anew_are_waited_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(sent(workspace), by("builder"))
    second = sent(workspace)
    monkeypatch.setattr(projection, "catch_up", _die)
    with pytest.raises(Killed):
        projection.rebuild(workspace)
    monkeypatch.undo()
    assert not unfinished(workspace).lane.order

    with pytest.raises(NotAllowed, match="lane-busy"):
        take(second, by("builder"))


def test_the_lane_is_entered_again_from_inside(workspace: Workspace) -> None:
    first = sent(workspace)

    with lanes(workspace):
        take(first, by("builder"))
        put_back(first, by("builder"))

    assert len(unfinished(workspace).lane.next) == 1


def _die(*_: object, **__: object) -> None:
    raise Killed
