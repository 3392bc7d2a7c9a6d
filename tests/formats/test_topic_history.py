from __future__ import annotations

import datetime

import pytest

from memoryhub.dialects.topic_context import (
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
    assert compaction_of(compaction_text(DAY, 280, 45)) == (280, 45)
    assert compaction_of(compaction_text(DAY, "undefined", 45)) == (None, 45)


def test_it_reads_soulclaws_compaction() -> None:
    text = "compaction completed (120 messages compacted)"

    assert compaction_of(text) == (120, None)
    assert compaction_of(f"2026-03-10: {text}") == (120, None)


def test_a_count_that_is_no_number_is_unknown() -> None:
    assert compaction_of(compaction_text(DAY, 280, "NaN")) == (280, None)
    assert compaction_of(compaction_text(DAY, "²", "٣")) == (None, None)


def test_it_reads_auto_saves() -> None:
    assert auto_saved_of(auto_saved_text(DAY, 7)) == ("compaction", 7)
    assert auto_saved_of("auto-saved before compaction (150 messages)") == (
        "compaction",
        150,
    )
    assert auto_saved_of(reset_text(DAY)) == ("reset", None)
    assert auto_saved_of(reset_text(DAY, "a (9 messages) b")) == (
        "a (9 messages) b",
        None,
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
