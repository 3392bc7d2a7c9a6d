"""What is written by hand into one file of a handoff reaches the other workspace."""

from __future__ import annotations

import re
from pathlib import Path

from django.test import Client

from memoryhub.formats.hub.handoff import (
    Fields,
    Result,
    Task,
    find_results,
    render_handoff,
    render_result,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.resending import hand_off_again
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Problem, Workspace
from memoryhub.sync.engine import SyncReport, sync_workspace
from tests.handoffs.crew import html
from tests.handoffs.steps import withdraw
from tests.handoffs.twins import PLACE, by, log_of, of, sent
from tests.writing import assert_a_rebuild_changes_nothing, say


def add(workspace: Workspace, *lines: str) -> SyncReport:
    """Write lines into a workspace's file by hand, and import them."""
    text = (Path(workspace.root) / PLACE).read_text()
    said = "".join(f"- 2026-11-20T{line}\n" for line in lines)
    return say(workspace, {PLACE: text + said})


def problems(workspace: Workspace) -> list[str]:
    rows = Problem.objects.filter(workspace=workspace, until_seq__isnull=True)
    return [row.code_name for row in rows]


def test_an_edit_by_hand_reaches_the_other_file_with_the_next_sync(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop, "decision")

    add(mill, "12:03:00Z boss: signed off -- go")

    assert log_of(shop)[-1] == "- 2026-11-20T12:03:00Z mill/boss: signed off -- go"
    assert (of(shop).signed_by, of(shop).claimed_by) == ("", "mill/boss")
    add(shop, "12:04:00Z baker: withdrawn")
    assert of(mill).state == of(shop).state == "done"
    assert not problems(shop) and not problems(mill)


def test_what_reached_the_other_file_goes_no_further(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    add(mill, "12:03:00Z mill/miller: taken", "12:04:00 shop/baker: put back")

    before = [log_of(workspace) for workspace in both]
    for workspace in (shop, mill, shop):
        assert sync_workspace(workspace).is_empty

    assert [log_of(workspace) for workspace in both] == before
    for workspace in both:
        assert_a_rebuild_changes_nothing(workspace)


def test_both_files_come_to_the_same_order_where_both_were_edited(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    place = Path(shop.root) / PLACE
    place.write_text(place.read_text() + "- 2026-11-20T12:05:00Z baker: withdrawn\n")

    add(mill, "12:03:00Z miller: taken", "12:07:00Z miller: blocked -- no wheat")

    times = ["12:00", "12:03", "12:05", "12:07"]
    for workspace in both:
        assert [line[13:18] for line in log_of(workspace)] == times
    assert of(shop).state == of(mill).state == "blocked"
    assert_a_rebuild_changes_nothing(shop)


def test_a_handoff_that_an_agent_wrote_itself_is_made_in_the_other_workspace(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    task = Task("20261120-01", "baker", "mill/miller", "write", "Grind", "Wheat")
    text = render_handoff(task, Fields(twin="mill/20261120-01"))

    say(shop, {PLACE: text + "\n- 2026-11-20T12:00:00Z baker: sent\n"})

    assert (of(mill).sender, of(mill).recipient) == ("shop/baker", "miller")
    assert log_of(mill) == ["- 2026-11-20T12:00:00Z shop/baker: sent"]


def test_results_by_hand_on_both_sides_are_kept_in_one_order(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    for workspace, said in zip(both, ("Nothing", "Flour"), strict=True):
        block = render_result(Result("20261120-01", "done", said))
        place = Path(workspace.root) / PLACE
        place.write_text(f"{place.read_text()}\n{block}")

    sync_workspace(mill)

    for workspace in both:
        found = find_results((Path(workspace.root) / PLACE).read_text())
        assert [result.output for result in found] == ["Nothing", "Flour"]
    sync_workspace(shop)
    assert of(shop).result == of(mill).result == "Flour"


def test_what_the_lane_is_against_is_a_problem_until_it_is_free(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    first = send(mill, Task("", "", "miller", "write", "c", "i"), by("boss")).handoff
    take(first, by("miller"))
    task = Task("20261120-07", "", "mill/miller", "write", "Grind", "Wheat")
    send(shop, task, by("baker"))
    path = PLACE.replace("-01", "-07")
    text = (Path(shop.root) / path).read_text()

    report_of = say(shop, {path: text + "- 2026-11-20T12:02:00Z mill/miller: taken\n"})

    assert [problem.code for problem in report_of.problems] == ["twin-refused"]
    assert problems(shop) == ["twin-refused"]
    withdraw(first, by("boss", 3))
    sync_workspace(shop)
    assert not problems(shop)
    twin = Handoff.objects.get(workspace=mill, task_id="20261120-07")
    assert twin.state == "in_progress"


def test_a_workspace_that_is_gone_is_a_problem_while_work_is_open(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    Path(mill.root).rename(f"{mill.root}-away")

    add(shop, "12:03:00Z baker: overridden -- now")
    assert problems(shop) == ["twin-gone"]

    Path(f"{mill.root}-away").rename(mill.root)
    sync_workspace(shop)
    assert not problems(shop)
    assert log_of(mill)[-1].endswith("shop/baker: overridden -- now")


def test_a_file_that_somebody_took_away_is_not_made_again_unasked(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    say(mill, {PLACE: None, "memory/a.md": "a", "memory/b.md": "b"})

    add(shop, "12:03:00Z baker: overridden -- now")

    assert problems(shop) == ["twin-gone"]
    assert not (Path(mill.root) / PLACE).exists()


def test_odd_lines_settle_after_one_sync(both: tuple[Workspace, Workspace]) -> None:
    shop, mill = both
    sent(shop)
    add(mill, "12:03:00+02:00 a/b/c: taken -- x -- y", "12:04:00 miller: : put back")
    add(shop, "12:04:00 baker:  blocked  --  two  blanks", "nobody: done", "x: sent z")

    for workspace in (mill, shop):
        sync_workspace(workspace)
    before = [(Path(w.root) / PLACE).read_bytes() for w in both]
    for workspace in (mill, shop):
        sync_workspace(workspace)

    assert [(Path(w.root) / PLACE).read_bytes() for w in both] == before
    assert [of(w).moves for w in both] == [of(shop).moves] * 2


NOT_ELSEWHERE = ("miller", "mill", "mill/", "/miller", "shop/helper", "a/b/c")
HANDED = render_handoff(
    Task("20261120-07", "baker", "mill/miller", "read_only", "Weigh it", "Wheat"),
    Fields(),
)


def test_what_a_file_alone_hands_to_another_workspace_is_a_problem(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both

    say(shop, {PLACE: HANDED, "AGENTS.md": HANDED.replace("mill/", "nowhere/")})

    assert problems(shop) == ["twin-missing"]
    assert not Handoff.objects.filter(workspace=mill).exists()
    assert not [*Path(mill.root).rglob("*.md")]


def test_health_has_the_form_that_sends_it_there(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    shop, mill = both
    say(shop, {PLACE: HANDED})
    health = html(client, f"/w/{shop.slug}/health/")
    button = re.search(r'href="([^"]*/again/)">Send it there<', health)
    assert button and 'value="mill/miller"' in html(client, button[1])

    hand_off_again(of(shop), by("baker"))

    sync_workspace(shop)
    assert not problems(shop)
    assert [row.recipient for row in Handoff.objects.filter(workspace=mill)] == [
        "miller"
    ]


def test_what_is_finished_or_meant_for_nobody_elsewhere_is_no_problem(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, _ = both
    done = f"{HANDED}\n## Log\n\n- 2026-11-20T12:00:00Z baker: withdrawn\n"

    for text in (done, *(HANDED.replace("mill/miller", to) for to in NOT_ELSEWHERE)):
        say(shop, {PLACE: text})
        assert not problems(shop)
