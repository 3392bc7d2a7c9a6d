"""Operations as changes of text, and every way back."""

from __future__ import annotations

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.journal.verbs import Limits, Payload, verb_of
from topics.exporters import new_topic

NONE = Limits(20, 30)
TEXT = """# auth

## Current Status
Half done.

## Key Decisions
- 2026-11-01: Use JWT (stateless)
  and nothing else
- 2026-11-02: Rotate keys

## History
- one
- one
"""


@pytest.mark.parametrize("verb", ["add_decision", "add_history"])
@pytest.mark.parametrize("text", ["", "  ", "one\ntwo"])
def test_an_entry_is_one_line(verb: str, text: str) -> None:
    with pytest.raises(FormatError):
        verb_of(verb).apply(TEXT, {"text": text}, NONE)


@pytest.mark.parametrize("verb", ["remove_decision", "remove_history"])
def test_what_is_not_there_cannot_be_removed(verb: str) -> None:
    with pytest.raises(FormatError):
        verb_of(verb).inverse(TEXT, {"text": "never said"}, NONE)


def test_of_equal_entries_the_newest_goes() -> None:
    verb = verb_of("remove_history")

    text = verb.apply(TEXT, {"text": "one"}, NONE)

    assert text == TEXT.removesuffix("- one\n")
    assert (verb.value(TEXT, {"text": "one"}), verb.value(text, {"text": "one"})) == (
        2,
        1,
    )


def test_an_entry_is_put_back_with_all_its_lines_where_it_was() -> None:
    payload = {"text": "2026-11-01: Use JWT (stateless)"}
    removed = verb_of("remove_decision").apply(TEXT, payload, NONE)

    verb, back = verb_of("remove_decision").inverse(TEXT, payload, NONE)

    assert "nothing else" not in removed
    assert verb_of(verb).apply(removed, back, Limits(1, 1)) == TEXT


def test_dropped_entries_come_back_when_the_adding_is_undone() -> None:
    payload, limits = {"text": "new"}, Limits(2, 30)
    added = verb_of("add_decision").apply(TEXT, payload, limits)

    verb, back = verb_of("add_decision").inverse(TEXT, payload, limits)

    assert "Use JWT" not in added
    assert verb_of(verb).apply(added, back, limits) == TEXT


def test_the_day_is_noted_only_where_a_file_keeps_it() -> None:
    payload = {"text": "Done.", "today": "2026-11-20"}
    kept = new_topic("auth", "2026-11-01").replace(
        "2026-11-01\n\n", "2026-11-01\n- **updated**: 2026-11-01\n\n", 1
    )

    assert "2026-11-20" not in verb_of("set_status").apply(TEXT, payload, NONE)
    assert "- **updated**: 2026-11-20\n" in verb_of("set_status").apply(
        kept, payload, NONE
    )


def test_a_file_without_sections_gets_those_it_needs() -> None:
    text = verb_of("add_decision").apply("just words", {"text": "Use JWT"}, NONE)

    assert text == "just words\n\n## Key Decisions\n- Use JWT\n"


@pytest.mark.parametrize("verb", ["checkpoint", "auto_save"])
@pytest.mark.parametrize("told", ["three", "three\n- four", "three\nfour", ""])
@pytest.mark.parametrize("limits", [NONE, Limits(2, 2)])
def test_a_save_is_taken_back_line_by_line(
    verb: str, told: str, limits: Limits
) -> None:
    before = new_topic("auth", "2026-11-20") + "- one\n"
    before = verb_of("auto_save").apply(before, saved("two"), NONE)
    payload = saved(told)
    after = verb_of(verb).apply(before, payload, limits)

    back, taken = verb_of(verb).inverse(before, payload, limits)

    assert told in after
    assert verb_of(back).apply(after, taken, limits) == before


def saved(history: str) -> Payload:
    return {
        "topic": "auth",
        "today": "2026-11-20",
        "session": "",
        "status": "",
        "decisions": [],
        "history": history,
    }
