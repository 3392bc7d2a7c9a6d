"""Leases and alarms: who counts as a holder, what as a sign of life, since when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Result, Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.alarms import (
    alarms,
    alarms_and_deadlocks,
    alarms_shown,
    failures,
    leases,
    silent_rows,
)
from memoryhub.handoffs.services.leases import renew
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Workspace
from tests.factories import imported
from tests.handoffs import pairs
from tests.handoffs.steps import block, mark_failed, put_back, revise
from tests.writing import say

NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)
LEASE = timedelta(minutes=120)
ROLES = "# Agents\n\n## Roles\n\n- **bob**: Builder\n- **cid**: Builder\n"
Both = tuple[Workspace, Workspace]


at, by = partial(pairs.at, noon=NOON), partial(pairs.by, noon=NOON)
sent = partial(pairs.sent, noon=NOON)


def told(workspace: Workspace, minutes: int) -> list[tuple[str, str, datetime]]:
    found = alarms(workspace, at(minutes))
    return [(a.kind, a.handoff.task_id[-2:], a.at) for a in found]


def test_a_holder_is_silent_from_the_end_of_its_lease(acme: Workspace) -> None:
    held = take(sent(acme), by("bob", 10)).handoff

    assert (told(acme, 130), silent_rows(acme, at(130))) == ([], [])
    assert told(acme, 131) == [("silent", "01", at(130))]
    (found,) = silent_rows(acme, at(131))
    assert (found.pk, found.context) == (held.pk, "Mend the door")


def test_what_is_taken_again_has_a_lease_from_then_on(acme: Workspace) -> None:
    held = take(sent(acme), by("bob", 10)).handoff
    put_back(held, by("bob", 20))
    again = take(held, by("bob", 60)).handoff

    assert leases(acme, [again], at(61)) == {held.pk: at(60) + LEASE}


def test_only_work_in_progress_here_has_a_lease(both: Both) -> None:
    shop, mill = both
    held = take(sent(mill), by("bob", 10)).handoff
    there = take(sent(shop, "ann mill/cid"), by("mill/cid", 20)).handoff
    ended = take(sent(mill, "ann dan"), by("dan", 30)).handoff
    rows = [held, sent(mill), block(ended, by("dan", 31), reason="no key").handoff]

    assert leases(mill, rows, at(40)) == {held.pk: at(10) + LEASE}
    assert there.away and leases(shop, [there], at(40)) == {}
    assert leases(mill, [], at(40)) == {}


@pytest.mark.parametrize(
    ("files", "end"),
    [
        ({}, 120), ({"agents/bob/memory/2024-05-02.md": "## 13:30 - Began\nx\n"}, 210),
        ({"agents/cid/memory/2024-05-02.md": "## 13:30 - Began\nx\n"}, 120),
    ],
)  # fmt: skip
def test_what_a_first_import_dates_is_a_sign_of_that_time(
    hub_data: Path, db: None, workspace_root: Path, files: dict[str, str], end: int
) -> None:
    block = "<task>\n<from>ann</from>\n<to>bob</to>\n<type>read_only</type>\n</task>\n"
    log = "\n## Log\n\n- 2024-05-02T12:00:00Z bob: taken\n"
    acme = imported(workspace_root, {"memory/handoffs/t1.md": block + log, **files})

    found = leases(acme, Handoff.objects.all(), NOON)

    assert list(found.values()) == [at(end)]


def test_a_file_that_it_writes_later_is_a_sign_of_the_time_of_its_record(
    acme: Workspace,
) -> None:
    say(acme, {"notes.md": "# Notes\n"})
    held = take(sent(acme), by("bob")).handoff
    say(acme, {"agents/bob/memory/2024-05-02.md": "## 13:30 - Began\nx\n"})

    (end,) = leases(acme, [held], NOON).values()

    assert end > at(24 * 60)


def test_the_last_of_several_signs_counts_and_of_its_holder_alone(
    acme: Workspace,
) -> None:
    held = take(sent(acme), by("bob")).handoff
    other = take(sent(acme, "ann cid"), by("cid")).handoff
    renew(acme, "bob", at(50))
    block(sent(acme), by("bob", 40), reason="no key")
    renew(acme, "cid", at(20))

    found = leases(acme, [held, other], NOON)

    assert found == {held.pk: at(50) + LEASE, other.pk: at(20) + LEASE}
    block(sent(acme), by("bob", 70), reason="no key")
    assert leases(acme, [held], NOON) == {held.pk: at(70) + LEASE}


@pytest.mark.parametrize("to", ["role:builder", "any", "cid"])
def test_whoever_has_taken_it_is_named(acme: Workspace, to: str) -> None:
    say(acme, {"AGENTS.md": ROLES})
    take(sent(acme, f"ann {to}"), by("cid"))

    (late,) = alarms(acme, at(121))
    assert (late.kind, late.names) == ("silent", ("cid",))

    mark_failed(Handoff.objects.get(), by("cid", 122), reason="no wood")
    (failed,) = failures(acme, at(123))
    assert (failed.kind, failed.at, failed.names) == ("failed", at(122), ("cid",))


@pytest.mark.parametrize(("days", "named"), [(0, 1), (7, 1), (8, 0)])
def test_failed_work_is_named_for_a_week(
    acme: Workspace, days: int, named: int
) -> None:
    mark_failed(sent(acme), by("bob", 5), reason="no wood")

    found = failures(acme, at(5) + timedelta(days=days))

    assert len(found) == named


def test_failed_work_is_named_the_newest_first_and_where_it_was_done(
    both: Both,
) -> None:
    shop, mill = both
    mark_failed(sent(mill, "ann cid"), by("cid", 5), reason="no wood")
    mark_failed(sent(shop, "ann mill/bob"), by("mill/bob", 6), reason="no nails")
    again = mark_failed(sent(mill, "ann cid"), by("cid", 7), reason="no glue").handoff
    hand_off_again(again, by("ann", 8), recipient="eve")

    assert [alarm.names for alarm in failures(mill, at(9))] == [("bob",), ("cid",)]
    assert failures(shop, at(9)) == ()


def test_the_most_urgent_kind_is_first_and_then_the_oldest(acme: Workspace) -> None:
    for name in ("bob", "cid"):
        renew(acme, name, at(-900))
    sent(acme, "ann cid", due=30), sent(acme, "ann cid", due=10)
    take(sent(acme), by("bob", 5))
    failed = sent(acme)
    sent(acme, "ann cid", minutes=20, after=failed.task_id)
    mark_failed(failed, by("bob", 6), reason="no wood")
    sent(acme, "ann ghost", minutes=15)

    assert told(acme, 300) == [
        ("silent", "03", at(6) + LEASE), ("stuck", "05", at(20)),
        ("overdue", "02", at(10)), ("overdue", "01", at(30)),
        ("unknown-recipient", "06", at(15)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("due", "minutes", "kinds"), [(30, 30, []), (30, 31, ["overdue"])]
)
def test_it_is_overdue_after_its_due_time(
    acme: Workspace, due: int, minutes: int, kinds: list[str]
) -> None:
    renew(acme, "bob", at(-900))
    sent(acme, due=due)

    assert [kind for kind, *_ in told(acme, minutes)] == kinds


@pytest.mark.parametrize(("minutes", "found"), [(10, 0), (11, 1)])
def test_a_name_may_be_new_for_ten_minutes(
    acme: Workspace, minutes: int, found: int
) -> None:
    sent(acme, "ann ghost")

    assert len(alarms(acme, at(minutes))) == found


@pytest.mark.parametrize("sign", ["call", "file", "declared"])
def test_a_name_that_did_something_or_is_declared_is_known(
    acme: Workspace, sign: str
) -> None:
    sent(acme)
    assert len(alarms(acme, at(60))) == 1

    if sign == "call":
        renew(acme, "bob", at(9))
    elif sign == "file":
        say(acme, {"agents/bob/memory/2024-05-02.md": "## 13:30 - Began\nx\n"})
    else:
        say(acme, {"AGENTS.md": ROLES})
    acme.refresh_from_db()

    assert alarms(acme, at(60)) == ()


def test_a_name_of_another_workspace_is_not_known_here(both: Both) -> None:
    shop, mill = both
    say(mill, {"AGENTS.md": ROLES})
    say(mill, {"agents/bob/memory/2024-05-02.md": "## 13:30 - Began\nx\n"})
    renew(mill, "bob", at(9))
    sent(shop), sent(shop, "ann cid")

    assert [alarm.names for alarm in alarms(shop, at(60))] == [("bob",), ("cid",)]


@pytest.mark.parametrize(("minutes", "found"), [(155, []), (156, ["01"])])
def test_a_lane_stands_from_when_it_came_free(
    acme: Workspace, minutes: int, found: list[str]
) -> None:
    for name in ("bob", "cid"):
        renew(acme, name, at(-900))
    first, *_ = [
        sent(acme, f"ann {to}", "write", minutes=n) for n, to in enumerate(("bob",) * 3)
    ]
    taken = take(first, by("bob", 20)).handoff
    report(taken, Result("", "done", "Mended"), by("bob", 35))

    lanes = [(kind, name, when) for kind, name, when in told(acme, minutes)]

    assert lanes == [("lane", "02", at(35)) for _ in found]


def test_only_writes_behind_an_open_one_make_a_lane_stand(acme: Workspace) -> None:
    renew(acme, "bob", at(-900))
    take(sent(acme, kind="write"), by("bob"))
    renew(acme, "bob", at(299))
    sent(acme, kind="write"), sent(acme, kind="write")

    assert told(acme, 300) == []


def test_a_lane_that_waits_for_a_person_hides_no_other_one(acme: Workspace) -> None:
    renew(acme, "bob", at(-900))
    for to, repository in (("you", "web"), ("bob", "api")):
        task = Task("", "", to, "write", "Mend", "i", repository=repository)
        send(acme, task, by("ann")), send(acme, task, by("ann", 1))

    assert told(acme, 200) == [("lane", "03", at(0))]


def test_work_that_comes_after_a_task_of_no_file_is_stuck(acme: Workspace) -> None:
    task = Task("t1", "ann", "bob", "read_only", "c", "i", after="t8, t9")
    say(acme, {"memory/t1.md": render_task(task), "AGENTS.md": ROLES})

    found = alarms(acme, at(0))

    assert [(alarm.kind, alarm.names) for alarm in found] == [
        ("stuck", ("t8", "unknown"))
    ]


def test_pages_of_one_minute_have_the_same_alarms(acme: Workspace) -> None:
    renew(acme, "bob", at(-900))
    sent(acme, due=1)

    first = alarms_shown(acme, at(2))
    later = at(2) + timedelta(seconds=59, microseconds=7)

    assert [alarm.kind for alarm in first] == ["overdue"]
    assert alarms_shown(acme, later) is first
    assert alarms_shown(acme, at(3)) is not first


def test_of_two_that_overlap_the_first_has_the_alarm(acme: Workspace) -> None:
    block = "<task>\n<from>a</from>\n<to>b</to>\n<type>write</type>\n{}"
    log = "\n## Log\n\n- 2024-05-02T12:0{}:00Z b: taken\n"
    block += "<task_id>t{}</task_id>\n</task>\n"
    paths = ("", "", "<repository>web</repository>\n")
    say(acme, {
        f"memory/handoffs/t{n}.md": block.format(path, n) + log.format(n)
        for n, path in enumerate(paths)
    })  # fmt: skip
    renew(acme, "b", at(9))

    (alarm,) = (a for a in alarms(acme, at(10)) if a.kind == "overlap")

    assert alarm.at == at(0)
    assert set(alarm.names) == {"t0", "t1", "t2"}


def test_deadlocks_stand_before_the_alarms_with_their_circle(acme: Workspace) -> None:
    first = sent(acme, "ann ghost")
    second = sent(acme, "ann cid", minutes=3, after=first.task_id)
    revise(first, by("ann", 40), after=second.task_id)
    acme.refresh_from_db()

    found = alarms_and_deadlocks(acme, at(90))

    circle = (first.task_id, second.task_id)
    assert [(a.kind, a.handoff.pk, a.at, a.names) for a in found[:2]] == [
        ("deadlock", first.pk, at(40), circle),
        ("deadlock", second.pk, at(40), circle[::-1]),
    ]
    assert [alarm.kind for alarm in found[2:]] == ["unknown-recipient"] * 2
