from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.board import Filters, board
from memoryhub.handoffs.queries.lane import turns, unfinished
from memoryhub.journal.models import Problem, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import projection
from memoryhub.sync.record.projection import rebuild
from tests.factories import write
from tests.projected import differences, projected_rows
from tests.signing import own_program
from tests.writing import assert_a_rebuild_changes_nothing, say

MakeWorkspace = Callable[[Path], Workspace]

OWN = "memory/handoffs/20261105-01.md"
#: When the files of an old folder were changed.
ON_DISK = datetime(2026, 11, 7, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def task(task_id: str = "20261105-01", sender: str = "ana", context: str = "c") -> str:
    return (
        f"<task>\n  <from>{sender}</from>\n  <to>dev</to>\n"
        f"  <task_id>{task_id}</task_id>\n  <type>write</type>\n"
        f"  <context>{context}</context>\n</task>\n"
    )


def result(status: str = "done", task_id: str = "20261105-01") -> str:
    return (
        f"<r>\n  <task_id>{task_id}</task_id>\n  <status>{status}</status>\n"
        "  <o>out</o>\n</r>\n"
    )


def own_file(*log: str, results: str = "") -> str:
    lines = "".join(f"- {line}\n" for line in log)
    return f"# Handoff 20261105-01\n\n{task()}\n{results}\n## Log\n\n{lines}"


def verbs() -> list[str]:
    events = Event.objects.filter(kind="handoff").order_by("position")
    return list(events.values_list("verb", flat=True))


def test_a_task_alone_is_open(workspace: Workspace) -> None:
    say(workspace, {"AGENTS.md": "# AGENTS\n\n" + task()})

    handoff = Handoff.objects.get()
    assert (handoff.state, handoff.sender, handoff.recipient) == ("open", "ana", "dev")
    assert verbs() == ["sent"]


def test_the_last_line_of_the_log_decides(workspace: Workspace) -> None:
    log = ["2026-11-05T09:00:00Z ana: sent", "2026-11-05T10:00:00Z dev: taken"]
    say(workspace, {OWN: own_file(*log)})
    assert Handoff.objects.get().state == "in_progress"

    say(workspace, {OWN: own_file(*log, "2026-11-05T11:00:00Z dev: done")})

    assert Handoff.objects.get().state == "done"
    assert verbs()[-1] == "done"


def test_a_result_without_a_line_in_the_log_counts(workspace: Workspace) -> None:
    log = ["2026-11-05T09:00:00Z ana: sent", "2026-11-05T10:00:00Z dev: taken"]
    say(workspace, {OWN: own_file(*log, results=result("failed"))})

    handoff = Handoff.objects.get()
    assert (handoff.state, handoff.result) == ("failed", "out")


@pytest.mark.parametrize("status", ["done", "blocked", "failed"])
@pytest.mark.parametrize("place", [OWN, "memory/zz.md"])
def test_a_step_without_a_time_is_not_of_the_first_import(
    client: Client, workspace: Workspace, status: str, place: str
) -> None:
    undated = OWN.replace("-01", "-02"), own_file("dev: taken").replace("-01", "-02")
    files = dict([undated, (OWN, own_file())])
    files[place] = files.get(place, "") + result(status)
    write(Path(workspace.root), files)
    for path in files:
        os.utime(Path(workspace.root) / path, (ON_DISK.timestamp(),) * 2)
    sync_workspace(workspace)

    program, slug = own_program(), workspace.slug
    base = f"/api/v1/workspaces/{slug}/handoffs/20261105-0"
    told = [program.get(f"{base}{n}").json()["data"]["last_at"] for n in (1, 2)]
    urls = [f"/w/{slug}/handoffs/20261105-0{n}/" for n in (1, 2)]
    pages = [client.get(url, follow=True) for url in urls]

    assert all(at < "2026-11-08" for at in told)
    shown = [page.content.decode().count("time not recorded") for page in pages]
    assert shown == [int(place == OWN), 1]


@pytest.mark.parametrize("place", ["MEMORY.md", "memory/2026-11-06.md", "memory/zz.md"])
def test_a_result_in_another_file_ends_the_task(
    workspace: Workspace, place: str
) -> None:
    say(workspace, {"AGENTS.md": "# AGENTS\n\n" + task()})
    say(workspace, {place: "# Notes\n\n" + result()})

    assert Handoff.objects.get().state == "done"
    assert verbs() == ["sent", "done"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_result_that_was_read_with_its_task_does_not_say_when_it_came(
    workspace: Workspace,
) -> None:
    """Not the day of the import: nobody knows how long the work took."""
    say(workspace, {"AGENTS.md": f"{task()}\n{result()}"})

    handoff = Handoff.objects.get()
    assert (handoff.state, handoff.finished_at) == ("done", None)
    assert handoff.last_at == handoff.occurred_at


def test_a_result_that_is_taken_back_opens_the_task_again(
    workspace: Workspace,
) -> None:
    say(workspace, {"AGENTS.md": "# AGENTS\n\n" + task()})
    say(workspace, {"MEMORY.md": "# Notes\n\n" + result()})

    say(workspace, {"MEMORY.md": "# Notes\n"})

    assert Handoff.objects.get().state == "open"
    assert_a_rebuild_changes_nothing(workspace)


def test_two_tasks_with_one_id_stay_two(workspace: Workspace) -> None:
    say(workspace, {
        "memory/a.md": "# A\n\n" + task(context="first"),
        "memory/b.md": "# B\n\n" + task(context="second") + result(),
        "memory/c.md": "# C\n\n" + task(context="third") + task(context="fourth"),
    })  # fmt: skip

    states = dict(Handoff.objects.values_list("context", "state"))
    assert states == {
        "first": "open", "second": "done", "third": "open", "fourth": "open"
    }  # fmt: skip
    assert_a_rebuild_changes_nothing(workspace)


def test_what_a_saved_session_quotes_is_no_handoff(workspace: Workspace) -> None:
    header = (
        "# Session: 2026-11-05 10:00:00 UTC\n\n- **Session Key**: agent:main:main\n"
    )
    talk = f"\n## Conversation Summary\n\nassistant: I sent\n{task()}{result()}"

    say(workspace, {"memory/2026-11-05-doors.md": header + talk})

    assert not Handoff.objects.exists()
    assert not HandoffStep.objects.exists()


def test_tasks_of_one_id_and_time_have_their_turn_as_they_stand_in_the_file(
    workspace: Workspace,
) -> None:
    names = [f"n{number}" for number in range(8)]
    say(workspace, {"AGENTS.md": "".join(task(context=name) for name in names)})
    say(workspace, {"AGENTS.md": "".join(task(context=name) for name in names[:6])})

    lane = unfinished(workspace).lane.order
    columns = board([workspace], Filters(), lane[0].sent_at)

    assert [write.title for write in lane] == names[:6]
    assert [card.title for card in columns[0].cards] == names[:6]
    assert turns(workspace).next[0].title == "n0"
    rebuild(workspace)
    assert unfinished(workspace).lane.order == lane


def test_an_id_longer_than_its_column_has_a_state(workspace: Workspace) -> None:
    long = "i" * 300
    say(workspace, {"memory/a.md": "# A\n\n" + task(long) + result("done", long)})

    assert Handoff.objects.get().state == "done"


def test_a_task_that_is_gone_is_closed(workspace: Workspace) -> None:
    say(workspace, {"memory/a.md": "# A\n\n" + task()})
    begun = Handoff.objects.get()
    assert (begun.acts, begun.in_lane) == ("dev", True)

    say(workspace, {"memory/a.md": "# A\n"})

    ended = Handoff.objects.get()
    assert (ended.last_seq, ended.acts, ended.in_lane) == (2, "", False)


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_events_do_not_depend_on_what_is_imported_together(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    say(workspace, {"memory/a.md": "# A\n", "memory/b.md": "# B\n\n" + task()})
    say(workspace, {"memory/a.md": "# A\n\n" + result(), "memory/b.md": "# B\n"})
    before = projected_rows(workspace)

    monkeypatch.setattr(projection, "_REPLAY_BATCH", batch)
    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))


def sent_at(workspace: Workspace) -> dict[str, tuple[str, str]]:
    return {
        handoff.task_id: (handoff.occurred_at.isoformat(), handoff.precision)
        for handoff in Handoff.objects.filter(workspace=workspace)
    }


def test_a_task_without_a_log_was_sent_on_the_day_of_its_id(
    workspace: Workspace,
) -> None:
    say(workspace, {"AGENTS.md": task(), OWN: own_file("dev: taken")})

    day = ("2026-11-05T00:00:00+00:00", "day")
    assert sent_at(workspace) == {"20261105-01": day}
    assert_a_rebuild_changes_nothing(workspace)


def test_the_first_time_of_the_log_goes_before_the_day_of_the_id(
    workspace: Workspace,
) -> None:
    say(workspace, {OWN: own_file("ana: sent", "2026-11-05T10:00:00Z dev: taken")})

    at = ("2026-11-05T10:00:00+00:00", "second")
    assert sent_at(workspace) == {"20261105-01": at}


def test_an_id_without_a_day_has_that_of_its_file(workspace: Workspace) -> None:
    ids = ("ID-001", "20261399-01")
    say(workspace, {"memory/2026-11-04.md": "".join(map(task, ids))})

    day = ("2026-11-04T00:00:00+00:00", "day")
    assert sent_at(workspace) == dict.fromkeys(ids, day)


def test_a_line_that_is_put_in_above_does_not_decide(workspace: Workspace) -> None:
    sent, done = "2026-11-05T09:00:00Z ana: sent", "2026-11-05T11:00:00Z dev: done"
    say(workspace, {OWN: own_file(sent, done)})

    say(workspace, {OWN: own_file(sent, "2026-11-05T10:00:00Z dev: taken", done)})

    handoff = Handoff.objects.get()
    assert (handoff.state, handoff.last_verb, handoff.moves) == ("done", "done", 3)
    assert_a_rebuild_changes_nothing(workspace)


def test_what_is_logged_after_a_result_without_a_line_decides(
    workspace: Workspace,
) -> None:
    say(workspace, {OWN: own_file("ana: sent", results=result())})

    say(workspace, {OWN: own_file("ana: sent", "ana: sent back", results=result())})

    assert Handoff.objects.get().state == "open"
    assert_a_rebuild_changes_nothing(workspace)


def due_in(workspace: Workspace, said: str) -> str | None:
    """Import a handoff that is due then, and return what its row says."""
    Workspace.objects.update(time_zone="Europe/Berlin")
    text = own_file("2026-11-05T09:00:00Z ana: sent")
    text = text.replace("\n\n", f"\n\n- due: {said}\n\n", 1)
    say(workspace, {OWN: text})
    due = Handoff.objects.get().due_at
    return due.isoformat() if due else None


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("2026-11-06 09:00", "2026-11-06T08:00:00+00:00"),
        ("2026-11-06T09:00:00Z", "2026-11-06T09:00:00+00:00"),
        ("2026-11-06", "2026-11-06T22:59:59+00:00"),
        ("0001-01-01", "0001-01-02T00:00:00+00:00"),
    ],
)
def test_a_due_time_without_a_zone_is_in_the_workspaces(
    workspace: Workspace, said: str, due: str
) -> None:
    assert due_in(workspace, said) == due


