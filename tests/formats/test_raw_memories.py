from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.facts import Declared, Document
from memoryhub.dialects.raw_memories import parse
from memoryhub.dialects.registry import detect
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/raw_memories/samples"
HEAD = "# Raw Memories\n\n"
PIECES = st.sampled_from(
    [
        *("## Thread `", "`\n", "updated_at: ", "cwd: ", "rollout_summary_file: "),
        *("description: ", "task_outcome: ", "### Task 1: ", "\n", "\r\n", "```", "a"),
        *("2026-08-03T10:40:02+00:00", "- [ ] ", "Decisions:\n- ", "\ufeff", "\x00"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    read = parse(HEAD + text)

    assert read.text == HEAD + text
    last = (HEAD + text).count("\n") + 1
    assert all(1 <= t.lines.first <= t.lines.last <= last for t in read.parts)


def test_a_thread_with_a_summary_is_told_there() -> None:
    read = sample("told.md")

    (folder,) = read.told
    assert isinstance(folder, Declared)
    assert (folder.name, folder.folder) == ("alarm", "/home/ines/orchard/alarm")
    assert read.parts == ()
    assert not any(read.statements())


def test_threads_without_a_summary_are_sessions() -> None:
    read = sample("older-crlf.md")

    first = read.parts[0]
    assert first.title == "Kiln curve for the blue glaze"
    assert first.excerpt == "kiln: partial"
    assert first.session == "0198bb07-1111"
    assert first.lines == Lines(5, 20)
    assert first.time.at is not None
    assert first.time.at.isoformat() == "2026-08-05T18:02:00+02:00"
    assert [part.time.at for part in read.parts[1:]] == [None]


def test_statements_of_threads_without_a_summary_are_read() -> None:
    stated = sample("older-crlf.md").statements()

    assert [one.text for one in stated.open_items] == [
        "does the north shelf need a longer soak?"
    ]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("memories/raw_memories.md", HEAD, "raw_memories"),
        ("raw_memories.md", "\ufeff# Raw Memories\r\n", "raw_memories"),
        ("memories/raw_memories.md", "# My raw notes\n", "plain"),
        ("memories/memory_summary.md", "v1\n\n## User Profile\n", "memory_index"),
    ],
)
def test_name_and_title_tell_it(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


def test_large_files_are_read() -> None:
    thread = "## Thread `a`\nupdated_at: x\ncwd: /a\n\n" + "### Task 1: b\n- c\n" * 20
    text = HEAD + thread * 2_000 + "## Thread `" * 20_000

    assert len(parse(text).parts) == 2_000
