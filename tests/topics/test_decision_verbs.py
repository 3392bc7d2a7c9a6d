"""Decisions added to files and taken out of them again."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from memoryhub.dialects.decision_log import parse_decision, with_sign_off
from memoryhub.formats.base import FormatError
from memoryhub.journal.verbs import Limits, register, verb_of

LIMITS = Limits(20, 30)
LINE = "2026-11-20: Use events (polling hits the rate limit)"
LOG = "# Decisions\n\n- 2026-11-01: Poll -- simple\n"


def applied(verb: str, before: str, **payload: Any) -> str:
    return verb_of(verb).apply(before, {"text": LINE, **payload}, LIMITS)


def taken_back(verb: str, text: str, **payload: Any) -> str:
    said = {"text": LINE, **payload}
    name, inverse = verb_of(verb).inverse(text, said, LIMITS)
    return verb_of(name).apply(verb_of(verb).apply(text, said, LIMITS), inverse, LIMITS)


@pytest.mark.parametrize("verb", ["add_decision", "supersede", "reject"])
def test_a_log_gets_a_line_at_its_end(verb: str) -> None:
    assert applied(verb, LOG, log=True) == f"{LOG}- {LINE}\n"
    assert taken_back(verb, LOG, log=True) == LOG


def test_a_log_that_is_not_there_is_begun() -> None:
    assert applied("add_decision", "", log=True) == f"# Decisions\n\n- {LINE}\n"


def test_the_exact_words_are_written() -> None:
    text = "Use a -- b — c (d"

    assert applied("add_decision", LOG, log=True, text=text).endswith(f"- {text}\n")


def test_a_line_taken_out_of_a_log_comes_back_to_its_place() -> None:
    text = f"# Decisions\n\n- {LINE}\n- later\n"

    assert taken_back("remove_decision", text, log=True) == text


def test_a_line_that_is_not_there_cannot_be_taken_out() -> None:
    with pytest.raises(FormatError) as refused:
        applied("remove_decision", LOG, log=True)

    assert refused.value.code == "item-not-there"


@pytest.mark.parametrize("text", ["", " \t", "a\nb"])
def test_a_decision_is_one_line(text: str) -> None:
    with pytest.raises(FormatError):
        applied("add_decision", LOG, log=True, text=text)


def test_two_verbs_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match="add_decision"):
        register({"add_decision": verb_of("bind")})


@pytest.mark.parametrize(
    ("line", "signed"),
    [
        ("2026-11-20: Use events", "2026-11-20: Use events (signed off by Dana {day})"),
        (
            "Use events (fast; supersedes Poll)",
            "Use events (fast; supersedes Poll; signed off by Dana {day})",
        ),
        ("Use events -- fast", "Use events -- fast (signed off by Dana {day})"),
        ("Use f(x)", "Use f(x) (signed off by Dana {day})"),
    ],
)
def test_a_sign_off_goes_into_a_line_and_changes_nothing_else(
    line: str, signed: str
) -> None:
    day = date(2026, 11, 21)

    assert with_sign_off(line, "Dana", day) == signed.format(day=day)
    assert parse_decision(with_sign_off(line, "Dana", day)).signed_off_on == day


@pytest.mark.parametrize(
    ("line", "name"),
    [("Use x (signed off by Dana)", "Eve"), ("Use x (fast)", "A; B"), ("Use x", "A)")],
)
def test_a_sign_off_that_could_not_be_read_again_has_no_place(
    line: str, name: str
) -> None:
    with pytest.raises(FormatError):
        with_sign_off(line, name, date(2026, 11, 21))


def test_the_last_line_that_says_it_is_signed_and_it_can_be_taken_back() -> None:
    text = f"- {LINE}\r\n- other\r\n- {LINE}\r\n"
    said = {"old": f"- {LINE}", "new": f"- {LINE} (signed off by Dana 2026-11-21)"}
    verb = verb_of("sign_decision")
    signed = verb.apply(text, said, LIMITS)
    name, inverse = verb.inverse(text, said, LIMITS)

    assert signed == f"- {LINE}\r\n- other\r\n{said['new']}\r\n"
    assert verb.value(signed, said) == verb.value(signed, inverse)
    assert verb_of(name).apply(signed, inverse, LIMITS) == text
