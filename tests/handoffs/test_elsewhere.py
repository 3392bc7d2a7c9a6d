"""What the sender's workspace shows of a handoff whose work is done in another one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Result, Task
from memoryhub.events.models import Event
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.ids import handoffs_named
from memoryhub.handoffs.queries.sides import handoffs_of, homes_of_sent, seen_from
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from memoryhub.search.queries import search
from memoryhub.sync.edit.editing import undo
from memoryhub.timeline.queries import events
from memoryhub.tools.calling import CallerOptions
from memoryhub.workspaces.services.removal import begin_removal
from tests.decision_doors import (
    listed,
    states_by_door,
    states_by_page,
    states_by_topic,
)
from tests.handoffs.sides import NOON, PLACE, by, of, sent
from tests.handoffs.steps import sign_off
from tests.signing import own_program
from tests.tools.doors import DOORS
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

Both = tuple[Workspace, Workspace]


def page(client: Client, path: str) -> str:
    answer = client.get(f"/w/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_side_links_to_the_other_one(client: Client, both: Both) -> None:
    code = sent(both[0]).code

    here, there = (
        page(client, f"{slug}/handoffs/{code}/") for slug in ("shop", "mill")
    )

    assert f'Work is done in <a class="link" href="/w/mill/handoffs/{code}/">' in here
    assert f'Sent from <a class="link" href="/w/shop/handoffs/{code}/">' in there


def test_a_page_gets_the_pill_when_the_other_side_moves(
    client: Client, both: Both
) -> None:
    sent(both[0])
    (shown,) = set(_news_of(page(client, "shop/handoffs/")))
    assert json.loads(client.get(shown).content)["pill"] == ""

    take(of(both[1]), by("miller", 1))

    assert json.loads(client.get(shown).content)["pill"] == "1 new, show"


#: A task of the shop's own.
OWN = """<task>
<from>baker</from>
<to>helper</to>
<task_id>20261101-01</task_id>
<type>read_only</type>
<context>Clean the oven</context>
</task>
"""
CHOICE = "Mill the wheat by stone"
LOG = f"- 2026-11-19: {CHOICE} (coarse)\n- 2026-11-18: Bake at night (cheap)\n"


def asked_elsewhere(shop: Workspace) -> Handoff:
    """Return a handoff to the mill that asks to sign off a decision of the shop."""
    topic = f"# Context: bread\n\n## Key Decisions\n{LOG}"
    say(shop, {"memory/context-bread.md": topic})
    task = Task("", "", "mill/miller", "decision", f"{CHOICE}. Is it right?", "Wheat")
    return send(shop, task, by("baker")).handoff


def states_of(client: Client, workspace: Workspace) -> set[str]:
    """Return the states of the decision that all doors give; one if they agree."""
    workspace.refresh_from_db()
    doors = states_by_door(client, workspace) | states_by_topic(client, workspace)
    doors |= states_by_door(client, workspace, topic="bread")
    doors["page"] = states_by_page(client, workspace)
    assert all(found["Bake at night"] == "stated" for found in doors.values())
    return {found[CHOICE] for found in doors.values()}


def test_a_decision_is_signed_off_in_a_handoff_done_elsewhere(
    client: Client, both: Both
) -> None:
    shop, mill = both
    handoff = asked_elsewhere(shop)
    assert states_of(client, shop) == {"unsigned"}

    done = sign_off(of(mill), by("dana", 1))

    assert states_of(client, shop) == {"signed_off"}
    decision = Decision.objects.get(workspace=shop, text=CHOICE)
    assert (decision.signed_off_by, decision.signed_off_at) == (
        "mill/dana", NOON + timedelta(minutes=1)
    )  # fmt: skip
    shown = page(client, f"shop/decisions/{decision.code}/")
    assert "signed off by mill/dana" in shown
    assert f"/w/shop/handoffs/{handoff.code}/" in shown
    (told,) = (d for d in listed(shop, limit=9).decisions if d.text == CHOICE)
    assert (told.signed_off_by, told.handoff) == ("mill/dana", handoff.task_id)
    for workspace in both:
        assert_a_rebuild_changes_nothing(workspace)
    say(shop, {"memory/2026-11-21.md": "# 2026-11-21\n"})
    assert states_of(client, shop) == {"signed_off"}

    undo(mill, done.operation, "dana")

    assert states_of(client, shop) == {"unsigned"}


def test_a_decision_known_later_has_the_state_of_its_handoff(
    client: Client, both: Both
) -> None:
    shop, mill = both
    task = Task("", "", "mill/miller", "decision", CHOICE, "Wheat")
    send(shop, task, by("baker"))
    sign_off(of(shop), by("lead", 1))

    say(shop, {"memory/decisions.md": LOG})

    decision = Decision.objects.get(workspace=shop, text=CHOICE)
    assert (decision.state, decision.signed_off_by) == ("signed_off", "lead")
    for workspace in (mill, shop):
        assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize("end", ["file", "workspace"])
def test_a_request_ends_with_its_handoff_or_its_workspace(
    client: Client, both: Both, end: str
) -> None:
    shop, mill = both
    asked_elsewhere(shop)
    changes = Workspace.objects.get(pk=shop.pk).handoff_changes

    if end == "file":
        say(mill, {PLACE: None})
    else:
        begin_removal(mill)

    assert states_of(client, shop) == {"stated"}
    assert Workspace.objects.get(pk=shop.pk).handoff_changes > changes
    assert_a_rebuild_changes_nothing(shop)


def test_a_decision_of_the_same_words_elsewhere_is_of_its_own_workspace(
    client: Client, both: Both
) -> None:
    shop, mill = both
    say(shop, {"memory/decisions.md": LOG})
    task = Task("", "", "miller", "decision", CHOICE, "Wheat")

    send(mill, task, by("boss"))

    assert Decision.objects.get(workspace=shop, text=CHOICE).state == "stated"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("query", "found"),
    [("wheat", 2), ("wheat kind:handoff", 2), ("wheat agent:baker", 1),
     ("wheat topic:bread", 1), ("wheat is:blocked", 0), ("wheat kind:note", 0),
     ("wheat -agent:baker", 1), ("kind:handoff", 2), ("wheat agent:nobody", 0),
     ("yeast", 0), ("salt", 0)],
)  # fmt: skip
def test_every_search_of_the_sender_finds_what_it_sent(
    client: Client, both: Both, query: str, found: int
) -> None:
    codes = _two_sent(both)

    text = page(client, f"shop/search/?{urlencode({'q': query, 'stay': 1})}")
    assert sum(f"/w/shop/handoffs/{code}/" in text for code in codes) == found
    for door in DOORS.values():
        asked = {"query": query, "max_results": 20, "min_score": 0}
        hits = door(CallerOptions(workspace="shop"), "memory_search", asked).fields
        paths = {hit["path"] for hit in hits["results"] if hit["kind"] == "handoff"}
        # The sender's own handoff is found where no word leaves it out.
        paths.discard("memory/baking.md")
        assert len(paths) == found
        assert all(path.startswith("mill/memory/handoffs/") for path in paths)
        assert "salt" not in json.dumps(hits)
    for path in _files_linked(text):
        assert client.get(path).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_lines_of_both_sides_keep_their_paths(both: Both) -> None:
    shop, mill = both
    say(mill, {f"memory/m{n}.md": f"# M{n}\n\nWheat field {n}.\n" for n in range(6)})
    say(shop, {f"memory/s{n}.md": f"# S{n}\n\nWheat order {n}.\n" for n in range(9)})
    sent(shop)

    hits = search(shop, "wheat").hits

    assert {hit.home for hit in hits} == {"", "mill"}
    for hit in hits:
        root = Path(mill.root if hit.home else shop.root)
        lines = (root / hit.path).read_text().split("\n")
        assert hit.text.split("\n")[0] == lines[hit.first_line - 1]


def _two_sent(both: Both) -> list[str]:
    """Send two handoffs to the mill, whose files and others have more; their codes."""
    shop, mill = both
    topic = "# Context: bread\n\n## Current Status\nRises.\n"
    say(shop, {"memory/context-bread.md": topic, "memory/baking.md": OWN})
    first = Task("", "", "mill/miller", "write", "Grind the wheat", "Finely")
    again = replace(first, context="Wash the wheat")
    one = send(shop, first, by("baker"), Terms(topic="bread")).handoff
    two = send(shop, again, by("clerk"), Terms()).handoff
    own = replace(first, recipient="miller", context="Add yeast to the wheat")
    send(mill, own, by("boss"))
    place = Path(mill.root) / PLACE
    say(mill, {PLACE: f"{place.read_text()}\n## Notes\n\nThe wheat needs salt.\n"})
    return [one.code, two.code]


def _files_linked(text: str) -> list[str]:
    return re.findall(r'href="(/w/mill/files/[^"#]+)', text)


@pytest.mark.parametrize(
    ("query", "found"),
    [("", 7), ("kind=handoff", 7), ("kind=decision", 0), ("agent=baker", 2),
     ("topic=bread", 3), ("q=Wash", 3), ("since=last", 0)],
)  # fmt: skip
def test_the_senders_timeline_has_the_events(
    client: Client, both: Both, query: str, found: int
) -> None:
    _two_done(both)
    page(client, "shop/timeline/")
    client.post("/w/shop/seen/")

    text = page(client, f"shop/timeline/?{query}")

    assert len(re.findall(r'href="/w/shop/handoffs/[^"]+"', text)) == found
    assert "shop/baker" not in text and "salt" not in text


def test_every_page_of_events_has_those_of_the_sender(
    client: Client, both: Both
) -> None:
    codes = _two_done(both)
    shown = r'href="/w/shop/handoffs/[^"]+"'
    agent = page(client, "shop/agents/baker/")
    topic = page(client, "shop/topics/bread/timeline/")
    feed = page(client, "shop/timeline.atom")
    events = own_program().get("/api/v1/workspaces/shop/events?kind=handoff").json()

    assert len(set(re.findall(shown, agent))) == 2
    assert "mill/miller" in page(client, "shop/timeline/")
    assert len(re.findall(shown, topic)) == 3
    assert sum(feed.count(f"/w/shop/handoffs/{code}/") for code in codes) >= 6
    assert [e["verb"] for e in events["data"]] == [
        "done", "done", "in_progress", "in_progress", "sent", "sent", "sent"
    ]  # fmt: skip
    assert {e["agent"] for e in events["data"]} == {"baker", "clerk", "mill/miller"}
    assert {e["topic"] for e in events["data"]} == {"bread", None}


def test_chips_and_tabs_count_the_same_things(client: Client, both: Both) -> None:
    _two_done(both)

    topic = page(client, "shop/topics/bread/timeline/")

    chip = r'kind=handoff"[^>]*>.*?<span class="n">(\d+)<'
    (chip,) = re.findall(chip, topic, re.DOTALL)
    tab = re.findall(r'topics/bread/handoffs/"[^>]*>.*?(\d+)', topic, re.DOTALL)
    assert (chip, tab[0]) == ("1", "1")


def test_what_happened_there_is_new_to_the_person_of_the_sender(
    client: Client, both: Both
) -> None:
    _two_sent(both)
    page(client, "shop/timeline/")
    client.post("/w/shop/seen/")
    handoff = seen_from(
        [both[0]], handoffs_of(both[0]).filter(origin="shop").order_by("task_id")
    )[0]

    take(handoff, Author("mill/miller"))

    text = page(client, "shop/timeline/?since=last")
    assert len(re.findall(r'href="/w/shop/handoffs/[^"]+"', text)) == 1
    overview = page(client, "shop/")
    news = re.findall(
        r'kind=handoff&amp;since=last"[^>]*>.*?<b[^>]*>(\d+)', overview, re.DOTALL
    )
    assert news == ["1"]


@pytest.mark.parametrize("query", ["", "since=last"])
def test_pages_of_a_timeline_give_each_event_once(
    client: Client, both: Both, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "PAGE_SIZE", 3)
    _two_done(both)
    say(both[0], {f"memory/{n}.md": f"# Note {n}\n" for n in range(4)})
    url, seen = f"/w/shop/timeline/?{query}", []
    while url:
        text = client.get(url).content.decode()
        seen += re.findall(r'id="e-([^"]+)"', text)
        more = re.search(r'<a class="more" href="([^"]+)"', text)
        url = unescape(more[1]) if more else ""

    own = Event.objects.filter(workspace=both[0])
    assert len(seen) == len(set(seen)) == own.count() + 6


def _two_done(both: Both) -> list[str]:
    """Have the mill do the work of two handoffs; return their codes."""
    codes = _two_sent(both)
    sent_there = handoffs_of(both[0]).filter(origin="shop").order_by("task_id")
    for minute, row in enumerate(seen_from([both[0]], sent_there), 1):
        take(row, by("mill/miller", minute))
        (taken,) = handoffs_named(both[1], row.code)
        report(taken, Result("", "done", "Flour"), by("miller", minute + 2))
    return codes


def _news_of(text: str) -> list[str]:
    return [part.partition('"')[0] for part in text.split('data-news="')[1:]]


@pytest.mark.parametrize("name", ["code", "task_id"])
def test_an_id_leads_to_the_page_in_the_senders_workspace(
    client: Client, both: Both, name: str
) -> None:
    handoff = sent(both[0])

    for slug in ("shop", "mill"):
        answer = client.get(f"/w/{slug}/search/", {"q": getattr(handoff, name)})
        assert answer["Location"] == f"/w/{slug}/handoffs/{handoff.code}/"
        palette = page(client, f"{slug}/palette?q={getattr(handoff, name)}")
        assert f"/w/{slug}/handoffs/{handoff.code}/" in palette


@pytest.mark.django_db(transaction=True)
def test_the_sender_translates_what_it_sent(both: Both) -> None:
    handoff = sent(both[0])
    asked = {"to": "session_compact", "kind": "handoff", "name": handoff.task_id}

    for door in DOORS.values():
        given = [
            door(CallerOptions(workspace=w.slug), "translate", asked) for w in both
        ]
        assert "Wheat" in given[0].fields["text"]
        assert given[0].fields["text"] == given[1].fields["text"]


def test_a_workspace_whose_files_have_no_handoff_from_here_is_no_home_of_them(
    both: Both,
) -> None:
    shop, mill = both
    sent(shop)
    assert list(homes_of_sent(shop)) == [mill]

    say(mill, {PLACE: None})

    assert list(homes_of_sent(shop)) == []
