from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.facts import Document, Topic
from memoryhub.dialects.registry import detect
from memoryhub.dialects.registry import parse as parse_at
from memoryhub.dialects.spec_kit import parse, role_of
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/spec_kit/samples"
FEATURE = PurePosixPath("specs/001-ferry-alarm")
PIECES = st.sampled_from(
    [
        *("# Tasks: ", "**Status**: ", "- [ ] T001 ", "[P] ", "[NEEDS CLARIFICATION: "),
        *("]", "\n", "\r\n", "```\n", "a", "## ", "- [x] "),
    ]
)


def sample(name: str) -> Document:
    return parse_at(FEATURE / name, (CORPUS / name).read_text("utf-8"))


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text
    for name in ("spec.md", "plan.md", "tasks.md"):
        assert parse_at(FEATURE / name, text).text == text


def test_a_spec_has_title_status_and_questions() -> None:
    spec = sample("spec.md")

    (topic,) = spec.told
    assert isinstance(topic, Topic)
    assert (topic.title, topic.status) == ("Ferry alarm", "Draft")
    assert topic.status_lines == Lines(4, 4)
    (unclear,) = spec.statements().open_items
    assert (unclear.text, unclear.lines) == ("at night too?", Lines(9, 9))


def test_tasks_are_open_items_without_their_marks() -> None:
    items = sample("tasks.md").statements().open_items

    assert [(one.text, one.done) for one in items] == [
        ("T001 Create the folder `alarm/`", True),
        ("T002 Write a test for the lamp in tests/lamp.py", False),
        ("T003 Connect the siren", False),
    ]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("specs/001-ferry-alarm/spec.md", "spec"),
        ("app/specs/042-x/plan.md", "plan"),
        (".kiro/specs/ferry/tasks.md", "tasks"),
        (".kiro/specs/ferry/requirements.md", "spec"),
        ("openspec/changes/add-siren/tasks.md", "tasks"),
        ("specs/ferry/spec.md", ""),
        ("specs/001-ferry/research.md", ""),
        ("changes/add-siren/tasks.md", ""),
        ("001-ferry/spec.md", ""),
        ("tasks.md", ""),
    ],
)
def test_the_folder_tells_it(path: str, role: str) -> None:
    assert role_of(PurePosixPath(path)) == role
    named = detect(PurePosixPath(path), "# x\n").name
    assert (named == "spec_kit") is bool(role)


def test_large_files_are_read() -> None:
    text = "- [ ] T001 [P] a\n" * 20_000 + "[NEEDS CLARIFICATION: " * 20_000

    assert len(parse_at(FEATURE / "tasks.md", text).text) == len(text)
    parse_at(FEATURE / "spec.md", text)
