"""Several lanes: writes that cannot touch the same files run beside each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.lane import open_work, past_overlaps, turns
from memoryhub.handoffs.rules.acting import NotAllowed, can_meet
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import put_back
from tests.writing import assert_a_rebuild_changes_nothing

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0) -> Author:
    return Author(actor, at=NOON + timedelta(minutes=minutes))


def sent(
    workspace: Workspace, paths: str = "", *, repository: str = "", priority: str = ""
) -> Handoff:
    task = Task(
        "", "", "bob", "write", "c", "i",
        paths=paths, repository=repository, priority=priority,
    )  # fmt: skip
    return send(workspace, task, by("ann")).handoff


def can_take(workspace: Workspace) -> list[str]:
    rows = ready(workspace, Filters(), turns(workspace), NOON, limit=9)
    return [row.task_id.removeprefix("20261120-") for row in rows]


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (("", ""), ("web", "src"), True),
        (("web", ""), ("api", ""), False),
        (("Web", ""), ("web", "src"), True),
        (("", "src/api"), ("", "src/api/x.py"), True),
        (("", "src/api"), ("", "src/apix"), False),
        (("", "SRC/a.py"), ("", "./src/A.py"), True),
        (("", "src/*.py"), ("", "src/deep/x.py"), True),
        (("", "*.md"), ("", "src"), True),
        (("", "../src"), ("", "docs"), True),
        (("", "/srv/src"), ("", "docs"), True),
        (("", "a, b"), ("", "c, b/d"), True),
        (("web", "src"), ("", "docs"), True),
    ],
)
def test_writes_meet_where_they_can_touch_one_file(
    one: tuple[str, str], other: tuple[str, str], *, meet: bool
) -> None:
    first, second = (Handoff(repository=r, paths=p) for r, p in (one, other))

    assert can_meet(first, second) == can_meet(second, first) == meet


def test_writes_to_other_files_run_beside_each_other(workspace: Workspace) -> None:
    src, docs, whole = (sent(workspace, p) for p in ("src", "docs, notes", ""))

    for handoff in (src, docs):
        assert take(handoff, by("bob", 1)).handoff.state == "in_progress"
    with pytest.raises(NotAllowed, match=r"^handoff-lane-busy"):
        take(whole, by("bob", 2))
    assert open_work(workspace).lane.overlapping == ()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_dead_recipient_stops_its_own_lane_only(workspace: Workspace) -> None:
    take(sent(workspace, repository="web"), by("bob", 1))
    sent(workspace, repository="web")
    sent(workspace, repository="api")

    assert can_take(workspace) == ["03"]


def test_what_waits_for_the_whole_is_not_passed_for_ever(workspace: Workspace) -> None:
    take(sent(workspace, "src"), by("bob", 1))
    sent(workspace)
    later = sent(workspace, "docs")

    assert can_take(workspace) == []
    with pytest.raises(NotAllowed, match=r"lane-order .*first=20261120-02"):
        take(later, by("bob", 2))


def test_of_one_lane_the_more_urgent_is_first(workspace: Workspace) -> None:
    for priority in ("low", "", "high", "high"):
        sent(workspace, priority=priority)

    assert can_take(workspace) == ["03"]
    work = open_work(workspace).lane
    assert [write.task_id[-2:] for write in work.order] == ["03", "04", "02", "01"]


def test_a_place_counts_the_writes_of_its_own_lane(workspace: Workspace) -> None:
    sent(workspace, "src"), sent(workspace, "src/a"), sent(workspace, "docs")

    lane = open_work(workspace).lane

    assert [lane.places[write.id] for write in lane.order] == [1, 2, 1]


def test_no_overlap_is_told_of_writes_beside_each_other(workspace: Workspace) -> None:
    src, docs = sent(workspace, "src"), sent(workspace, "docs")
    for minutes, handoff in ((1, src), (2, docs)):
        put_back(take(handoff, by("bob", minutes)).handoff, by("bob", minutes + 5))

    assert past_overlaps(workspace, NOON + timedelta(hours=1)) == ()
