from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.memory_bank import (
    MemoryBankFile,
    matches,
    parse,
    role_of,
)
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/memory_bank/samples"
PIECES = st.sampled_from(
    [
        "# Progress",
        "## Current Focus",
        "\n",
        "- [x] ",
        "[2025-05-04 12:34:56] - ",
        "a",
        "```",
        "\r\n",
    ]
)


def sample(name: str) -> MemoryBankFile:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize("name", ["activeContext.md", "crlf.md"])
def test_the_current_focus_is_the_status(name: str) -> None:
    bank = sample(name)

    assert bank.role == "activeContext"
    assert bank.status == "Webhooks go through the queue now."
    assert bank.status_lines == Lines(9, 9)


@pytest.mark.parametrize("name", ["activeContext.md", "crlf.md"])
def test_it_reads_stamped_lines_in_order(name: str) -> None:
    items = [(i.text, i.at and i.at.day, i.lines.first) for i in sample(name).items]

    assert items == [
        ("Created", 4, 3),
        ("Move the queue.", None, 7),
        ("Consumer written", 5, 12),
        ("Retries", 6, 13),
        ("no stamp", None, 14),
        ("Which region?", None, 17),
    ]
    assert sample(name).items[0].at == datetime.datetime(2025, 5, 4, 12, 34, 56)


def test_the_history_is_what_is_done() -> None:
    texts = [item.text for item in sample("progress.md").history]

    assert texts == ["consumer", "login works", "but this is done"]
    assert sample("activeContext.md").history[0].text == "2025-05-04: Created"


def test_the_decision_log_has_decisions() -> None:
    log = sample("decisionLog.md")

    assert [one.content.text for one in log.decisions] == ["Use a queue"]
    assert sample("progress.md").decisions == ()


def test_a_path_tells_the_role_where_the_title_does_not() -> None:
    path = PurePosixPath("memory-bank/progress.md")

    assert parse("# What we did\n- a\n", path).role == "progress"


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("memory-bank/activeContext.md", "activeContext"),
        ("docs/memory_bank/active-context.md", "activeContext"),
        ("memory-bank/progress.md", "progress"),
        ("memory/progress.md", ""),
        ("memory/systemPatterns.md", "systemPatterns"),
        ("memory-bank/notes.md", ""),
        ("memory-bank/progress.json", ""),
    ],
)
def test_it_matches_by_name_and_folder(path: str, role: str) -> None:
    assert role_of(PurePosixPath(path)) == role
    assert matches(PurePosixPath(path), "") is bool(role)


def test_large_files_are_read() -> None:
    text = "[2025-05-04 12:34:56] - a\n" * 20_000 + "- b\n" * 20_000 + "[" * 200_000

    assert len(parse(text).items) == 40_000
