"""Which line of a log, or which result, decides the state of a handoff."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from memoryhub.dialects.handoff import deciding, state_after, state_of_verb


class Report(NamedTuple):
    """A line or a result, and the revision of the file that it came with."""

    verb: str
    seq: int
    is_result: bool = False


def result(status: str, seq: int) -> Report:
    return Report(status, seq, is_result=True)


@pytest.mark.parametrize(
    ("reports", "decided"),
    [
        ([], None),
        ([Report("said", 1), Report("signed off", 1)], None),
        ([Report("taken", 1), Report("said", 2)], Report("taken", 1)),
        ([Report("taken", 1), result("done", 2)], result("done", 2)),
        ([Report("taken", 2), result("done", 2)], result("done", 2)),
        ([Report("taken", 3), result("done", 2)], Report("taken", 3)),
        ([Report("taken", 1), result("ready", 2)], Report("taken", 1)),
        ([Report("done", 2), result("done", 2)], Report("done", 2)),
        ([Report("done", 1), result("done", 2)], result("done", 2)),
        ([Report("done", 3), Report("sent", 4), result("done", 2)], Report("sent", 4)),
        # Two results came together, and one line stands for one of them.
        ([Report("done", 2), result("done", 2), result("done", 2)], result("done", 2)),
        ([result("done", 1), result("failed", 2)], result("failed", 2)),
    ],
)  # fmt: skip
def test_the_last_verb_decides_or_a_newer_result_without_a_line(
    reports: list[Report], decided: Report | None
) -> None:
    assert deciding(reports) == decided


@pytest.mark.parametrize(
    ("reports", "state"),
    [
        ([Report("done", 1), Report("sent back", 2)], "open"),
        ([Report("taken", 1), Report("sent back", 2)], "returned"),
        ([Report("withdrawn", 1), Report("said", 1), Report("sent back", 2)], "open"),
        ([Report("sent back", 2), result("done", 1)], "open"),
        ([Report("sent back", 2), result("done", 2)], "done"),
        ([Report("sent back", 2), result("done", 3)], "done"),
        ([Report("sent back", 2), result("blocked", 1)], "returned"),
        ([Report("taken", 1), Report("sent back", 2), Report("said", 3)], "returned"),
        ([Report("accepted", 1)], "done"),
        ([], "open"),
    ],
)
def test_work_that_had_ended_is_open_again_when_it_is_sent_back(
    reports: list[Report], state: str
) -> None:
    assert state_after(reports, deciding(reports)) == state


@pytest.mark.parametrize(
    ("verb", "reviewed", "plain"),
    [
        ("done", "review", "done"),
        ("accepted", "done", "done"),
        ("failed", "failed", "failed"),
        ("sent back", "returned", "returned"),
    ],
)
def test_only_done_work_waits_for_its_review(
    verb: str, reviewed: str, plain: str
) -> None:
    assert state_of_verb(verb, review=True) == reviewed
    assert state_of_verb(verb, review=False) == plain
    reports = [Report(verb, 1)]
    assert state_after(reports, reports[0], review=True) == reviewed
    assert state_after(reports, reports[0]) == plain
