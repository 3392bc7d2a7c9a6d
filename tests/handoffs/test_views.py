"""The board, the list and the page of one handoff."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import _kept
from tests.handoffs.crew import BOARD, by, cards_of, counts_of, html, sent
from tests.handoffs.steps import block, mark_failed, revise
from tests.writing import say

ODD = "<r>\n<task_id>nobody</task_id>\n<status>maybe</status>\n<o>I & you</o>\n</r>\n"


def task(number: int, kind: str = "write") -> str:
    names = f"<from>a</from>\n<to>b</to>\n<type>{kind}</type>"
    return f"<task>\n{names}\n<task_id>t{number}</task_id>\n</task>\n"


def many(workspace: Workspace, number: int) -> None:
    say(workspace, {f"memory/a{n}.md": task(n) for n in range(number)})


def test_h1_every_handoff_is_in_one_column_and_counted_there(
    client: Client, acme: Workspace
) -> None:
    take(sent(acme), by("builder"))
    sent(acme, "decision", minutes=1)
    block(sent(acme, minutes=2), by("builder"), reason="no key")

    page = html(client, BOARD)

    assert counts_of(page) == {
        "open": 1, "in_progress": 1, "blocked": 1, "done": 0, "failed": 0,
    }  # fmt: skip
    assert cards_of(page) == ["20261120-02", "20261120-01", "20261120-03"]


@pytest.mark.parametrize("query", ["", "type=write", "agent=b", "q=nothing", "late=1"])
def test_the_board_counts_what_the_list_shows(
    client: Client, acme: Workspace, query: str
) -> None:
    say(acme, {"memory/a.md": task(1) + task(2, "read_only") + task(3, "decision")})

    counted = sum(counts_of(html(client, f"{BOARD}?{query}")).values())
    rows = html(client, f"{BOARD}?{query}&view=list").count("<tr><td")

    assert counted == rows


def test_chips_say_how_many_they_leave(client: Client, acme: Workspace) -> None:
    say(acme, {"memory/a.md": task(1) + task(2, "read_only") + task(3, "decision")})

    chips = dict(
        re.findall(
            r'">(?:<svg[^>]*><use[^>]*></svg>)?([\w ]+?) ?<span class="n">(\d+)',
            html(client, BOARD),
        )
    )

    assert (
        chips["All"] == "3"
        and chips["write"] == "1"
        and chips["Waits for a person"] == "1"
    )


def test_h4_what_was_not_understood_is_listed_with_its_text(
    client: Client, acme: Workspace
) -> None:
    say(acme, {"memory/log.md": ODD})

    page = html(client, BOARD)

    assert "Not understood (1)" in page
    assert "&lt;o&gt;I &amp; you&lt;/o&gt;" in page
    assert not cards_of(page)


def test_h5_a_circle_is_named_in_graph_list_and_your_turn(
    client: Client, acme: Workspace
) -> None:
    first = sent(acme, to="builder", sender="planner")
    sent(acme, to="planner", sender="builder", after=first.task_id)
    revise(first, by("planner", 9), after="20261120-02")

    page = html(client, BOARD)

    assert "Deadlock: builder → planner → builder (20261120-01 → " in page
    assert page.count('class="ed bad"') == 2
    assert page.count('<span class="st failed">') >= 2
    assert "Deadlock: builder → planner" in html(client, "/w/acme/")


def test_h6_the_list_beside_the_graph_has_every_wait(
    client: Client, acme: Workspace
) -> None:
    sent(acme, to="builder")
    sent(acme, to="docs", minutes=1)
    sent(acme, "decision", to="docs", minutes=2)

    page = html(client, BOARD)

    assert page.count('class="ed ') == 3
    listed = page.partition('<div class="alt">')[2].partition("</section>")[0]
    assert listed.count("<li>") == 3 and "you" in listed


def test_many_waits_are_a_list_without_a_drawing(
    client: Client, acme: Workspace
) -> None:
    for number in range(21):
        sent(acme, sender=f"scout-{number}", to=f"mapper-{number}", minutes=number)

    page = html(client, BOARD)

    graph = page.partition('id="graph"')[2].partition("</section>")[0]
    assert "<svg viewBox" not in graph and 'class="ed ' not in graph
    assert graph.count("<li>") == 21 and "mapper-20" in graph


def test_two_of_one_id_are_two_with_a_choice(client: Client, acme: Workspace) -> None:
    say(acme, {"memory/a.md": task(1), "memory/b.md": task(1)})

    page = html(client, f"{BOARD}t1/")

    assert "Which t1?" in page
    for handoff in Handoff.objects.all():
        assert "more than one handoff" in html(client, f"{BOARD}{handoff.code}/")
    assert client.get(f"{BOARD}t1.md").status_code == 404


def test_a_handoff_tells_its_whole_conversation(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme, "read_only")
    take(handoff, by("builder", 1))
    result = Result("", "done", "Oiled <it>", "changed src/door.py", "")
    report(handoff, result, by("builder", 2))
    again = hand_off_again(handoff, by("lead", 3)).handoff

    page = html(client, f"{BOARD}{handoff.code}/")

    assert "Oiled &lt;it&gt;" in page and "src/door.py" in page
    assert "&lt;from&gt;planner&lt;/from&gt;" in page
    assert f"{BOARD}{again.code}/" in page
    text = client.get(f"{BOARD}{handoff.task_id}.md").content.decode()
    assert (
        text.startswith(f"# Handoff {handoff.task_id}") and "<o>Oiled <it></o>" in text
    )


def test_a_result_came_when_its_line_says(client: Client, acme: Workspace) -> None:
    day = "- 2026-11-02T"
    log = f"{day}08:00:00Z a: sent\n{day}09:00:00Z b: failed\n"
    result = "<r>\n<task_id>t1</task_id>\n<status>failed</status>\n</r>\n"
    say(acme, {"memory/handoffs/t1.md": f"{task(1)}\n## Log\n\n{log}\n{result}"})

    page = html(client, f"{BOARD}{Handoff.objects.get().code}/")

    assert page.count('datetime="2026-11-02T09:00:00+00:00"') == 2


def test_what_failed_and_was_handed_off_again_waits_for_nobody(
    client: Client, acme: Workspace
) -> None:
    handoff = mark_failed(sent(acme), by("builder", 1), reason="no disk").handoff
    assert f"{handoff.code}/again/" in html(client, BOARD)
    hand_off_again(handoff, by("lead", 2))

    page = html(client, BOARD)

    assert "<title>Handoffs" in page and "handed off again" in page
    assert f"{handoff.code}/again/" not in page


@pytest.mark.parametrize(("end", "said"), [("10:05", True), ("09:55", False)])
def test_how_long_it_took_is_said_where_clocks_agree(
    client: Client, acme: Workspace, end: str, said: bool
) -> None:
    day = "- 2026-11-20T"
    log = f"\n## Log\n\n{day}10:00:00Z a: sent\n{day}{end}:00Z b: done\n"
    say(acme, {"memory/handoffs/t1.md": task(1) + log})

    page = html(client, f"{BOARD}{Handoff.objects.get().code}/")

    assert ("Took 5 min" in page) == said
    assert ("Took" in page) == said


def test_a_task_id_leads_to_the_page_of_its_row(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)

    answer = client.get(f"{BOARD}{handoff.task_id}/")

    assert answer.headers["Location"] == f"{BOARD}{handoff.code}/"
    assert client.get(f"{BOARD}nobody/").status_code == 404


def test_the_timeline_and_search_lead_to_a_handoffs_page(
    client: Client, acme: Workspace
) -> None:
    say(acme, {"notes.md": "read before\n"})
    say(acme, {"memory/2026-11-20.md": task(1)})
    (handoff,) = Handoff.objects.all()
    link = f'href="{BOARD}{handoff.code}/"'

    assert link in html(client, "/w/acme/timeline/?kind=handoff")
    assert link in html(client, "/w/acme/search/?q=t1&stay=1")
    assert link in html(client, "/w/acme/agents/a/")


def test_a_handoff_that_no_file_has_any_longer_is_shown_where_it_stood(
    client: Client, acme: Workspace
) -> None:
    say(acme, {"memory/a.md": task(1)})
    (handoff,) = Handoff.objects.all()
    say(acme, {"memory/a.md": "# Nothing\n"})

    answer = client.get(f"{BOARD}{handoff.code}/", follow=True)

    assert "/files/memory/a.md?view=raw&rev=" in answer.redirect_chain[0][0]
    assert "&lt;task_id&gt;" in answer.content.decode()


@pytest.mark.parametrize("order", ["newest", "oldest", "from", "state", "moved", "%00"])
def test_the_list_is_sorted_by_its_headings(
    client: Client, acme: Workspace, order: str
) -> None:
    many(acme, 3)

    page = html(client, f"{BOARD}?view=list&sort={order}")

    assert page.count("aria-sort=") == 1


def test_pages_of_the_list_go_on_where_the_last_one_ended(
    client: Client, acme: Workspace
) -> None:
    many(acme, 60)

    first = html(client, f"{BOARD}?view=list")
    more = re.search(r'class="more" href="([^"]*after=[^"]*)"', first)
    assert more
    second = html(client, more[1].replace("&amp;", "&"))

    assert (first.count("<tr><td"), second.count("<tr><td")) == (50, 10)


@pytest.mark.parametrize("view", ["", "list"])
def test_pages_ask_as_often_for_ten_as_for_a_hundred(
    client: Client, acme: Workspace, view: str
) -> None:
    asked = []
    for number in (10, 100):
        many(acme, number)
        _kept.clear()
        with CaptureQueriesContext(connection) as queries:
            html(client, f"{BOARD}?view={view}")
        asked.append(len(queries))

    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    "query", ["after=9999_1", "after=2026-11-20T00:00:00%2B00:00_99999999999999999999",
              "agent=%00", "type=%F0%9F%92%A9", "q=%25%5C_", "late=2&to=you&state=x"],
)  # fmt: skip
def test_what_an_address_cannot_mean_is_left_out(
    client: Client, acme: Workspace, query: str
) -> None:
    sent(acme)

    for view in ("", "list"):
        assert html(client, f"{BOARD}?view={view}&{query}")


@pytest.mark.parametrize(
    ("log", "shown"),
    [
        ("- b: taken", True),
        ("- b: taken\n- b: done", True),
        ("- lead: signed off\n- b: taken", True),
        ("- a: withdrawn", False),
        ("- b: blocked -- no access", False),
    ],
)
def test_a_decision_that_was_begun_unsigned_is_marked(
    client: Client, acme: Workspace, log: str, shown: bool
) -> None:
    text = f"# Handoff t1\n\n{task(1, 'decision')}\n## Log\n\n- a: sent\n{log}\n"
    say(acme, {"memory/handoffs/t1.md": text})
    handoff = Handoff.objects.get()

    board = html(client, BOARD)
    page = html(client, f"{BOARD}{handoff.code}/")

    assert ("begun without a sign-off" in board) == shown
    assert ("begun without a sign-off" in page) == shown
    assert "Signed off begun" not in page
    running = shown and handoff.state == "in_progress"
    assert ("Begun without a sign-off: t1" in board) == running


def test_the_list_says_when_each_changed_last(client: Client, acme: Workspace) -> None:
    handoff = take(sent(acme), by("builder", 1)).handoff
    report(handoff, Result("", "done", "Mended"), by("builder", 40))

    page = html(client, f"{BOARD}?view=list")

    (row,) = re.findall(r"<tr><td.*?</tr>", page)
    assert re.search(r">(\d+ \w+ ago|just now)<", row)


def test_a_row_has_the_acts_and_the_keys_of_its_card(
    client: Client, acme: Workspace
) -> None:
    sent(acme, "decision")
    link = re.compile(r'hx-get="(\S+)" data-key="(.)"')

    (card,) = re.findall(r"<article.*?</article>", html(client, BOARD), re.DOTALL)
    (row,) = re.findall(r"<tr[^>]*><td.*?</tr>", html(client, f"{BOARD}?view=list"))

    assert sorted(link.findall(row)) == sorted(link.findall(card))
    assert [key for _, key in link.findall(row)] == ["s", "b", "c"]


def test_a_day_is_told_as_its_file_has_it(client: Client, acme: Workspace) -> None:
    say(acme, {"memory/a.md": task(1).replace("t1", "20261103-01")})
    client.cookies["memoryhub_zone"] = "America/New_York"

    page = html(client, f"{BOARD}{Handoff.objects.get().code}/")

    assert "Sent 3 Nov" in page


def test_a_free_lane_shows_as_many_as_there_is_room_for(
    client: Client, acme: Workspace
) -> None:
    many(acme, 6)

    page = html(client, BOARD)

    assert page.count('<li class="slot ">') == 4


def test_by_when_it_is_due_is_told_to_the_minute(
    client: Client, acme: Workspace
) -> None:
    due = timezone.now().replace(hour=14, minute=5) + timedelta(days=2)
    task = Task("", "", "builder", "write", "Mend", "Hinge 2")
    handoff = send(acme, task, by("planner"), Terms(due)).handoff

    page = html(client, f"{BOARD}{handoff.code}/")

    assert re.search(r"Due \w+ \d+ \w+( \d+)?, 14:05<", page)


def test_more_decisions_than_are_looked_at_are_said_to_be_more(
    client: Client, acme: Workspace
) -> None:
    say(acme, {"memory/a.md": "\n".join(task(n, "decision") for n in range(120))})

    assert "99+ decisions wait for your sign-off." in html(client, BOARD)


def test_free_notes_stand_below_the_board_and_in_no_column(
    client: Client, acme: Workspace
) -> None:
    note = (
        "# Ticket printer\n\nFrom: scout\nTo: builder\n\n## Next steps\n\n- umlauts\n"
    )
    say(acme, {"HANDOFF.md": note, "handoffs/bold.md": "# <b>Bold</b>\n"})

    for query in ("", "?view=list"):
        page = html(client, BOARD + query)

        assert "Ticket printer: scout → builder" in page
        assert "/w/acme/files/HANDOFF.md" in page
        assert "Next: umlauts" in page
        assert "&lt;b&gt;Bold" in page
        assert "<b>Bold" not in page
    assert cards_of(page) == []
