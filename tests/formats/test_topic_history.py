from __future__ import annotations

import datetime

import pytest

from memoryhub.dialects.topic_context import (
    AutoSave,
    Compaction,
    auto_saved_of,
    auto_saved_text,
    compaction_of,
    compaction_text,
    created_text,
    reset_text,
)

DAY = datetime.date(2026, 3, 10)


def test_it_writes_the_hooks_lines() -> None:
    assert created_text(DAY) == "2026-03-10: Context created"
    assert (
        auto_saved_text(DAY, 280)
        == "2026-03-10: Auto-saved before compaction (280 messages)"
    )
    assert reset_text(DAY) == "2026-03-10: Auto-saved before reset"
    assert reset_text(DAY, "idle") == "2026-03-10: Auto-saved before idle"


def test_it_reads_its_own_compaction() -> None:
    assert compaction_of(compaction_text(DAY, 280, 45)) == Compaction(280, 45, DAY)
    assert compaction_of(compaction_text(DAY, "undefined", 45)) == Compaction(
        None, 45, DAY
    )


def test_it_reads_soulclaws_compaction() -> None:
    text = "compaction completed (120 messages compacted)"

    assert compaction_of(text) == Compaction(120, None, None)
    assert compaction_of(f"2026-03-10: {text}") == Compaction(120, None, DAY)


def test_a_count_that_is_no_number_is_unknown() -> None:
    assert compaction_of(compaction_text(DAY, 280, "NaN")) == Compaction(280, None, DAY)
    assert compaction_of(compaction_text(DAY, "²", "٣")) == Compaction(None, None, DAY)


def test_it_reads_auto_saves() -> None:
    assert auto_saved_of(auto_saved_text(DAY, 7)) == AutoSave("compaction", 7, DAY)
    assert auto_saved_of("auto-saved before compaction (150 messages)") == AutoSave(
        "compaction", 150, None
    )
    assert auto_saved_of(reset_text(DAY)) == AutoSave("reset", None, DAY)
    assert auto_saved_of(reset_text(DAY, "a (9 messages) b")) == AutoSave(
        "a (9 messages) b", None, DAY
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Context created",
        "Compaction completed",
        "Compaction completed (280→45 messages) twice",
        "auto-saved before ",
    ],
)
def test_other_lines_are_neither(text: str) -> None:
    assert compaction_of(text) is None
    assert auto_saved_of(text) is None
