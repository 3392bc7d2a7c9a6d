"""Whose act a handoff is: reviewers, pools, people by name, strangers, lanes."""

from __future__ import annotations

from functools import partial

import pytest
from pytest_django import Settings

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import (
    Scope,
    in_lane,
    named_by_handoff,
    named_by_message,
    named_people,
    scope_of,
    who_acts,
)
from memoryhub.handoffs.rules.fields import can_differ_by_case, is_id
from memoryhub.handoffs.rules.parties import (
    is_coordinator,
    is_member,
    is_pool,
    is_signer,
    is_strange,
    mentions,
    mentions_person,
    reviewer_named,
    reviewer_of,
    reviewers_of,
    signed_key,
)
from tests.handoffs.test_rules import row as handoff
from tests.people.team import person

write = partial(handoff, "write")
POOL = {"recipient": "role:mason", "taken_by": "cid"}


@pytest.fixture
def team(db: None, settings: Settings) -> None:
    """Let ann and bo sign in."""
    settings.MEMORYHUB_TEAM = True
    person("ann"), person("bo")


@pytest.mark.parametrize(
    ("row", "acts"),
    [
        (write(), "dev"), (write(state="in_progress", taken_by="eve"), "dev"),
        (write(state="done"), ""), (write(state="failed"), ""),
        (write(state="withdrawn"), ""), (write(state="returned"), "ana"),
        (write(state="returned", sender="you"), "person"),
        (write(state="review", review="yes"), "ana"),
        (write(state="review", review="cy"), "cy"),
        (write(state="review", review="Coordinator"), "person"),
        (write(state="review", review="me"), "person"),
        (write(recipient="operator", state="blocked"), "person"),
        (handoff("decision"), "person"), (handoff("decision", signed_by="ann"), "dev"),
        (handoff("decision", last_verb="sent back"), "dev"),
        (handoff("decision", state="in_progress"), "person"),
        (write(**POOL), "role:mason"), (write("in_progress", **POOL), "cid"),
        (write("blocked", **POOL), "cid"),
        (write("blocked", recipient="role:mason"), "role:mason"),
    ],
)  # fmt: skip
def test_one_acts_or_nobody(row: Handoff, acts: str) -> None:
    assert who_acts(row) == acts


@pytest.mark.parametrize(
    ("row", "needs"),
    [
        (handoff("decision"), True),
        (write(), False),
        (handoff("decision", state="done"), False),
        (handoff("decision", state="blocked"), True),
        (handoff("decision", state="returned"), False),
        (handoff("decision", signed_by="ann"), False),
        (handoff("decision", last_verb="sent back"), False),
        (handoff("decision", last_verb="taken", state="in_progress"), True),
    ],
)
def test_an_unfinished_decision_waits_for_its_sign_off(
    row: Handoff, needs: bool
) -> None:
    assert row.to_sign is needs


@pytest.mark.parametrize(
    ("row", "is_in"),
    [
        (write(), True), (write(state="in_progress"), True),
        (write(state="blocked"), True), (write(state="returned"), False),
        (handoff("read_only"), False), (write(twin="mill/7"), False),
        (write(problem="not-closed"), False),
    ],
)  # fmt: skip
def test_a_lane_has_the_whole_writes_of_its_own_workspace(
    row: Handoff, is_in: bool
) -> None:
    assert in_lane(row) is is_in


@pytest.mark.parametrize(
    ("review", "named", "who", "agents"),
    [
        ("", "", "", set()),
        (" Sender ", "ana", "ana", {"ana"}),
        ("yes", "ana", "ana", {"ana"}),
        ("TRUE", "ana", "ana", {"ana"}),
        (" cy ", "cy", "cy", {"cy"}),
        ("Person", "Person", "person", set()),
        ("Coordinator", "Coordinator", "coordinator", set()),
        ("you", "you", "person", set()),
        ("Cy", "Cy", "Cy", {"Cy"}),
    ],
)
def test_a_review_is_somebodys(
    review: str, named: str, who: str, agents: set[str]
) -> None:
    row = write(review=review)

    assert (reviewer_named(row), reviewer_of(row)) == (named, who)
    assert reviewers_of(row) == agents


