from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.decision_log import (
    DecisionText,
    normalise,
    parse_decision,
    render_decision,
    settled,
    with_sign_off,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.list_items import split_reason

DAY = datetime.date(2026, 3, 2)


def test_it_reads_every_part() -> None:
    line = (
        "- 2026-03-02: Use SQLite (one machine; supersedes 2026-02-01: Use files; "
        "signed off by Ada Byron 2026-03-02)"
    )

    assert parse_decision(line) == DecisionText(
        DAY, "Use SQLite", "one machine", "2026-02-01: Use files", "Ada Byron", DAY
    )


def test_it_reads_the_parts_in_any_order() -> None:
    line = (
        "Use SQLite (signed off by ada; supersedes 2026-02-01: Use files; one machine)"
    )

    read = parse_decision(line)

    assert (read.reason, read.signed_off_by) == ("one machine", "ada")
    assert read.supersedes == "2026-02-01: Use files"


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        ("Signed Off By ada; SUPERSEDES old; why", ("why", "old", "ada", None)),
        ("a; b; supersedes C; d; e", ("a; b", "C; d; e", "", None)),
        ("supersedes C; d", ("d", "C", "", None)),
        ("a; supersedes C; signed off by ada; d", ("a; d", "C", "ada", None)),
        ("signed off by Ada X  2026-03-02", ("", "", "Ada X", DAY)),
        ("signed off by 2026-03-02", ("", "", "2026-03-02", None)),
        ("signed off by Ada 2026-13-02", ("", "", "Ada 2026-13-02", None)),
        (" a (b; c); d ;; ", ("a (b; c); d", "", "", None)),
        ("a ((b); supersedes C); d", ("a ((b); supersedes C); d", "", "", None)),
    ],
)
def test_it_reads_what_the_parentheses_hold(
    parts: str, read: tuple[str, str, str, datetime.date | None]
) -> None:
    one = parse_decision(f"Use X ({parts})")

    assert (one.reason, one.supersedes, one.signed_off_by, one.signed_off_on) == read


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("REJECTED:Use X", "Use X"),
        ("- - Use X", "- Use X"),
        ("Use X (a) (b)", "Use X (a)"),
        ("Use a) b (c)", "Use a) b"),
        ("(a) b (c)", "(a) b"),
        ("Use X(a)", "Use X(a)"),
        ("Use X ( )", "Use X ( )"),
    ],
)
def test_only_parentheses_behind_a_blank_are_cut_off(line: str, text: str) -> None:
    assert parse_decision(line).text == text


def test_the_old_decision_may_hold_a_semicolon_and_parentheses() -> None:
    line = "Use B (fast; supersedes 2026-02-01: Use A; no cache (slow; old))"

    assert parse_decision(line).supersedes == "2026-02-01: Use A; no cache (slow; old)"


def test_it_reads_a_rejection() -> None:
    read = parse_decision("2026-03-02: Rejected: Use MongoDB (no joins)")

    assert (read.rejected, read.text, read.reason) == (True, "Use MongoDB", "no joins")


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        ("Use X -- fast", "Use X", "fast"),
        ("Use X — fast", "Use X", "fast"),
        ("Use X -- fast (see #12)", "Use X", "fast (see #12)"),
        ("Use X -- fast (signed off by ada)", "Use X", "fast"),
        ("Use X -- fast (cheap; signed off by ada)", "Use X", "fast; cheap"),
        ("Use X (fast; cheap)", "Use X", "fast; cheap"),
        ("Use X – fast – cheap", "Use X", "fast – cheap"),
        ("Use X -- fast (supersedes Y)", "Use X", "fast"),
        ("Use X -- fast (cheap; supersedes Y)", "Use X", "fast; cheap"),
        ("API: keep REST", "API: keep REST", ""),
        ("Call f(x)", "Call f(x)", ""),
        ("(all of it)", "(all of it)", ""),
        ("Odd ) paren (x))", "Odd ) paren (x))", ""),
        ("", "", ""),
    ],
)
def test_it_reads_a_reason(line: str, text: str, reason: str) -> None:
    read = parse_decision(line)

    assert (read.text, read.reason) == (text, reason)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Use X -- fast: really", ("Use X", "fast: really")),
        ("Use X: fast: because", ("Use X", "fast: because")),
        ("Use X — fast", ("Use X", "fast")),
        ("Use X", ("Use X", "")),
        (" -- fast", ("-- fast", "")),
        ("Use X — fast -- cheap", ("Use X — fast", "cheap")),
        (" Use X : fast ", ("Use X", "fast")),
        (": fast ", (": fast", "")),
        ("a:b", ("a:b", "")),
        ("Use X:", ("Use X:", "")),
    ],
)
def test_it_splits_the_rationale_off(text: str, parts: tuple[str, str]) -> None:
    assert split_reason(text) == parts


