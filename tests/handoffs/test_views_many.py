"""The board and the overview where much is wrong at once."""

from __future__ import annotations

from pathlib import Path

from django.test import Client

from memoryhub.journal.models import Workspace
from tests.handoffs.crew import BOARD, by, html, sent
from tests.handoffs.steps import revise
from tests.writing import say


def test_of_many_deadlocks_three_are_shown_and_the_others_folded(
    client: Client, acme: Workspace
) -> None:
    for number in range(5):
        minutes = 2 * number
        first = sent(acme, "read_only", to=f"a{number}", minutes=minutes)
        second = sent(
            acme, "read_only", to=f"b{number}", after=first.task_id, minutes=minutes + 1
        )
        revise(first, by("planner", 30), after=second.task_id)

    graph = html(client, BOARD).partition('id="graph"')[2].partition("</section>")[0]
    shown, _, folded = graph.partition('<details class="more-turns">')
    folded = folded.partition("</details>")[0]

    assert (shown.count("Deadlock: "), folded.count("Deadlock: ")) == (3, 2)
    assert "2 more" in " ".join(folded.split())


def test_names_that_are_left_out_are_seen_to_be(
    client: Client, acme: Workspace
) -> None:
    line = "- 2026-11-20T13:00:00Z builder: taken\n"
    for number in range(7):
        row = sent(acme, minutes=number)
        path = row.file.path
        say(acme, {path: Path(acme.root, path).read_text() + line})

    page = " ".join(html(client, BOARD).split())
    assert "7 writes overlap: 20261120-01, 20261120-02, " in page
    assert "20261120-04, 20261120-05 and 2 more" in page


def test_a_handoff_is_no_note_of_the_overview(client: Client, acme: Workspace) -> None:
    sent(acme)
    assert "&lt;task&gt;" not in html(client, "/w/acme/")

    say(acme, {"memory/gate.md": "# Gate\n\nThe gate squeaks.\n"})
    assert "The gate squeaks." in html(client, "/w/acme/")