@pytest.mark.parametrize(
    "said",
    ["soon", "2026-02-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"],
)
def test_a_due_time_that_no_calendar_has_is_a_problem(
    workspace: Workspace, said: str
) -> None:
    assert due_in(workspace, said) is None

    problem = Problem.objects.get()
    assert (problem.code_name, problem.path) == ("handoff-due-unknown", OWN)
    assert problem.parameters == {"text": f"due: {said}"}


LOG = ("2026-11-05T09:00:00Z ana: sent", "2026-11-05T10:00:00Z dev: taken")


@pytest.mark.parametrize("verb", ["blocked -- no access", "failed -- no access"])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_result_that_the_log_has_no_line_for_decides(
    workspace: Workspace, verb: str, at_once: bool
) -> None:
    log = (*LOG, f"2026-11-05T11:00:00Z dev: {verb}")
    if not at_once:
        say(workspace, {OWN: own_file(*log)})

    say(workspace, {OWN: own_file(*log, results=result("done"))})

    assert Handoff.objects.get().state == "done"
    assert_a_rebuild_changes_nothing(workspace)


def test_a_result_does_not_belong_to_a_line_that_stood_there_before(
    workspace: Workspace,
) -> None:
    log = (*LOG, "dev: done", "ana: sent back -- once more", "dev: taken")
    say(workspace, {OWN: own_file(*log)})

    say(workspace, {OWN: own_file(*log, results=result("done"))})
    assert Handoff.objects.get().state == "done"

    say(workspace, {OWN: own_file(*log, "dev: put back", results=result("done"))})
    assert Handoff.objects.get().state == "open"
    assert_a_rebuild_changes_nothing(workspace)


