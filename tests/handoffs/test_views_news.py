"""What a page of handoffs is told while it is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import write
from tests.handoffs.crew import BOARD, by, html, sent

NEWS = f"{BOARD}news/"
RESULT = "<r>\n<task_id>{0}</task_id>\n<status>done</status>\n</r>\n"


def told(
    client: Client,
    workspace: Workspace,
    after: int,
    address: str = NEWS,
    **query: str,
) -> str:
    workspace.refresh_from_db()
    checked = workspace.checked_at.isoformat() if workspace.checked_at else ""
    answer = client.get(address, {"checked": checked, "after": str(after), **query})
    assert answer["Memoryhub-Seq"] == str(workspace.projected_seq)
    assert "no-store" in answer["Cache-Control"]
    return answer.content.decode() if answer.status_code == 200 else ""


def seq_of(workspace: Workspace) -> int:
    workspace.refresh_from_db()
    return workspace.projected_seq


def test_a_board_is_told_how_many_handoffs_changed(
    client: Client, acme: Workspace
) -> None:
    first, second = sent(acme), sent(acme, "read_only", minutes=1)
    seq = seq_of(acme)
    take(first, by("builder", 2))
    take(second, by("builder", 3))
    sent(acme, minutes=4)

    assert 'data-pill="3 handoffs changed"' in told(client, acme, seq)
    assert told(client, acme, seq_of(acme)) == ""


def test_it_is_told_of_those_it_asks_for(client: Client, acme: Workspace) -> None:
    seq = seq_of(acme)
    sent(acme, to="docs")

    assert told(client, acme, seq, agent="docs", type="write")
    assert not told(client, acme, seq, agent="builder")
    assert not told(client, acme, seq, type="decision")


def test_one_that_has_left_its_column_counts(client: Client, acme: Workspace) -> None:
    handoff = sent(acme)
    seq = seq_of(acme)
    take(handoff, by("builder", 1))

    assert 'data-pill="1 handoff changed"' in told(client, acme, seq, state="open")


def test_a_page_of_one_is_told_of_that_one_alone(
    client: Client, acme: Workspace
) -> None:
    handoff, other = sent(acme), sent(acme, "read_only", minutes=1)
    seq = seq_of(acme)
    take(other, by("builder", 2))
    address = f"{BOARD}{handoff.code}/news/"
    assert not told(client, acme, seq, address)

    take(handoff, by("builder", 3))

    pill = 'data-pill="This handoff has changed"'
    assert pill in told(client, acme, seq, address)


def test_one_whose_file_disappears_counts(client: Client, acme: Workspace) -> None:
    handoff, kept = sent(acme), sent(acme, minutes=1)
    seq = seq_of(acme)
    Path(acme.root, handoff.file.path).unlink()
    sync_workspace(acme)

    assert 'data-pill="1 handoff changed"' in told(client, acme, seq)
    assert "changed" in told(client, acme, seq, f"{BOARD}{handoff.code}/news/")
    assert not told(client, acme, seq, f"{BOARD}{kept.code}/news/")
    assert told(client, acme, seq_of(acme)) == ""


def test_what_is_written_into_a_file_by_hand_counts(
    client: Client, acme: Workspace
) -> None:
    handoff, _ = sent(acme), sent(acme, minutes=1)
    file = Path(acme.root, handoff.file.path)
    reworded = file.read_text().replace("squeaks", "sticks")
    for text in (reworded, f"{reworded}\n{RESULT.format(handoff.task_id)}"):
        seq = seq_of(acme)
        file.write_text(text)
        sync_workspace(acme)

        assert 'data-pill="1 handoff changed"' in told(client, acme, seq)


def test_news_elsewhere_are_no_news_of_handoffs(
    client: Client, acme: Workspace
) -> None:
    sent(acme)
    seq = seq_of(acme)
    write(Path(acme.root), {"memory/note.md": "# Note\n"})
    sync_workspace(acme)

    assert told(client, acme, seq) == ""


def test_pages_say_where_their_news_are_and_what_they_know(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)
    seq = seq_of(acme)

    for address, news in (
        (f"{BOARD}?type=write", f"{NEWS}?type=write"),
        (f"{BOARD}?view=list", f"{NEWS}?view=list"),
        (f"{BOARD}{handoff.code}/", f"{BOARD}{handoff.code}/news/"),
    ):
        assert f'data-news="{news}" data-seq="{seq}"' in html(client, address)


@pytest.mark.parametrize("after", ["", "-1", "x", "9" * 40])
def test_nonsense_is_harmless(client: Client, acme: Workspace, after: str) -> None:
    query = f"?after={after}&agent=%00&topic=%F0%9F%92%A9&checked=x"

    assert client.get(NEWS + query).status_code in {200, 204}
    assert client.get(f"{BOARD}nobody/news/{query}").status_code == 404


def test_it_asks_as_often_for_many(client: Client, acme: Workspace) -> None:
    asked = []
    for number in (1, 5):
        seq = seq_of(acme)
        for minute in range(number):
            sent(acme, minutes=minute)
        told(client, acme, seq)
        with CaptureQueriesContext(connection) as queries:
            told(client, acme, seq)
        asked.append(len(queries))

    assert asked[0] == asked[1]
