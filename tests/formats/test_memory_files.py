from __future__ import annotations

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.formats.openclaw.memory_files import (
    MAX_CHARS,
    excerpt,
    memory_path,
    resolved,
)

NUMBERED = "".join(f"line {number}\n" for number in range(1, 201))


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("MEMORY.md", "MEMORY.md"),
        (" ./USER.md ", "USER.md"),
        ("Dreams.MD", "Dreams.MD"),
        ("/memory/2026-03-10.md", "memory/2026-03-10.md"),
        ("memory\\a\\.\\b.md", "memory/a/b.md"),
        ("notes/a.md", "notes/a.md"),
        ("memory/../MEMORY.md", "MEMORY.md"),
        ("x/y/../../memory/a.md", "memory/a.md"),
    ],
)
def test_memory_files_can_be_asked_for(asked: str, path: str) -> None:
    assert memory_path(asked, "notes") == path


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("", "path-required"),
        (" \n", "path-required"),
        ("../MEMORY.md", "path-escapes"),
        ("memory/../.env", "memory-path-not-allowed"),
        ("memory/../../MEMORY.md", "path-escapes"),
        ("memory.md", "memory-path-not-allowed"),
        ("AGENTS.md", "memory-path-not-allowed"),
        ("memory/key.pem", "memory-path-not-allowed"),
        ("memory/a\0.md", "memory-path-not-allowed"),
        ("/etc/memory/a.md", "memory-path-not-allowed"),
    ],
)
def test_other_files_cannot(asked: str, code: str) -> None:
    with pytest.raises(FormatError, match=code):
        memory_path(asked, "notes")


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("./docs/map.md", "docs/map.md"),
        ("/srv/acme/.claude/notes.md", ".claude/notes.md"),
        ("/srv/acme/x/../a.txt", "a.txt"),
        ("docs//map.md", "docs/map.md"),
        ("docs/map.md/", "docs/map.md/"),
    ],
)
def test_a_path_is_resolved_below_the_workspace(asked: str, path: str) -> None:
    assert resolved(asked, "/srv/acme") == path


@pytest.mark.parametrize(
    "asked", ["/etc/a.md", "/srv/acme/../b.md", "/srv/acmes/a.md", "a/../../b.md", ".."]
)
def test_a_path_that_leads_out_is_not_resolved(asked: str) -> None:
    with pytest.raises(FormatError, match="path-escapes"):
        resolved(asked, "/srv/acme")


def test_an_excerpt_says_how_to_go_on() -> None:
    found = excerpt(NUMBERED, 11, 2)

    assert found.noticed == (
        "line 11\nline 12\n\n[More content available. Use from=13 to continue.]"
    )
    assert (found.first, found.lines, found.next_line) == (11, 2, 13)


def test_the_end_needs_no_notice() -> None:
    found = excerpt(NUMBERED, 199, 120)

    assert found.noticed == "line 199\nline 200"
    assert not found.truncated


def test_past_the_end_there_is_nothing() -> None:
    assert excerpt(NUMBERED, 500, 120).noticed == ""


def test_long_excerpts_end_at_a_line() -> None:
    found = excerpt("x" * 7_000 + "\n" + "y" * 7_000 + "\n", 1, 120)

    assert found.lines == 1
    assert found.next_line == 2


def test_a_line_that_is_too_long_is_cut_between_characters() -> None:
    found = excerpt("😀" * MAX_CHARS, 1, 120)

    assert found.text == "😀" * (MAX_CHARS // 2)
    assert found.noticed.endswith("use read on the source file.]")
    assert not found.next_line