def test_a_result_alone_is_the_newest_that_happened(workspace: Workspace) -> None:
    say(workspace, {OWN: own_file(*LOG, "2026-11-05T11:00:00Z dev: failed")})
    say(workspace, {OWN: own_file(*LOG, results=result("failed"))})

    handoff = Handoff.objects.get()
    assert (handoff.state, handoff.last_verb) == ("failed", "taken")
    assert handoff.last_at is not None and handoff.last_at.year > 2000
    assert handoff.last_at == handoff.finished_at


def test_a_handoff_has_the_one_topic_of_its_sender_and_no_others(
    workspace: Workspace,
) -> None:
    files: dict[str, str | bytes | None] = {
        "memory/context-session-map.json": '{"agent:dev:main": "auth"}',
        "memory/context-auth.md": "# auth\n\n- **Status**: open\n",
    }
    say(workspace, files)
    say(workspace, {"AGENTS.md": task() + task("20261105-02", "dev")})

    found = {row.sender: row.topic_rule for row in Handoff.objects.all()}
    assert found == {"ana": "", "dev": "binding"}

    say(workspace, {OWN: own_file("dev: sent").replace(">ana<", ">dev<")})
    assert Handoff.objects.get(file__path=OWN).topic is None


def test_a_step_is_of_who_did_it(workspace: Workspace) -> None:
    log = (
        "2026-11-05T09:00:00Z ana: sent",
        "2026-11-05T10:00:00Z dev: taken",
        "2026-11-05T12:00:00Z eve: said -- hello",
    )
    other = task("20261105-02") + result("failed", "20261105-02")
    say(workspace, {OWN: own_file(*log), "AGENTS.md": "# AGENTS\n\n" + other})

    events = Event.objects.filter(kind="handoff")
    by = events.values_list("verb", "agent__name").order_by("position")
    assert [*by.filter(data__id="20261105-01")] == [
        ("sent", "ana"), ("in_progress", "dev"), ("said", None)
    ]  # fmt: skip
    assert [*by.filter(data__id="20261105-02")] == [("sent", "ana"), ("failed", "dev")]
