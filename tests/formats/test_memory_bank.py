from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.decision_log import find_decisions
from memoryhub.dialects.facts import (
    Document,
    Fact,
    History,
    Topic,
)
from memoryhub.dialects.memory_bank import matches, parse, role_of
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


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


def told(name: str, path: str = "memory-bank/x.md") -> list[Fact]:
    text = (CORPUS / name).read_bytes().decode()
    return [*parse(text, PurePosixPath(path)).told]


@pytest.mark.parametrize("name", ["activeContext.md", "crlf.md"])
def test_the_current_focus_is_the_status(name: str) -> None:
    (topic,) = told(name)

    assert isinstance(topic, Topic)
    assert topic.status == "Webhooks go through the queue now."
    assert topic.status_lines == Lines(9, 9)


@pytest.mark.parametrize("name", ["activeContext.md", "crlf.md"])
def test_stamped_lines_have_times(name: str) -> None:
    at = {part.lines.first: part.time.at for part in sample(name).parts}

    assert [(line, one.day) for line, one in at.items() if one] == [
        (3, 4),
        (12, 5),
        (13, 6),
    ]
    assert at[3] == datetime.datetime(2025, 5, 4, 12, 34, 56)


def test_the_history_is_what_is_done() -> None:
    topic, *history = told("progress.md")

    assert isinstance(topic, Topic) and not topic.status
    assert [one.text for one in history if isinstance(one, History)] == [
        "consumer",
        "login works",
        "but this is done",
    ]


def test_the_decision_log_has_decisions() -> None:
    found = find_decisions(sample("decisionLog.md").text)

    assert [one.content.text for one in found] == ["Use a queue"]


def test_a_path_tells_the_role_where_the_title_does_not() -> None:
    path = PurePosixPath("memory-bank/progress.md")
    _, item = parse("# What we did\n- [2025-05-04 12:34:56] a\n", path).told

    assert isinstance(item, History) and item.text == "2025-05-04: a"


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

    assert len(parse(text).parts) == 20_000
