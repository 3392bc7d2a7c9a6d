"""Every door says the same of who must act, what is overdue, and the write lane."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Notice
from memoryhub.runtime.notifier import notify
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.handoffs.sides import sent
from tests.harbour import both_imported
from tests.signing import own_program, signed_in
from tests.tools.doors import DOORS, directly
from tests.writing import assert_a_rebuild_changes_nothing, say

pytestmark = pytest.mark.django_db
SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"
PEOPLE = {"you", "human", "user", "operator", "person", "owner", "coordinator", "me"}
TASK = """# Handoff {id}

- due: {due}

<task>
  <from>{sender}</from>
  <to>{to}</to>
  <task_id>{id}</task_id>
  <type>{type}</type>
  <context>Mend door {id}. It squeaks.</context>
</task>

## Log

- {sent:%Y-%m-%dT%H:%M:%SZ} {sender}: sent
"""
OVER = ("done", "failed", "withdrawn")
#: How logs go on: what came of a handoff.
LIVES: tuple[tuple[str, ...], ...] = (
    (), (), ("taken",), ("blocked -- no key",), ("taken", "done"),
    ("taken", "failed -- no"), ("sent back -- not so",), ("taken", "put back"),
    ("withdrawn",), ("taken", "done", "reopened -- not all"),
)  # fmt: skip


def generated(workspace: Workspace) -> Workspace:
    """Return a workspace with forty handoffs of every type in every state."""
    rng, number, now = Random(5), count(1), datetime.now(UTC).replace(microsecond=0)
    files: dict[str, str | bytes | None] = {}
    for kind, life in product(("write", "read_only", "decision"), LIVES * 2):
        if len(files) == 40:
            break
        task_id, at = f"20261120-{next(number):02}", now - timedelta(days=3)
        at += timedelta(minutes=rng.randrange(2_000))
        due = now + timedelta(hours=rng.choice((-40, 40)))
        to = rng.choice(("dev", "ops", "Human", " me ", "lead"))
        text = TASK.format(
            id=task_id, to=to, type=kind, sender="ana", sent=at,
            due=due.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )  # fmt: skip
        for verb in life:
            at += timedelta(minutes=1)
            text += f"- {at:%Y-%m-%dT%H:%M:%SZ} {to.strip()}: {verb}\n"
        files[f"memory/handoffs/{task_id}.md"] = text
    say(workspace, files)
    return workspace


@pytest.fixture(
    params=["sample", "sender", "receiver", "generated", "harbour", "quarry"]
)
def told(
    request: pytest.FixtureRequest, make_workspace: MakeWorkspace, tmp_path: Path
) -> Workspace:
    """Return a workspace that all doors are asked about."""
    if request.param in ("harbour", "quarry"):
        request.getfixturevalue("hub_data")
        return both_imported(tmp_path)[request.param == "quarry"]
    roots = [tmp_path / name for name in ("shop", "mill")]
    if request.param == "sample":
        shutil.copytree(SAMPLE, roots[0])
        return said(make_workspace(roots[0]))
    for root in roots:
        root.mkdir()
    shop, mill = map(make_workspace, roots)
    if request.param == "generated":
        return said(generated(shop))
    for kind in ("write", "decision", "write", "read_only"):
        sent(shop, kind)
    return said(shop if request.param == "sender" else mill)


def said(workspace: Workspace) -> Workspace:
    say(workspace, {})
    workspace.refresh_from_db()
    return workspace


def rows_of(workspace: Workspace) -> list[Handoff]:
    """Return the handoffs of a workspace in the order they were sent."""
    rows = seen_from([workspace], handoffs_of(workspace))
    return sorted(rows, key=lambda r: (r.occurred_at, len(r.task_id), r.task_id))


def acts(row: Handoff) -> str:
    """Return who must act by the words of the manual."""
    if row.state in OVER:
        return ""
    if row.state == "returned":
        return row.sender
    answered = row.signed_by or row.last_verb == "sent back"
    asks = row.type == "decision" and not answered
    name = row.recipient.removeprefix(f"{row.workspace.slug}/")
    is_person = name.strip().casefold() in PEOPLE
    return "person" if asks or is_person else row.recipient


def for_person(workspace: Workspace) -> set[str]:
    return {row.code for row in rows_of(workspace) if acts(row) == "person"}


def overdue(workspace: Workspace) -> set[str]:
    # Doors tell it of whole minutes.
    now = timezone.now().replace(second=0, microsecond=0)
    open_ = (row for row in rows_of(workspace) if row.state not in OVER)
    return {row.code for row in open_ if row.due_at and row.due_at < now}


def lane(workspace: Workspace) -> dict[str, list[str]]:
    """Return the writes of the lane by their state, in turn."""
    writes = [r for r in rows_of(workspace) if r.type == "write" and not r.away]
    states = ("in_progress", "open", "blocked")
    return {s: [row.code for row in writes if row.state == s] for s in states}


def page(workspace: Workspace, path: str = "") -> str:
    answer = signed_in().get(f"/w/{workspace.slug}/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def part(text: str, start: str, end: str = "</section>") -> str:
    return text.partition(start)[2].partition(end)[0]


def codes_in(text: str) -> list[str]:
    found = re.findall(r'handoffs/([^/"#?]+)/', text)
    return list(dict.fromkeys(found))


def listed(workspace: Workspace, query: str) -> set[str]:
    """Return the handoffs of a list, whichever page they are on."""
    text = part(page(workspace, f"handoffs/?view=list&{query}"), "<tbody>", "</tbody>")
    return set(codes_in(text))


def cards(text: str) -> Iterator[tuple[str, str]]:
    """Give each card of a board with its markup."""
    for card in text.split('<article class="hc')[1:]:
        yield re.findall(r'id="h-([^"]+)"', card)[0], card.partition("</article>")[0]


def by_tools(workspace: Workspace) -> Iterator[list[dict[str, Any]]]:
    """Give the rows of `handoff_list` through every door."""
    for door in (directly, *DOORS.values()):
        given = door(
            CallerOptions(workspace=workspace.slug), "handoff_list", {"limit": 100}
        )
        yield given.fields["handoffs"]


def test_who_must_act_is_the_same_on_every_page(told: Workspace) -> None:
    yours = for_person(told)

    turns = part(page(told, "?turns=all"), 'aria-labelledby="y-h"').split("<li>")[1:]
    assert {codes_in(row)[0] for row in turns if "Needs you" in row} == yours
    assert listed(told, "to=me") == yours
    board = dict(cards(page(told, "handoffs/")))
    assert {code for code, card in board.items() if card.startswith(" mine")} == (
        yours & board.keys()
    )
    rows = part(page(told, "handoffs/?view=list"), "<tbody>").split("<tr>")[1:]
    assert {codes_in(row)[0] for row in rows if "Waits for a person" in row} == yours


def test_the_page_of_one_says_who_must_act_and_what_is_overdue(
    told: Workspace,
) -> None:
    late, held = overdue(told), lane(told)
    for row in rows_of(told)[::3]:
        facts = part(page(told, f"handoffs/{row.code}/"), '<p class="meta">', "</p>")
        assert ("Waits for a person" in facts) == (acts(row) == "person"), row
        named = acts(row) not in ("", "person") and f"Waits for {acts(row)}" in facts
        assert named == (acts(row) not in ("", "person")), row
        assert ("Overdue" in facts) == (row.code in late), row
        assert ("writing now" in facts) == (row.code in held["in_progress"]), row


def test_feed_and_webhook_tell_of_the_same(
    told: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYHUB_WEBHOOK_URL", "http://127.0.0.1:1/")
    entries = page(told, "your-turn.atom").split("<entry>")[1:]
    asked = re.compile('term="(?:sign-off|question)"')
    notify(told)
    bodies = [n.body for n in Notice.objects.all()]

    assert {codes_in(e)[0] for e in entries if asked.search(e)} == for_person(told)
    away = {row.code for row in rows_of(told) if row.away}
    assert {
        codes_in(body["path"])[0]
        for body in bodies
        if body["kind"] in ("sign-off", "question")
    } == for_person(told) - away


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("told", ["sender", "generated", "harbour"], indirect=True)
def test_tools_say_the_same_through_every_door(told: Workspace) -> None:
    wanted = {row.code: acts(row) for row in rows_of(told)}
    writes = {code for codes in lane(told).values() for code in codes}
    for rows in by_tools(told):
        assert {row["code"]: row["acts"] for row in rows} == wanted
        assert {row["code"] for row in rows if row["overdue"]} == overdue(told)
        assert {row["code"] for row in rows if row["in_lane"]} == writes
        free = {r["code"] for r in rows if r["in_lane"] and not r["waits"]}
        assert free <= set(writes)


def test_what_is_overdue_is_the_same_on_every_page_and_in_rest(told: Workspace) -> None:
    late = overdue(told)
    answer = own_program().get(f"/api/v1/workspaces/{told.slug}/handoffs")
    rows: list[Mapping[str, Any]] = json.loads(answer.content)["data"]

    assert {row["code"]: row["acts"] for row in rows} == {
        row.code: acts(row) for row in rows_of(told)
    }
    assert {row["code"] for row in rows if row["overdue"]} == late
    assert listed(told, "late=1") == late
    board = dict(cards(page(told, "handoffs/")))
    marked = {code for code, card in board.items() if 'class="late"' in card}
    assert marked == late & board.keys()


def test_the_lane_is_the_same_on_every_page(told: Workspace) -> None:
    wanted = lane(told)
    overview, board = page(told), page(told, "handoffs/")
    line = re.sub(r"<[^>]+>|\s+", " ", part(overview, "Write lane:", "</footer>"))
    slots = part(board, 'aria-labelledby="lane-h"')

    if not any(wanted.values()):
        assert "next," not in line and "The lane is free: no write" in slots
        return
    assert f"{len(wanted['open'])} next, {len(wanted['blocked'])} held." in line
    assert ("free" in line) == (not wanted["in_progress"])
    assert ("The write lane is free" in overview) == (not wanted["in_progress"])
    assert codes_in(slots)[:1] == (wanted["in_progress"] + wanted["open"])[:1]
    for text in (board, page(told, "handoffs/?view=list")):
        places = re.findall(r"lane (\d+)", text)
        busy = len(wanted["in_progress"])
        assert set(map(int, places)) <= {busy + n for n in range(1, 41)}


def test_the_place_in_the_lane_is_its_turn(told: Workspace) -> None:
    wanted = lane(told)
    queue = [*wanted["in_progress"], *wanted["open"]]
    waiting = {row.code for row in rows_of(told) if not row.overridden}
    for place, code in list(enumerate(queue, 1))[:4]:
        facts = part(page(told, f"handoffs/{code}/"), '<p class="meta">', "</p>")
        if code in wanted["open"] and code in waiting:
            assert f">lane {place}<" in facts, code


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("told", ["sender", "receiver"], indirect=True)
def test_every_door_knows_the_handoffs_of_both_sides(told: Workspace) -> None:
    rows = {row.code: row for row in rows_of(told)}
    api = f"/api/v1/workspaces/{told.slug}/"
    events = json.loads(own_program().get(f"{api}events?kind=handoff").content)
    lists = {
        "board": page(told, "handoffs/"),
        "list": page(told, "handoffs/?view=list"),
        "timeline": page(told, "timeline/"),
        "search": page(told, "search/?q=wheat&stay=1"),
        "feed": page(told, "timeline.atom"),
    }

    shown = {door: set(codes_in(text)) & rows.keys() for door, text in lists.items()}
    assert shown == dict.fromkeys(lists, rows.keys())
    assert [event["verb"] for event in events["data"]] == ["sent"] * len(rows)
    for code, row in rows.items():
        text = page(told, f"handoffs/{code}.md")
        said = {"to": "session_compact", "kind": "handoff", "name": code}
        for door in DOORS.values():
            options = CallerOptions(workspace=told.slug)
            assert row.input in door(options, "translate", said).fields["text"]
            asked = {"query": row.task_id, "max_results": 20, "min_score": 0}
            hits = door(options, "memory_search", asked).fields["results"]
            assert {hit["kind"] for hit in hits} == {"handoff"}
        assert row.input in text and code in codes_in(page(told, f"palette?q={code}"))


@pytest.mark.parametrize("told", ["sender", "generated", "quarry"], indirect=True)
def test_a_replay_says_the_same(told: Workspace) -> None:
    assert_a_rebuild_changes_nothing(told)
