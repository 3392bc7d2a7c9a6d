"""The judge of a simulated crew finds wrong reviews, unheard news, and wrong claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.crew_alarms import Look, alarms_as_expected
from bench.crew_calls import Call, Ledger
from bench.crew_claims import alarms_of_claims, claims_wrong
from bench.crew_heard import unheard
from tests.test_crew_judge import Work


@pytest.mark.parametrize(
    ("review", "actor", "wrong"),
    [
        ("sender", "ann", []),
        ("eve", "eve", []),
        ("eve", "coordinator", []),
        ("person", "operator", []),
        ("person", "coordinator", ["not-yours"]),
        ("sender", "bob", ["not-yours"]),
    ],
)
def test_who_accepts_without_being_asked_is_found(
    tmp_path: Path, review: str, actor: str, wrong: list[str]
) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("bob", "handoff_report", "A", status="done")
    work.asked(actor, "handoff_update", "A", action="accept")
    done = ("bob: done -- bob-00002", f"{actor}: accepted -- {actor}-00003")
    work.file("A", "write", "ann: sent", "bob: taken", *done, review=review)

    assert work.wrong == wrong
    assert work.found["shop/A"].state == work.found["shop/A"].file.state == "done"


def test_work_that_is_accepted_before_it_is_done_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("ann", "handoff_update", "A", action="accept")
    log = ("ann: sent", "bob: taken", "ann: accepted -- ann-00002")
    work.file("A", "write", *log, review="sender")

    assert work.wrong == ["late-accept"]


def test_done_work_to_be_reviewed_leaves_its_lane(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("bob", "handoff_report", "A", status="done")
    log = ("ann: sent", "bob: taken", "bob: done -- bob-00002")
    work.file("A", "write", *log, review="eve")

    assert work.wrong == []
    assert work.found["shop/A"].state == "review"


def test_news_that_a_sender_or_reviewer_never_got_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("bob", "handoff_report", "A", status="done")
    work.asked("bob", "handoff_update", "A", action="message")
    done, said = "bob: done -- bob-00002", "bob: said -- bob-00003"
    work.file("A", "write", "ann: sent", "bob: taken", done, said, review="eve")
    text = "bob-00003"
    ledgers = {name: Ledger(tmp_path / f"{name}.jsonl") for name in ("ann", "eve")}
    ledgers["ann"].hear([("A", "taken", "bob", ""), ("A", "said", "bob", text)], "1")
    ledgers["ann"].hear([("A", "said", "bob", text)], "2")
    ledgers["eve"].hear([("A", "done", "bob", ""), ("A", "said", "bob", text)], "1")

    found = sorted(str(v) for v in unheard(work.found, ledgers))

    assert found == [
        "heard-twice: ann of bob-00003 2 times",
        "unheard: ann of done of shop/A",
        "unheard: eve of taken of shop/A",
    ]


@pytest.mark.parametrize(("to", "missing"), [("bob", 1), ("coordinator", 0)])
def test_what_waits_for_a_person_needs_no_alarm(
    tmp_path: Path, to: str, missing: int
) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("ann", "handoff_send", "B", after=["A"])
    work.asked("bob", "handoff_update", "A", action="fail")
    work.file("A", "read_only", "ann: sent", "bob: failed -- bob-00002")
    work.file("B", "read_only", "ann: sent", to=to)

    looks = [Look("shop", 6.0, 6.1, frozenset())]
    assert len([*alarms_as_expected(work.found, looks)]) == missing


class Claims:
    """Calls of a tool, a second each."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def asked(
        self, actor: str, action: str, path: str, code: str = "", **more: Any
    ) -> None:
        at = float(10 * len(self.calls))
        request = {"action": action, "paths": [path], "repository": "web", **more}
        answer, status = ({"code": code}, 409) if code else ({}, 200)
        key = f"{actor}-{len(self.calls)}"
        call = Call(actor, key, "files_claim", request, at, at + 1, status, answer, "s")
        self.calls.append(call)

    def wrong(self, *looks: Look) -> list[str]:
        return [str(v) for v in claims_wrong(self.calls, looks)]


def test_two_holders_of_a_file_are_found() -> None:
    claims = Claims()
    claims.asked("ann", "claim", "src")
    claims.asked("bob", "claim", "src/api")
    claims.asked("eve", "claim", "docs")

    assert claims.wrong() == ["two-holders: web:src ann bob"]


def test_a_claim_ends_by_release_and_by_itself() -> None:
    claims = Claims()
    claims.asked("ann", "claim", "src")
    claims.asked("ann", "release", "src")
    claims.asked("bob", "claim", "src/api", minutes=1)
    for _ in range(8):
        claims.asked("eve", "list", "docs", code="claim-nothing")
    claims.asked("cid", "claim", "src")

    assert claims.wrong() == []


def test_a_refusal_without_a_holder_and_a_claim_that_is_lost_are_found() -> None:
    claims = Claims()
    claims.asked("ann", "claim", "src", code="files-claimed")
    claims.asked("ann", "claim", "src")
    claims.asked("bob", "claim", "src/api", code="files-claimed")
    claims.asked("ann", "renew", "src", code="claim-ended")

    assert claims.wrong() == ["claim-refused: ann-0", "claim-lost: ann-3"]


def test_an_overlap_that_was_forced_is_an_alarm_and_no_other_is() -> None:
    claims = Claims()
    claims.asked("ann", "claim", "src")
    claims.asked("bob", "claim", "src/api", force=True)
    claims.asked("bob", "release", "src/api")
    names = "s/ann|web:src|bob|web:src/api"
    told = frozenset({("claims", names)})
    looks = [
        Look("s", 12.0, 12.1, frozenset()),
        Look("s", 14.0, 14.1, frozenset()),
        Look("s", 15.0, 15.1, told),
        Look("s", 40.0, 40.1, told),
    ]

    wrong = [each.partition(":")[0] for each in claims.wrong(*looks)]

    assert wrong == ["alarm-missing", "alarm-unexpected"]
    assert alarms_of_claims(claims.calls) == 1
