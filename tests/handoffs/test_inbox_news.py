"""What is news in an inbox, for whom, since when, and whom a change wakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.handoff import Result, Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries import inbox as waking
from memoryhub.handoffs.queries.inbox import (
    Heads,
    Inbox,
    Position,
    concerned,
    heads_of,
    inbox,
)
from memoryhub.handoffs.services.steps import Step, move, report, take
from memoryhub.journal.models import Workspace
from tests.handoffs.pairs import NOON, at, by, sent
from tests.handoffs.sides import of
from tests.handoffs.steps import block, mark_failed, put_back, send_back, withdraw
from tests.writing import say

Both = tuple[Workspace, Workspace]
ROLES = (
    "# AGENTS\n\n## Roles\n\n- **ann**: Plans\n- **bob**: Builder\n- **cid**: Builder\n"
    "- **dan**: Looks\n"
)


@pytest.fixture
def shop(acme: Workspace) -> Workspace:
    say(acme, {"AGENTS.md": ROLES})
    return acme


def done(handoff: Handoff, actor: str, minutes: int = 5) -> Handoff:
    result = Result("", "done", "Two hinges")
    return report(handoff, result, by(actor, minutes)).done.handoff


def got(
    workspace: Workspace, agent: str, since: Position | None = None, **more: Any
) -> Inbox:
    workspace.refresh_from_db()
    now = at(more.pop("minutes", 0))
    return inbox(workspace, agent, since, now, **{"limit": 9} | more)


def told(found: Inbox) -> list[tuple[str, str, str, str]]:
    return [(n.kind, str(n.handoff)[-2:], n.what, n.by) for n in found.news]


def test_a_first_look_has_every_task_that_it_has_to_do(shop: Workspace) -> None:
    sent(shop, minutes=3), sent(shop, "bob ann"), sent(shop, "bob bob")
    block(sent(shop, minutes=1), by("bob", 5), reason="no key")
    take(sent(shop, minutes=2), by("bob", 6))
    for number, row in enumerate(sent(shop) for _ in range(2)):
        mark_failed(row, by("bob"), reason="no") if number else send_back(
            row, by("bob"), reason="why?"
        )

    found = got(shop, "bob")

    assert told(found) == [
        ("ready", "03", "", ""), ("task", "04", "sent", "ann"),
        ("task", "05", "sent", "ann"), ("task", "01", "sent", "ann"),
    ]  # fmt: skip
    assert [news.at for news in found.news] == [at(0), at(1), at(2), at(3)]
    assert [row.task_id[-2:] for row in found.ready] == ["03", "01"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_can_be_taken_than_are_asked_for(shop: Workspace, limit: int) -> None:
    for minutes in range(3):
        sent(shop, minutes=minutes)

    found = got(shop, "bob", limit=limit)

    assert [row.task_id[-2:] for row in found.ready] == ["01", "02", "03"][:limit]
    assert len(found.position.ready) == limit


def test_a_cursor_is_its_position_as_text() -> None:
    position = Position({7: 30, 12: 4}, frozenset("ab"), frozenset({"c"}))

    assert Position.from_cursor(position.cursor) == position
    assert Position.from_cursor(Position({}).cursor) == Position({})


def test_each_look_has_what_came_after_the_last_one(shop: Workspace) -> None:
    first = got(shop, "bob")
    held = sent(shop)
    second = got(shop, "bob", first.position)
    move(held, Step("said", "The left one"), by("ann", 1))
    third = got(shop, "bob", second.position)

    assert [told(look) for look in (first, second, third)] == [
        [], [("task", "01", "sent", "ann")], [("step", "01", "said", "ann")],
    ]  # fmt: skip
    assert told(got(shop, "bob", third.position)) == []
    assert [n.kind for n in got(shop, "bob", first.position).news] == ["task", "step"]


def test_a_time_is_where_the_journal_stood_then(shop: Workspace) -> None:
    sent(shop, minutes=10), sent(shop, minutes=20)

    since = Position.at_time(shop, at(15))

    found = [one for one in told(got(shop, "bob", since)) if one[0] == "task"]
    assert found == [("task", "02", "sent", "ann")]
    assert (since.ready, since.alarms) == (frozenset(), frozenset())


def test_steps_of_one_verb_are_one_with_the_last_time_and_what_is_known(
    shop: Workspace,
) -> None:
    held = sent(shop)
    since = got(shop, "ann").position
    block(held, by("bob", 1), reason="no key")
    put_back(held, by("bob", 2))
    block(held, by("bob", 3), reason="no lamp")
    take(held, by("bob", 4))
    done(held, "bob", 5)

    found = got(shop, "ann", since).news

    assert [(n.what, n.at, n.by, n.reason, n.output) for n in found] == [
        ("put back", at(2), "bob", "", ""), ("blocked", at(3), "bob", "no lamp", ""),
        ("taken", at(4), "bob", "", ""), ("done", at(5), "bob", "", "Two hinges"),
    ]  # fmt: skip


def test_the_same_verb_of_two_handoffs_is_two_news(shop: Workspace) -> None:
    rows = [sent(shop), sent(shop)]
    since = got(shop, "ann").position
    for row in rows:
        take(row, by("bob", 1))
    for row in rows:
        done(row, "bob")

    found = told(got(shop, "ann", since))

    assert sorted(found) == [
        ("step", number, verb, "bob")
        for number in ("01", "02") for verb in ("done", "taken")
    ]  # fmt: skip


def test_a_result_in_a_file_is_its_takers_else_its_recipients(shop: Workspace) -> None:
    rows = [sent(shop, "ann any"), sent(shop)]
    take(rows[0], by("cid", 1))
    since = got(shop, "ann").position
    for row in rows:
        path = row.file.path
        block = (
            f"\n<r>\n<task_id>{row.task_id}</task_id>\n<status>done</status>\n</r>\n"
        )
        say(shop, {path: Path(shop.root, path).read_text() + block})

    assert told(got(shop, "ann", since)) == [
        ("step", "01", "done", "cid"), ("step", "02", "done", "bob")
    ]  # fmt: skip


def test_a_pools_task_is_news_to_its_members_until_one_has_taken_it(
    shop: Workspace,
) -> None:
    held = sent(shop, "ann role:builder")
    before = {name: got(shop, name) for name in ("bob", "cid", "dan")}
    assert [len(found.news) for found in before.values()] == [1, 1, 0]

    take(held, by("cid", 1))
    move(held, Step("said", "The left one"), by("ann", 2))

    assert told(got(shop, "cid", before["cid"].position)) == [
        ("step", "01", "said", "ann")
    ]
    assert told(got(shop, "bob", before["bob"].position)) == []
    assert told(got(shop, "bob")) == []


def test_each_side_has_news_with_its_own_names(both: Both) -> None:
    shop, mill = both
    sent(shop, "baker mill/miller")
    since = got(shop, "baker").position
    assert told(got(mill, "miller")) == [("task", "01", "sent", "shop/baker")]
    assert told(got(shop, "mill/miller")) == [("task", "01", "sent", "baker")]

    take(of(mill), by("miller", 1))
    done(of(mill), "miller")

    found = got(shop, "baker", since)
    assert told(found) == [
        ("step", "01", "taken", "mill/miller"), ("step", "01", "done", "mill/miller")
    ]  # fmt: skip
    assert found.news[0].handoff and found.news[0].handoff.away
    assert told(got(shop, "baker", found.position)) == []


def test_the_first_file_of_a_journal_is_news_to_a_cursor_before_it(
    acme: Workspace,
) -> None:
    task = Task("t1", "ann", "bob", "read_only", "c", "i")
    say(acme, {"memory/t1.md": render_task(task)})
    assert Handoff.objects.get().first_seq == 1

    assert told(got(acme, "bob", Position({}))) == [("task", "t1", "sent", "ann")]


def test_what_a_stranger_claims_is_no_news(shop: Workspace) -> None:
    held = sent(shop)
    since = got(shop, "ann").position
    path = held.file.path
    line = "- 2026-11-20T12:10:00Z mallory: done\n"
    say(shop, {path: Path(shop.root, path).read_text() + line})

    assert told(got(shop, "ann", since)) == []


@pytest.mark.parametrize(("hidden", "news"), [("", 4), ("memory/HANDOFFS/t1.md", 0)])
def test_a_hidden_file_gives_no_news_of_any_kind(
    shop: Workspace, hidden: str, news: int
) -> None:
    task = render_task(Task("t1", "ann", "bob", "read_only", "c", "i"))
    say(shop, {"memory/handoffs/t1.md": f"# Handoff t1\n\n- due: 2026-11-20\n\n{task}"})
    row = Handoff.objects.get()
    move(row, Step("said", "@dan, look"), by("ann", 1))
    later = 24 * 60

    bob = got(shop, "bob", hidden=hidden, minutes=later)
    dan = got(shop, "dan", Position({}), hidden=hidden, minutes=later)

    kinds = [n.kind for n in (*bob.news, *dan.news)]
    assert len(kinds) + len(bob.ready) == news
    assert sorted(kinds) == (["alarm", "step", "task"] if news else [])


@pytest.mark.parametrize(
    ("agent", "hears"), [("ann", 1), ("bob", 1), ("cid", 1), ("dan", 0), ("lead", 1)]
)
def test_an_alarm_is_for_the_sender_the_holder_and_coordinators(
    shop: Workspace, agent: str, hears: int
) -> None:
    shop.coordinators = ["lead"]
    shop.save(update_fields=["coordinators"])
    take(sent(shop), by("cid", 1, lead=True))

    found = got(shop, agent, Position({shop.pk: 999}), minutes=500)

    assert told(found) == [("alarm", "01", "silent", "")] * hears
    assert [n.reason for n in found.news] == ["cid"] * hears
    assert told(got(shop, agent, found.position, minutes=501)) == []


def test_a_task_that_waits_for_review_is_no_task_of_its_reviewer_but_its_steps_are(
    shop: Workspace,
) -> None:
    shop.coordinators = ["dan"]
    shop.save(update_fields=["coordinators"])
    rows = [sent(shop, review="Coordinator"), sent(shop, review="cid")]
    since = {name: got(shop, name).position for name in ("cid", "dan")}
    for row in rows:
        done(take(row, by("bob", 1)).handoff, "bob")

    heard = {name: told(got(shop, name, since[name])) for name in since}

    assert heard == {
        name: [("step", number, "taken", "bob"), ("step", number, "done", "bob")]
        for name, number in (("dan", "01"), ("cid", "02"))
    }  # fmt: skip


def woken(workspace: Workspace, before: Heads) -> set[str]:
    found = concerned(workspace, before, heads_of(workspace, NOON))
    assert found is not None
    return {name for name in found if name}


@pytest.mark.parametrize(
    "change", ["nothing", "sent", "taken", "asked", "held", "review"]
)
def test_only_those_whom_a_change_concerns_are_woken(
    shop: Workspace, change: str
) -> None:
    shop.coordinators = ["dan"]
    shop.save(update_fields=["coordinators"])
    held, other = sent(shop), sent(shop, "ann cid", review="Coordinator")
    sent(shop, "eve fay")
    before = heads_of(shop, NOON)
    names = {
        "nothing": set[str](), "sent": {"bob", "dan"}, "taken": {"ann", "bob", "cid"},
        "asked": {"ann", "bob"}, "held": {"ann", "bob"},
        "review": {"ann", "cid", "dan"},
    }[change]  # fmt: skip
    if change == "sent":
        sent(shop, "dan bob")
    elif change == "taken":
        take(held, by("cid", 1, lead=True))
    elif change == "asked":
        move(held, Step("said", "@operator, which hinge?"), by("bob", 1))
    elif change == "held":
        block(held, by("bob", 1), reason="no key: ask @fay")
    elif change == "review":
        done(take(other, by("cid", 1)).handoff, "cid")

    shop.refresh_from_db()
    assert woken(shop, before) == names


def test_whose_turn_has_come_is_woken_though_its_task_did_not_change(
    shop: Workspace,
) -> None:
    first, _ = sent(shop, kind="write"), sent(shop, "eve cid", "write", minutes=1)
    before = heads_of(shop, NOON)
    assert before.ready == {first.pk: "bob"}

    withdraw(first, by("ann", 2))

    shop.refresh_from_db()
    assert woken(shop, before) == {"ann", "bob", "cid"}


@pytest.mark.parametrize("change", ["alarm", "pool", "mention", "many"])
def test_anybody_may_be_woken_where_nobody_can_say_whom_it_concerns(
    shop: Workspace, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = sent(shop, due=30)
    before, now = heads_of(shop, NOON), NOON
    if change == "alarm":
        now = at(40)
    elif change == "pool":
        sent(shop, "ann role:builder")
    elif change == "mention":
        move(held, Step("said", "@operator, or @dan?"), by("ann", 1))
    else:
        monkeypatch.setattr(waking, "_CHANGED", 2)
        sent(shop), sent(shop)

    shop.refresh_from_db()
    assert concerned(shop, before, heads_of(shop, now)) is None


def test_changes_elsewhere_wake_the_sender_by_its_own_name(both: Both) -> None:
    shop, mill = both
    sent(shop, "baker mill/miller")
    before = heads_of(shop, NOON)
    take(of(mill), by("miller", 1))

    shop.refresh_from_db()
    assert woken(shop, before) == {"baker", "mill/miller"}
