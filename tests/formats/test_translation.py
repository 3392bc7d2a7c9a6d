"""Every dialect in every other: what both hold comes back, what is lost is named."""

from __future__ import annotations

import random
from datetime import date, datetime
from itertools import permutations

import pytest

from memoryhub.dialects.decision_log import DecisionText
from memoryhub.dialects.translation import (
    DIALECTS,
    Frame,
    Remembered,
    dialect_of,
    remembered,
    translate,
    written,
)
from memoryhub.formats.base import FormatError

FRAME = Frame(datetime(2026, 11, 20, 9, 30), topic="api", place="memories/context.md")

FRAME_WITHOUT_PLACE = Frame(FRAME.at)

FULL = Remembered(
    "task_snapshot",
    topic="api",
    goal="Deliver events, so that nobody polls",
    agent="builder",
    recipient="scout",
    type="write",
    session="WFS-1",
    project_root="/srv/app",
    time="2026-11-20T09:30:00",
    place="memories/context.md",
    phase="testing",
    branch="events",
    blocked="no staging key",
    progress="3 of 5",
    last_action="Ran the tests, all pass",
    plan_source="workflow",
    plan="## Phase 1\n- [x] one",
    code="```py\nx = 1\n```",
    notes="Perhaps a queue.",
    decisions=(
        DecisionText(date(2026, 11, 2), "Use events", "polling is slow"),
        DecisionText(None, "Keep REST", "clients"),
    ),
    history=("2026-11-01: Context created", "2026-11-12: Events sent"),
    blockers=("Blocker: no key", "who pays?"),
    next_steps=("write docs", "[ ] push"),
    constraints=("no new packages",),
    dependencies=("zod 4",),
    files=(("/srv/app/a.py", "sends one"), ("/srv/app/b.py", "")),
    reference_files=(("/srv/app/c.md", "spec"),),
    key_names=(("port", "8080"),),
    meta=(("owner", "dana"),),
)

#: What each dialect has a place for.
HELD = {
    "topic_context": {"topic", "goal", "session", "decisions", "history", "meta"},
    "task_snapshot": {
        *("topic", "goal", "agent", "time", "phase", "branch", "blocked", "progress"),
        *("code", "decisions", "blockers", "next_steps", "files", "key_names"),
    },
    "session_compact": {
        *("goal", "session", "project_root", "last_action", "plan_source", "plan"),
        *("notes", "decisions", "history", "blockers", "next_steps", "constraints"),
        *("dependencies", "files", "reference_files"),
    },
    "memory_index": {"goal", "phase", "place"},
    "handoff": {
        *("topic", "goal", "agent", "recipient", "type", "last_action"),
        *("next_steps", "constraints"),
    },
}


PAIRS = list(permutations(DIALECTS, 2))


def fields_of(memory: Remembered) -> set[str]:
    return {field.partition(",")[0] for field, _ in memory.facets()}


