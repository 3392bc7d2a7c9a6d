"""What is added to a log stands at its end, and can be taken out to the character."""

from __future__ import annotations

from typing import Any

import pytest

from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.formats.base import FormatError
from memoryhub.journal.verbs import Limits, verb_of

LIMITS = Limits(20, 30)
LOG = "# 2026-11-20\n\nStarted.\n"
NOTE = {"label": "note", "text": "- learned\n"}
DRAFT: dict[str, Any] = {
    "label": "Ship",
    "timestamp": "2026-11-20T10:00:00",
    "draft": {"goal": "Ship", "phase": "testing", "next_steps": ["Test"]},
}


def done(verb: str, log: str, payload: dict[str, Any]) -> str:
    return verb_of(verb).apply(log, payload, LIMITS)


def undone(verb: str, log: str, payload: dict[str, Any], after: str) -> str:
    """Return what taking an operation back makes of a log."""
    inverse, back = verb_of(verb).inverse(log, payload, LIMITS)
    return done(inverse, after, back)


def ids(log: str) -> list[str]:
    return [snapshot.snapshot_id for snapshot in find_snapshots(log)]


@pytest.mark.parametrize(
    ("log", "text", "after"),
    [
        ("", "a", "a"),
        ("a", "b", "a\nb"),
        ("a", "\nb", "a\nb"),
        ("a\n", "b", "a\nb"),
        ("a\n", "\nb\n", "a\n\nb\n"),
        ("a\r\n", "b", "a\r\nb"),
    ],
)
def test_texts_are_joined_as_openclaw_joins_them(
    log: str, text: str, after: str
) -> None:
    payload = {"label": "", "text": text}

    assert done("append_text", log, payload) == after
    assert undone("append_text", log, payload, after) == log


def test_a_text_is_taken_out_from_between_others() -> None:
    after = done("append_text", "a", NOTE) + "more\n"

    assert undone("append_text", "a", NOTE, after) == "a\nmore\n"


def test_a_text_that_was_changed_is_not_taken_out() -> None:
    with pytest.raises(FormatError, match=r"^item-not-there"):
        undone("append_text", LOG, NOTE, LOG + "- learnt\n")


def test_a_text_counts_as_lines_of_its_own() -> None:
    value = verb_of("append_text").value

    assert value("- learned\n- learned\r\nnot - learned\n- learned x\n", NOTE) == 2


def test_snapshots_of_a_day_are_numbered() -> None:
    once = done("append_snapshot", LOG, DRAFT)
    later = {**DRAFT, "timestamp": "2026-11-20T11:00:00"}
    twice = done("append_snapshot", once, later)

    assert ids(twice) == ["2026-11-20-01", "2026-11-20-02"]
    assert twice.startswith(once)
    assert verb_of("append_snapshot").value(twice, DRAFT) == "2026-11-20-01"


def test_a_new_log_has_a_title() -> None:
    assert done("append_snapshot", "", DRAFT).startswith("# 2026-11-20\n\n---\n\n## ")


@pytest.mark.parametrize("log", ["", LOG, "open\n```\ncode", LOG.replace("\n", "\r\n")])
def test_a_snapshot_is_taken_out_to_the_character(log: str) -> None:
    after = done("append_snapshot", log, DRAFT)

    assert ids(after) == ["2026-11-20-01"]
    assert undone("append_snapshot", log, DRAFT, after + "Later.\n") in (
        log + "Later.\n",
        log + "\nLater.\n",
    )
    assert undone("append_snapshot", log, DRAFT, after) == log


def test_the_first_of_two_equal_snapshots_can_be_taken_out() -> None:
    once = done("append_snapshot", LOG, DRAFT)
    twice = done("append_snapshot", once, DRAFT)
    verb, back = verb_of("append_snapshot").inverse(LOG, DRAFT, LIMITS)

    assert verb_of(verb).value(twice, back) == "2026-11-20-01"
    assert ids(done(verb, twice, back)) == ["2026-11-20-02"]


@pytest.mark.parametrize(
    "draft",
    [
        {"code": "## Next Steps\nfaked"},
        {"goal": "x\n\n### [SNAPSHOT] Next Steps"},
        {"blockers": ["a\n<!-- /BIG-MEMORY-SNAPSHOT -->"]},
    ],
)
def test_no_value_can_end_its_section(draft: dict[str, Any]) -> None:
    payload = {**DRAFT, "draft": {**DRAFT["draft"], **draft}}

    with pytest.raises(FormatError, match=r"^snapshot-breaks-block"):
        done("append_snapshot", LOG, payload)
