from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.facts import Declared, Document
from memoryhub.dialects.registry import detect
from memoryhub.dialects.rollout_summary import (
    matches,
    parse,
    started_of,
)
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/rollout_summary/samples"
ALARM = "2026-08-03T09-11-20-k3Zd-frost_alarm.md"
HEAD = "thread_id: 0198aa40\nupdated_at: 2026-08-03T10:40:02+00:00\ncwd: /home/i/a\n"
PIECES = st.sampled_from(
    [
        *("thread_id: ", "updated_at: ", "cwd: ", "# ", "## Task 1: ", "Outcome: "),
        *("\n", "\r\n", "\ufeff", "- [ ] ", "Open questions:\n- ", "```", "a"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text
    assert parse(HEAD + text).text == HEAD + text


def test_the_first_lines_name_thread_time_and_folder() -> None:
    summary = sample(ALARM)

    (folder,), (entry,) = summary.told, summary.parts
    assert isinstance(folder, Declared)
    assert folder.folder == "/home/ines/orchard/alarm"
    assert entry.session == "0198aa40-a8ff-72e2-a7da-43b8f9befc65"
    assert entry.time.at == datetime.datetime(
        2026, 8, 3, 10, 40, 2, tzinfo=datetime.UTC
    )
    assert entry.lines == Lines(7, 29)


def test_tasks_have_outcomes() -> None:
    (entry,) = sample(ALARM).parts

    assert entry.excerpt == "alarm at noon: success; quiet hours: partial"


def test_statements_are_read_below_the_first_lines() -> None:
    stated = sample(ALARM).statements()

    assert [one.text for one in stated.decisions] == [
        "Quiet hours are kept in the config file, not in the phone app"
    ]
    (directive,) = stated.directives
    assert "from now on, never restart the probe without" in directive.text
    assert [one.text for one in stated.open_items] == [
        "Should the alarm ring twice below -3 °C?"
    ]


def test_an_older_summary_with_carriage_returns_is_read() -> None:
    summary = sample("crlf.md")

    (entry,) = summary.parts
    assert entry.session == "0198aa41-0000"
    assert summary.title == ""
    assert entry.excerpt == "Li as notas da estufa, nada por fazer."
    assert entry.lines == Lines(5, 5)


@pytest.mark.parametrize(
    ("name", "hour"),
    [(ALARM, 9), ("2026-08-03T25-11-20-a.md", None), ("frost.md", None)],
)
def test_the_name_has_the_start_in_utc(name: str, hour: int | None) -> None:
    started = started_of(PurePosixPath("rollout_summaries") / name)

    assert (started and started.hour) == hour
    assert started is None or started.tzinfo == datetime.UTC


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("memories/rollout_summaries/2026-08-03T09-11-20-a.md", HEAD, True),
        ("rollout_summaries/a.md", "thread_id: a\n", True),
        ("rollout_summaries/a.md", "# A note\n", False),
        ("notes/a.md", HEAD, True),
        ("notes/a.md", "thread_id: a\n\nA note.\n", False),
    ],
)
def test_a_thread_comes_first(path: str, text: str, found: bool) -> None:
    assert matches(PurePosixPath(path), text) is found
    assert (detect(PurePosixPath(path), text).name == "rollout_summary") is found


def test_large_files_are_read() -> None:
    text = HEAD + "## Task 1: a\nOutcome: success\n" * 5_000 + "- a\n" * 50_000

    assert parse(text).text == text