def read_as(dialect: str) -> Remembered:
    return remembered(written(FULL, dialect, FRAME), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_holds_what_it_has_a_place_for(dialect: str) -> None:
    lost = {each.field for each in translate(FULL, dialect, FRAME).lost}

    assert {f.partition(",")[0] for f in lost} >= fields_of(FULL) - HELD[dialect]
    assert not lost & HELD[dialect] - {"goal"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_text_is_known_without_its_path(dialect: str) -> None:
    assert dialect_of(written(FULL, dialect, FRAME)) == dialect


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_both_hold_comes_back(first: str, second: str) -> None:
    there = read_as(first)
    away = translate(there, second, FRAME)
    back = translate(remembered(away.text), first, FRAME)

    lost = {each.field for each in away.lost}
    said = list(remembered(back.text, first).facets())
    for facet in there.facets():
        assert (facet[0] in lost) or facet in said, facet
    shared = HELD[first] & HELD[second] - {"goal"}
    assert not lost & shared and "text" not in lost


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_is_lost_is_named_with_its_text(first: str, second: str) -> None:
    there = read_as(first)

    lost = {(each.field, each.text) for each in translate(there, second, FRAME).lost}

    missing = fields_of(there) - HELD[second] - {"time"}
    assert {f for f in there.facets() if f[0] in missing} <= lost


def test_a_date_that_has_no_place_is_named_with_its_decision() -> None:
    lost = translate(read_as("topic_context"), "session_compact", FRAME).lost

    dates = [each.text for each in lost if each.field == "decisions, date"]
    assert dates == ["Use events: 2026-11-02"]


@pytest.mark.parametrize(
    "text", ["Use SQLite (one writer is enough)", "Use SQLite -- one writer is enough"]
)
def test_a_decision_whose_reason_is_in_its_text_is_not_lost(text: str) -> None:
    memory = Remembered(
        "session_compact", goal="Tides", decisions=(DecisionText(None, text),)
    )

    found = {
        to: translate(memory, to, FRAME) for to in ("topic_context", "task_snapshot")
    }

    for to, made in found.items():
        assert "one writer is enough" in made.text
        assert not [part for part in made.lost if "decisions" in part.field], to


def test_a_rejected_decision_never_reads_as_one_that_holds() -> None:
    text = "# a\n\n## Key Decisions\n- 2026-11-01: Rejected: Use XML (too long)\n"

    made = translate(remembered(text), "session_compact", FRAME)

    assert "XML" not in made.text
    assert ("decisions", "Rejected: Use XML") in {(e.field, e.text) for e in made.lost}


def test_a_pointer_is_cut_and_says_so() -> None:
    made = translate(read_as("topic_context"), "memory_index", FRAME)

    assert len(made.text) <= 150 and made.text.endswith("→ memories/context.md\n")
    long = Remembered("handoff", goal="x" * 60)
    assert [e.field for e in translate(long, "memory_index", FRAME).lost] == ["goal"]


def test_a_pointer_to_a_path_with_blanks_carries_nothing_for_sure() -> None:
    memory = Remembered("handoff", goal="Ship", place="my notes.md")

    lost = translate(memory, "memory_index", FRAME_WITHOUT_PLACE).lost

    assert [each.field for each in lost] == ["goal", "place"]


def test_prose_that_no_field_holds_is_named() -> None:
    text = written(FULL, "topic_context", FRAME).replace(
        "## History\n", "## History\nOdd words here.\n"
    )

    lost = translate(remembered(text), "task_snapshot", FRAME).lost

    assert ("text", "Odd words here.") in {(each.field, each.text) for each in lost}


def test_a_status_with_headings_stays_one_status() -> None:
    memory = Remembered("task_snapshot", goal="a\n## History\n- b")

    made = translate(memory, "topic_context", FRAME)

    assert remembered(made.text).history == ()


def test_a_goal_that_would_end_a_block_is_refused() -> None:
    memory = Remembered("handoff", goal="x\n### [SNAPSHOT] Next Steps\n1. y")

    with pytest.raises(FormatError, match=r"^snapshot-breaks-block"):
        translate(memory, "task_snapshot", FRAME)


@pytest.mark.parametrize("text", ["", "plain words", "# A\n\n- b\n"])
def test_a_text_of_no_dialect_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^dialect-unknown"):
        remembered(text)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_odd_texts_never_crash_and_losses_are_always_named(dialect: str) -> None:
    chance = random.Random(7)
    text = written(FULL, dialect, FRAME)
    for _ in range(40):
        lines = text.split("\n")
        place = chance.randrange(len(lines))
        odd = chance.choice(["", "## History", "- x: y", "```", "</task>", "\ud800"])
        lines[place : place + chance.randrange(2)] = [odd]
        try:
            there = remembered("\n".join(lines), dialect)
            for other in DIALECTS:
                made = translate(there, other, FRAME)
                named = {each.field for each in made.lost}
                again = fields_of(remembered(made.text, other))
                assert fields_of(there) <= again | {f.split(",")[0] for f in named}
        except FormatError:
            continue