@pytest.mark.parametrize(
    ("verb", "actor", "row", "is_odd"),
    [
        ("taken", "mallory", write(), True), ("done", "mallory", write(), True),
        ("failed", "mallory", write(), True), ("blocked", "mallory", write(), True),
        ("put back", "mallory", write(), True), ("said", "mallory", write(), False),
        ("withdrawn", "mallory", write(), False), ("done", "", write(), False),
        ("done", "mallory", write(twin="mill/7"), False),
        ("done", "mallory", write(**POOL), False), ("done", "you", write(), False),
        ("done", "lead coordinator", write(), False), ("done", "ana", write(), False),
        ("done", " Shop/DEV ", write(), True), ("done", "shop/DEV", write(), False),
        ("done", "dev", write(recipient="shop/dev"), False),
        ("done", "mill/dev", write(), True), ("done", "eve", write(), False),
        ("accepted", "ana", write(review="sender"), False),
        ("accepted", "shop/ana", write(review="yes"), False),
        ("accepted", "dev", write(review="sender"), True),
        ("accepted", "cy", write(review="shop/cy"), False),
        ("accepted", "you", write(review="sender"), False),
        ("accepted", "coordinator", write(review="sender"), False),
        ("accepted", "you", write(review="person"), True),
        ("accepted", "lead-coordinator", write(review="coordinator"), False),
        ("accepted", "coordinator-2", write(review="coordinator"), True),
    ],
)  # fmt: skip
def test_a_line_is_strange_where_the_work_is_not_its_writers(
    verb: str, actor: str, row: Handoff, is_odd: bool
) -> None:
    assert is_strange(verb, actor, row, "shop", {"eve"}) is is_odd


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["dev"], ()), (["dev", "Ann "], ("ann",)),
        (["bo", "ann", "BO"], ("bo", "ann")), (["ann", "you"], ()), ([], ()),
    ],
)  # fmt: skip
def test_people_are_named_by_their_user_names(
    team: None, names: list[str], found: tuple[str, ...]
) -> None:
    assert named_people(names) == found


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"recipient": "ann"}, ("ann",)),
        ({"sender": "ann"}, ()),
        ({"sender": "ann", "state": "returned"}, ("ann",)),
        ({"recipient": "ann", "state": "returned"}, ()),
        ({"recipient": "ann", "state": "review", "review": "bo"}, ("bo",)),
        ({"sender": "ann", "state": "review", "review": "sender"}, ("ann",)),
        ({"recipient": "ann", "type": "decision"}, ()),
    ],
)
def test_a_handoff_is_the_act_of_whom_it_names(
    team: None, fields: dict[str, str], found: tuple[str, ...]
) -> None:
    told = {"sender": "ana", "recipient": "dev", "type": "write", "state": "open"}
    assert named_by_handoff(Handoff(**told | fields)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Which hinge?", ("ann",)),
        ("@bo, which hinge?", ("bo",)),
        ("@dev, which hinge?", ("ann",)),
        ("@you, help", ()),
    ],
)
def test_a_message_is_to_whom_it_mentions_else_to_the_parties(
    team: None, text: str, found: tuple[str, ...]
) -> None:
    assert named_by_message(Handoff(sender="ann", recipient="dev"), text) == found
    assert named_by_message(Handoff(sender="dev", recipient="ann"), text) == found


@pytest.mark.parametrize(
    ("text", "name", "is_named"),
    [
        ("@kim-lee, look", "Kim  Lee", True),
        ("kim-lee, look", "Kim Lee", False),
        ("@kim", "Kim Lee", False),
        ("@KIM", "kim", True),
    ],
)
def test_blanks_in_a_mentioned_name_are_dashes(
    text: str, name: str, is_named: bool
) -> None:
    assert mentions(text, name) is is_named


