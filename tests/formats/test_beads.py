from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.beads import parse
from memoryhub.dialects.facts import Document
from memoryhub.dialects.registry import detect

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/beads/samples"
PIECES = st.sampled_from(
    [
        *('{"id":"a","title":"b"', ',"status":"closed"', "}", "\n", "\r\n", "[", "]"),
        *(',"dependencies":[{"type":"blocks","depends_on_id":"c"}]', "null", "1e9999"),
        *(',"created_at":"2026-05-01T08:00:00Z"', "\ufeff", '"', "\\u0000", "\ud800"),
    ]
)


def issues() -> Document:
    return parse((CORPUS / "issues.jsonl").read_text("utf-8"))


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


def test_issues_are_items_that_name_their_open_blockers() -> None:
    assert [(one.text, one.done) for one in issues().statements().open_items] == [
        ("fy-1 Measure the tide", True),
        ("fy-2 Show the tide (blocked by fy-3)", False),
        ("fy-3 Ask for the winter table", False),
    ]


def test_closed_issues_are_entries_of_who_had_them() -> None:
    (closed,) = (part for part in issues().parts if part.kind)

    assert (closed.title, closed.excerpt) == (
        "fy-1 Measure the tide",
        "measured thrice",
    )
    assert closed.agent == "pilot"
    assert closed.time.at is not None
    assert closed.time.at.isoformat() == "2026-05-02T10:00:00+00:00"


def test_lines_that_are_no_issues_are_problems() -> None:
    assert [(one.code, one.line) for one in issues().problems] == [
        ("json-invalid", 6),
        ("json-invalid", 7),
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".beads/issues.jsonl", "beads"),
        ("app/.beads/beads.jsonl", "beads"),
        (".beads/interactions.jsonl", "plain"),
        ("memory/issues.jsonl", "plain"),
    ],
)
def test_name_and_folder_tell_it(path: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), "{}").name


def test_large_and_deep_files_are_read() -> None:
    line = '{"id":"a","title":"b","status":"open"}\n'

    assert len(parse(line * 5_000).parts) == 5_000
    assert parse("[" * 100_000).problems
    assert parse('{"id":"a","title":' + "9" * 10_000 + "}").problems
