from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from memoryhub.formats.openclaw import startup_context as startup
from memoryhub.formats.openclaw.startup_context import (
    DailyFile,
    QuotedFile,
    quoted_files,
)


def file(text: str, path: str = "memory/2026-11-20.md") -> DailyFile:
    return DailyFile(path, text, len(text.encode()))


def test_a_short_file_is_quoted_whole() -> None:
    (quoted,) = quoted_files([file("Looked at it.\n")])

    assert quoted == QuotedFile(
        "memory/2026-11-20.md",
        "[Untrusted daily memory: memory/2026-11-20.md]\nBEGIN_QUOTED_NOTES\n"
        "```text\nLooked at it.\n```\nEND_QUOTED_NOTES",
    )


def test_fences_in_notes_are_escaped() -> None:
    (quoted,) = quoted_files([file("```sh\nls\n```")])

    assert "\\`\\`\\`sh\nls\n\\`\\`\\`\n```\nEND" in quoted.block


def test_a_long_file_ends_with_a_mark_of_its_limit() -> None:
    (quoted,) = quoted_files([file("x" * 1_201)])

    assert quoted.cut == "file-chars"
    assert f"{'x' * 1_200}\n...[truncated]...\n```" in quoted.block


def test_a_file_of_too_many_bytes_is_not_given_at_all() -> None:
    (quoted,) = quoted_files([file("x" * 16_385)])

    assert (quoted.block, quoted.cut) == ("", "file-bytes")


def test_all_files_together_stay_within_the_limit() -> None:
    files = [file("x" * 1_000, f"memory/{n}.md") for n in range(6)]

    found = quoted_files(files)

    assert sum(len(quoted.block) for quoted in found) <= 2_800
    assert [quoted.cut for quoted in found] == ["", "", *["total-chars"] * 4]
    assert found[2].block and not found[3].block


def test_characters_of_two_units_count_twice() -> None:
    (quoted,) = quoted_files([file("\U0001f600" * 601)])

    assert quoted.cut == "file-chars"
    assert quoted.block.count("\U0001f600") == 600


def test_blank_files_are_passed_over() -> None:
    assert quoted_files([file(" \n\ufeff")]) == []
    assert startup.startup_text([], more=False) == ""


def test_the_day_of_utc_is_read_where_it_is_another_one() -> None:
    auckland = datetime(2026, 11, 20, 20, tzinfo=UTC).astimezone(
        ZoneInfo("Pacific/Auckland")
    )
    samoa = datetime(2026, 11, 20, 23, 30, tzinfo=ZoneInfo("Pacific/Pago_Pago"))

    assert startup.days_read(auckland) == [date(2026, 11, 21), date(2026, 11, 20)]
    assert startup.days_read(samoa)[0] == date(2026, 11, 21)


def test_an_index_past_its_limit_keeps_its_head_and_its_tail() -> None:
    text = startup.index_text("MEMORY.md", "a" * 20_000 + "b" * 10_000)

    assert "[...truncated, read MEMORY.md for full content...]" in text
    assert "kept 14000+4000 chars of 30000" in text
    assert text.endswith("b" * 4_000)