_WORDS = st.text(alphabet="abc é数", min_size=1).map(str.strip).filter(bool)


@given(_WORDS, _WORDS | st.just(""), _WORDS | st.just(""), st.booleans())
def test_what_it_writes_it_reads_back(
    text: str, reason: str, name: str, no: bool
) -> None:
    decision = DecisionText(DAY, text, reason, "2026-02-01: old", name, None, no)

    assert parse_decision(render_decision(decision)) == decision


def test_a_rejected_decision_is_written_with_a_capital_after_its_day() -> None:
    decision = parse_decision("2026-11-05: rejected: use MongoDB (no joins)")

    assert render_decision(decision) == "2026-11-05: Rejected: use MongoDB (no joins)"


@given(st.text(alphabet="()-; :a\n—2026"))
def test_it_reads_any_text(text: str) -> None:
    assert isinstance(parse_decision(text), DecisionText)
    assert isinstance(normalise(text), str)


def test_one_decision_has_one_identity() -> None:
    writings = [
        "2026-03-02: Use **SQLite**  for search (fast)",
        "use sqlite for search.",
        "Use `SQLite` for search -- no server",
        "2026-04-01: Rejected: Use SQLite for search!",
        "Use ＳＱＬｉｔｅ for search",
    ]

    assert {normalise(writing) for writing in writings} == {"use sqlite for search"}


def test_every_part_is_written_with_its_words() -> None:
    signed = DecisionText(None, "a", "", "b", "Ada", DAY)

    assert render_decision(signed) == "a (supersedes b; signed off by Ada 2026-03-02)"
    assert render_decision(DecisionText(DAY, "a")) == "2026-03-02: a"


def test_an_identity_is_never_empty_for_a_text() -> None:
    assert normalise("!?") == "!?"


def test_a_long_line_of_parentheses_is_read() -> None:
    assert parse_decision("a " + "(" * 100_000 + ")" * 99_999).text


@pytest.mark.parametrize(
    ("line", "signed"),
    [
        ("Use queues", "Use queues (signed off by Dana 2026-11-02)"),
        ("Use queues (they last)  ",
         "Use queues (they last; signed off by Dana 2026-11-02)"),
        ("2026-11-01: A (b; supersedes C (d))",
         "2026-11-01: A (b; supersedes C (d); signed off by Dana 2026-11-02)"),
    ],
)  # fmt: skip
def test_a_sign_off_is_added_to_a_line(line: str, signed: str) -> None:
    day = datetime.date(2026, 11, 2)

    assert with_sign_off(line, "Dana", day) == signed
    assert parse_decision(signed).signed_off_by == "Dana"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("A (signed off by Eve)", "Dana"),
        ("A (b)", "Dana; x"),
        ("A (b", "Dana; not (Eve"),
        ("", "Dana"),
    ],
)
def test_a_sign_off_that_would_be_read_as_something_else_is_refused(
    line: str, name: str
) -> None:
    with pytest.raises(FormatError, match=r"^sign-off-no-place at line 0$"):
        with_sign_off(line, name, datetime.date(2026, 11, 2))


def test_decisions_lapse_by_lines_that_reject_or_replace_them() -> None:
    lines = [
        "Poll",
        "Use a bus",
        "Use queues (supersedes poll.)",
        "Rejected: Use a bus",
    ]

    found = settled(
        [parse_decision(line) for line in [*lines, "Retry"]], {"retry": "x"}
    )

    assert [one.lapsed for one in found] == ["superseded", "rejected", "", "", "x"]
    assert [one.stands for one in found] == [False, False, True, False, False]
    (again,) = settled([parse_decision("use *A*")], {"use a": "rejected"})
    assert (again.text, again.lapsed) == ("use *A*", "rejected")


def test_a_rejection_itself_does_not_lapse() -> None:
    found = settled(map(parse_decision, ["Rejected: a", "B (supersedes **A**.)", "a"]))

    assert [one.lapsed for one in found] == ["", "", "superseded"]


def test_a_decision_does_not_replace_itself() -> None:
    (found,) = settled([parse_decision("Use queues (supersedes use queues)")])

    assert found.stands
