"""Handoffs for several agents: the first one that takes it has it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import is_known, pools_of
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.rules.parties import is_member, is_pool
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import block, put_back
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROLES = (
    "# Agents\n\n| Agent | Role |\n| --- | --- |\n| bob | Builder, mends doors |\n"
    "| cid | the builder |\n| rex | Reviewer of builders |\n"
)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    made = make_workspace(workspace_root)
    say(made, {"AGENTS.md": ROLES})
    return made


def by(actor: str, minutes: int = 0) -> Author:
    return Author(actor, at=NOON + timedelta(minutes=minutes))


def sent(workspace: Workspace, to: str = "role:builder") -> Handoff:
    return send(workspace, Task("", "", to, "read_only", "c", "i"), by("ann")).handoff


def can_take(workspace: Workspace, name: str) -> int:
    wanted = Filters(recipient=name)
    return len(ready(workspace, wanted, turns(workspace), NOON, limit=9))


@pytest.mark.parametrize(
    ("pool", "role", "is_in"),
    [
        ("any", "", True), ("Any ", "x", True), ("role:builder", "Builder", True),
        ("role: builder", "**Builder** -- mends", True), ("role:x", "", False),
        ("role:builder", "Reviewer of builders", False), ("role:", "", False),
        ("role:lead builder", "Lead builder (doors)", True), ("bob", "bob", False),
    ],
)  # fmt: skip
def test_a_role_is_the_beginning_of_what_files_say(
    pool: str, role: str, *, is_in: bool
) -> None:
    assert is_member(pool, "dev", role) is is_in
    assert not is_member(pool, "shop/dev", role)


def test_the_first_taker_has_it(workspace: Workspace) -> None:
    handoff = sent(workspace)
    assert [can_take(workspace, name) for name in ("bob", "cid", "rex")] == [1, 1, 0]

    taken = take(handoff, by("cid", 1)).handoff

    assert (taken.acts, taken.taken_by) == ("cid", "cid")
    with pytest.raises(NotAllowed, match=r"^handoff-state"):
        take(handoff, by("bob", 2))
    with pytest.raises(NotAllowed, match="not-yours"):
        report(taken, Result("", "done", "Mended"), by("bob", 2))
    assert report(taken, Result("", "done", "Mended"), by("cid", 3)).done
    assert_a_rebuild_changes_nothing(workspace)


def test_who_is_in_no_pool_cannot_take_it(workspace: Workspace) -> None:
    with pytest.raises(NotAllowed, match="not-yours"):
        take(sent(workspace), by("rex", 1))

    assert take(sent(workspace, "any"), by("rex", 2)).handoff.taken_by == "rex"


def test_what_is_put_back_is_for_all_of_them_again(workspace: Workspace) -> None:
    handoff = take(sent(workspace), by("cid", 1)).handoff

    assert put_back(handoff, by("cid", 2)).handoff.acts == "role:builder"
    assert take(handoff, by("bob", 3)).handoff.taken_by == "bob"
    assert block(handoff, by("bob", 4), reason="no key").handoff.acts == "bob"
    assert take(handoff, by("cid", 5)).handoff.taken_by == "cid"


def test_who_put_it_back_does_not_act_on_it_any_more(workspace: Workspace) -> None:
    handoff = put_back(
        take(sent(workspace), by("cid", 1)).handoff, by("cid", 2)
    ).handoff
    assert (handoff.acts, handoff.taken_by) == ("role:builder", "")

    held = block(handoff, by("bob", 3), reason="no key").handoff

    assert held.acts == "role:builder"
    assert put_back(held, by("bob", 4)).handoff.state == "open"


def test_a_pool_is_known_where_somebody_has_its_role(workspace: Workspace) -> None:
    sent(workspace, "any"), sent(workspace)

    assert [is_pool(name) for name in ("any", "role:x", "bob")] == [True, True, False]
    assert is_known(workspace, "role:builder")
    assert not is_known(workspace, "role:painter")
    assert sorted(pools_of(workspace, "bob")) == ["any", "role:builder"]
    assert pools_of(workspace, "rex") == ["any"]


def test_a_pool_that_only_a_deleted_handoff_named_is_no_pool(
    workspace: Workspace,
) -> None:
    kept, deleted = sent(workspace, "any"), sent(workspace)
    assert sorted(pools_of(workspace, "bob")) == ["any", "role:builder"]

    say(workspace, {deleted.file.path: None})

    assert pools_of(workspace, "bob") == [kept.recipient]
