from __future__ import annotations

from datetime import datetime

import pytest

from memoryhub.compaction.breaker import (
    Breaker,
    breaker_of,
    breakers_of,
    changes_breakers,
    clearing_line,
    failure_line,
    parse_line,
    success_line,
)
from memoryhub.dialects import error_log
from memoryhub.formats.base import FormatError

OPEN = """# Errors

- 2026-11-19 16:58 scout: FileNotFound memory/context-search.md
- 2026-11-19 17:09 scout: L2 failure 1 of 3: summary longer
- 2026-11-19 17:14 scout: L2 failure 2 of 3: timed out after 120 s
- 2026-11-19 17:21 scout: L2 failure 3 of 3: timed out, circuit breaker open, L1 only
- 2026-11-20 07:55 docs: L2 failure 1 of 3: timed out after 120 s
"""


def breakers(text: str) -> dict[str, Breaker]:
    return {b.agent: b for b in breakers_of(error_log.errors_in(text))}


def test_three_failures_in_a_row_open_it() -> None:
    found = breakers(OPEN)

    assert found["scout"].is_open and found["scout"].failures == 3
    assert found["scout"].at == datetime(2026, 11, 19, 17, 21)
    assert found["scout"].line == 6
    assert not found["docs"].is_open and found["docs"].failures == 1


def test_a_log_without_compactions_has_no_breaker() -> None:
    assert breakers("- 2026-11-19 scout: FileNotFound x.md\n") == {}


def test_failures_without_a_count_add_up_until_it_works() -> None:
    failed = "- 2026-11-19 scout: L2 failed, timed out\n"

    assert breakers(failed * 3)["scout"].is_open
    worked = breakers(failed * 2 + "- scout: compaction completed\n" + failed)
    assert worked["scout"].failures == 1


def test_the_count_of_a_line_is_taken_at_its_word() -> None:
    text = "- a: L2 failure 2 of 3: x\n- a: L2 failure 1 of 3: after a restart\n"

    assert breakers(text)["a"].failures == 1


def test_a_line_of_the_operator_closes_it() -> None:
    line = clearing_line("scout", "model was slow", by="dana", at="2026-11-20 09:12")

    found = breakers(f"{OPEN}- {line}\n")["scout"]

    said = "2026-11-20 09:12 dana: circuit breaker of scout cleared: model was slow"
    assert line == said
    assert (found.is_open, found.failures, found.cleared_by) == (False, 0, "dana")


def test_clearing_one_leaves_the_others_open() -> None:
    other = OPEN.replace("scout", "docs2")

    found = breakers(f"{OPEN}{other}- dana: circuit breaker of scout cleared: why\n")

    assert not found["scout"].is_open and found["docs2"].is_open


def test_it_opens_again_after_it_was_cleared() -> None:
    cleared = f"{OPEN}- dana: circuit breaker cleared: try again\n"

    found = breakers(cleared + "- scout: L2 failure 3 of 3: again\n")["scout"]

    assert found.is_open and not found.cleared_by


def test_a_clearing_needs_a_reason_of_one_line() -> None:
    for reason in ("", "  ", "two\nlines"):
        with pytest.raises(FormatError):
            clearing_line("scout", reason, by="dana", at="2026-11-20")


def test_lines_without_a_name_are_of_nobody() -> None:
    assert parse_line("2026-11-20: L2: failed").who == ""
    assert parse_line("[2026-11-20 10:00] **scout**: L2 failed").who == "scout"
    assert breakers("- L2 failed\n" * 3)[""].is_open


def test_reports_of_the_hub_count_whatever_their_reasons_say() -> None:
    reasons = ("circuit breaker cleared", "fail 0 of 3", "it worked, L2 ok")
    lines = (failure_line("scout", why, at="2026-11-20 09:00") for why in reasons)
    text = "".join(f"- {line}\n" for line in lines)

    assert breakers(text)["scout"].is_open
    assert breakers(text)["scout"].failures == 3


def test_a_report_of_success_ends_the_row() -> None:
    failed = f"- {failure_line('scout', 'late', at='2026-11-20 09:00')}\n"
    text = failed * 2 + f"- {success_line('scout', at='2026-11-20 09:05')}\n"

    errors = error_log.errors_in(text + failed)
    assert breaker_of(errors, "scout").failures == 1
    assert breaker_of(errors, "docs") == Breaker("docs")


@pytest.mark.parametrize(
    "line",
    [
        clearing_line("scout", "model was slow", by="dana", at="2026-11-20 09:12"),
        success_line("scout", at="2026-11-20 09:12"),
        "scout: L2 failure 1 of 3: again",
        "docs: L2 failure 3 of 3: timed out, circuit breaker open, L1 only",
    ],
)
def test_a_line_that_changes_a_breaker_is_known_without_the_log(line: str) -> None:
    assert breakers(f"{OPEN}- {line}\n") != breakers(OPEN)
    assert changes_breakers(error_log.errors_in(f"- {line}\n"))


def test_other_errors_change_no_breaker() -> None:
    line = "- 2026-11-20 09:12 scout: FileNotFound memory/context-search.md\n"

    assert not changes_breakers(error_log.errors_in(line))
    assert breakers(OPEN + line) == breakers(OPEN)
