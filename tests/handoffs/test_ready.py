"""What can be taken now is what the rules let be taken, and the rest says why not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, held_up, listing, ready
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import block, override, sign_off
from tests.writing import say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0) -> Author:
    return Author(actor, actor == "lead", at=NOON + timedelta(minutes=minutes))


def sent(workspace: Workspace, *kinds: str, to: str = "builder") -> list[Handoff]:
    """Return handoffs that were sent one after the other, a minute apart."""
    return [
        send(workspace, Task("", "", to, kind, "c", "i"), by("planner", n)).handoff
        for n, kind in enumerate(kinds)
    ]


def taken(workspace: Workspace, filters: Filters | None = None) -> list[str]:
    """Return the last digits of what can be taken now."""
    lane = turns(workspace)
    cards = ready(workspace, filters or Filters(), lane, NOON, limit=200)
    return [card.task_id[-2:] for card in cards]


def test_reads_signed_decisions_and_the_first_write_are_ready(
    workspace: Workspace,
) -> None:
    handoffs = sent(workspace, "decision", "write", "read_only", "write", "decision")
    sign_off(handoffs[0], by("lead"))

    assert taken(workspace) == ["01", "02", "03"]


def test_nothing_is_ready_beside_a_write_but_what_does_not_write(
    workspace: Workspace,
) -> None:
    first, _, third, _ = sent(workspace, "write", "write", "write", "read_only")
    override(third, by("lead"), reason="it is urgent")
    assert taken(workspace) == ["01", "03", "04"]
    take(first, by("builder"))

    assert taken(workspace) == ["04"]


def test_what_is_blocked_can_be_taken_up_again_in_its_turn(
    workspace: Workspace,
) -> None:
    first, second, read = sent(workspace, "write", "write", "read_only")
    for handoff in (first, read):
        block(handoff, by("builder"), reason="no key")

    assert taken(workspace) == ["01", "02", "03"]
    assert taken(workspace, Filters(state="open")) == ["02"]
    take(second, by("builder"))
    assert taken(workspace) == ["03"]


def test_it_is_narrowed_as_lists_are(workspace: Workspace) -> None:
    sent(workspace, "read_only", "read_only")
    sent(workspace, "read_only", to="mason")

    assert taken(workspace, Filters(recipient="mason")) == ["03"]
    assert taken(workspace, Filters(state="done")) == []


def test_taking_agrees_with_what_is_ready(workspace: Workspace) -> None:
    handoffs = sent(workspace, *("write", "read_only", "decision") * 4)
    override(handoffs[6], by("lead"), reason="it is urgent")
    block(handoffs[0], by("builder"), reason="no key")
    block(handoffs[9], by("builder"), reason="no key")
    sign_off(handoffs[2], by("lead"))
    for done in (handoffs[3], handoffs[1]):
        take(done, by("builder"))
        lane = turns(workspace)
        for card in listing([workspace], Filters(), NOON).cards:
            told = held_up(card, lane)
            handoff = Handoff.objects.get(pk=card.id)
            if told is not None:
                with pytest.raises(NotAllowed) as refused:
                    take(handoff, by("builder"))
                assert str(refused.value) == str(told)
    for name in taken(workspace):
        take(Handoff.objects.get(task_id__endswith=f"-{name}"), by("builder"))


def test_several_writes_in_progress_hold_up_all_of_them(workspace: Workspace) -> None:
    block_of = "<task>\n<from>a</from>\n<to>b</to>\n<type>write</type>\n</task>\n"
    log = "\n## Log\n\n- 2026-11-20T12:00:00Z b: taken\n"
    say(workspace, {f"memory/handoffs/t{n}.md": block_of + log for n in range(9)})
    sent(workspace, "write")

    lane = turns(workspace)
    told = {
        card.id: held_up(card, lane)
        for card in listing([workspace], Filters(), NOON).cards
    }

    assert len(lane.now) == 2
    assert {refused.code for refused in told.values() if refused} == {
        "handoff-lane-busy", "handoff-state"
    }  # fmt: skip
    assert len(told) == 10 and None not in told.values()


def test_what_is_done_in_another_workspace_is_ready_there(
    tmp_path: Path, make_workspace: MakeWorkspace
) -> None:
    for name in ("shop", "mill"):
        (tmp_path / name).mkdir()
    shop, mill = make_workspace(tmp_path / "shop"), make_workspace(tmp_path / "mill")
    sent(shop, "write", to="mill/miller")

    assert (taken(shop), taken(mill)) == ([], ["01"])


def test_it_takes_as_many_queries_for_ten_as_for_a_hundred(
    workspace: Workspace,
) -> None:
    counted = []
    for number in (10, 100):
        say(workspace, {
            f"memory/a{n}.md": "<task>\n<from>a</from>\n<to>b</to>\n"
            f"<type>{'write' if n % 2 else 'read_only'}</type>\n"
            f"<task_id>t{n}</task_id>\n</task>\n"
            for n in range(number)
        })  # fmt: skip
        with CaptureQueriesContext(connection) as queries:
            taken(workspace)
        counted.append(len(queries))

    assert counted[0] == counted[1]