@pytest.mark.parametrize(
    ("text", "is_named"), [("@dev and @Operator", True), ("@dev, you", False)]
)
def test_a_person_is_mentioned_by_any_word_for_one(text: str, is_named: bool) -> None:
    assert mentions_person(text) is is_named


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("x" * 80, True), ("x" * 81, False), ("火" * 66 + "xx", True),
        ("火" * 66 + "xxx", False), (".a", False), ("-a", False), ("#a", False),
        ("a-#b", True),
        ("con", False), ("console", True), ("LPT9.md", False), ("a ", False),
        ("a.b", True),
    ],
)  # fmt: skip
def test_an_id_can_be_the_name_of_a_file(name: str, is_one: bool) -> None:
    assert is_id(name) is is_one


def test_ids_without_letters_of_two_cases_are_compared_as_they_are() -> None:
    names = ("20261120-01", "任务", "t1", "T1")
    assert [can_differ_by_case(name) for name in names] == [False, False, True, True]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [(" ANY ", True), ("anybody", False), ("Role:x", True), ("role:", False)],
)
def test_a_pool_is_anybody_or_a_role(name: str, is_one: bool) -> None:
    assert is_pool(name) is is_one


@pytest.mark.parametrize(
    ("pool", "agent", "role", "is_in"),
    [
        ("role:builder", "", "builder", False), ("any", "", "", False),
        ("role:builder", "bob", "`Builder`: doors", True),
        ("role:a builder", "bob", "An builder", True),
        ("role:builder", "bob", "An old builder", False),
        ("role:Lead   Builder", "bob",
         "lead builder — doors", True), ("role:builder", "bob", "builder--doors", True),
    ],
)  # fmt: skip
def test_a_role_is_compared_without_marks_and_articles(
    pool: str, agent: str, role: str, is_in: bool
) -> None:
    assert is_member(pool, agent, role) is is_in


def test_marks_and_blanks_around_a_role_or_name_do_not_matter() -> None:
    assert is_coordinator(" coordinator ")
    assert is_coordinator("dev", ["builder", " **Coordinator** "])
    assert is_signer(" **Approver** ")
    assert not is_coordinator("dev")


@pytest.mark.parametrize(
    "name", ["type", "context", "input", "expected_output", "constraints"]
)
def test_a_sign_off_is_for_one_text(name: str) -> None:
    row = Handoff(type="decision", context="Use events", input="a  b")

    assert signed_key(row) == signed_key(Handoff(**_fields(row) | {"input": "a\nb"}))
    assert signed_key(row) != signed_key(Handoff(**_fields(row) | {name: "other"}))


def _fields(row: Handoff) -> dict[str, str]:
    return {"type": row.type, "context": row.context, "input": row.input}


@pytest.mark.parametrize(
    ("repository", "paths", "scope"),
    [
        ("", "", Scope()), (" Web ", "", Scope("web")),
        ("", "SRC/a, docs/", Scope("", (("src", "a"), ("docs",)))),
        ("", "src\\deep\\x", Scope("", (("src", "deep", "x"),))),
        ("", "./src//x", Scope("", (("src", "x"),))),
        ("", "src/*.py", Scope("", (("src",),))),
        ("", "src/?/x", Scope("", (("src",),))),
        ("", "src/[ab]/x", Scope("", (("src",),))), ("", "*.md, src", Scope()),
        ("", "src, /srv", Scope()), ("", "c:/src", Scope()), ("", "src/../x", Scope()),
    ],
)  # fmt: skip
def test_a_scope_is_a_repository_and_folders_in_it(
    repository: str, paths: str, scope: Scope
) -> None:
    assert scope_of(repository, paths) == scope
