"""How much of a memory file the host that reads it gives to its agent."""

from __future__ import annotations

import pytest

from memoryhub.dialects.memory_index import AUTO_MEMORY, CURATED, POINTERS_31
from memoryhub.formats.openclaw.startup_context import index_text
from memoryhub.journal.hosts import (
    CLAUDE,
    CODEX,
    OPENCLAW,
    OPTIMIZER,
    UNKNOWN,
    cut_of,
    limit_of,
)


@pytest.mark.parametrize(
    ("path", "edition", "present", "host"),
    [
        ("MEMORY.md", POINTERS_31, {"SOUL.md"}, OPTIMIZER),
        ("MEMORY.md", AUTO_MEMORY, {"SOUL.md"}, CLAUDE),
        ("MEMORY.md", CURATED, {"SOUL.md"}, OPENCLAW),
        ("MEMORY.md", CURATED, {"memories/errors.md"}, OPTIMIZER),
        ("MEMORY.md", CURATED, set(), UNKNOWN),
        (".claude/agent-memory/critic/MEMORY.md", CURATED, {"SOUL.md"}, CLAUDE),
        ("memories/memory_summary.md", "", set(), CODEX),
        ("AGENTS.md", "", {"IDENTITY.md"}, OPENCLAW),
        ("AGENTS.md", "", set(), None),
        ("notes/MEMORY-ideas.md", "", {"SOUL.md"}, None),
    ],
)
def test_the_host_is_told_by_the_file_and_by_what_lies_beside_it(
    path: str, edition: str, present: set[str], host: object
) -> None:
    assert limit_of("/srv/notes", path, edition, present) == host


def test_a_folder_of_claude_code_is_known_by_its_place() -> None:
    root = "/home/ada/.claude/projects/-srv-shop/memory"
    assert limit_of(root, "MEMORY.md", CURATED, {"SOUL.md"}) == CLAUDE


def test_claude_code_reads_two_hundred_lines() -> None:
    lines = [f"- line {number}\n" for number in range(1, 202)]

    assert cut_of("".join(lines[:200]), CLAUDE) is None
    cut = cut_of("".join(lines), CLAUDE)
    assert cut is not None and (cut.first, cut.back) == (201, 0)
    assert cut.has(201) and not cut.has(200)


def test_claude_code_reads_25_kilobytes_where_that_is_less() -> None:
    line = "三" * 333 + "\n"  # 1,000 bytes

    assert cut_of(line * 25, CLAUDE) is None
    cut = cut_of(line * 30, CLAUDE)
    assert cut is not None and cut.first == 26


def test_openclaw_leaves_out_the_middle_just_as_its_context_does() -> None:
    text = "".join(f"fact {number:05} {'x' * 89}\n" for number in range(1, 301))

    cut = cut_of(text, OPENCLAW)

    given = index_text("MEMORY.md", text)
    assert cut is not None
    for number in range(1, 301):
        whole = f"fact {number:05} {'x' * 89}" in given
        assert whole is not cut.has(number), number


@pytest.mark.parametrize("text", ["", "\n", "\x00\u2028", "x" * 60_000, "\n" * 300])
@pytest.mark.parametrize("host", [CLAUDE, CODEX, OPENCLAW, OPTIMIZER])
def test_any_text_can_be_cut(text: str, host: object) -> None:
    cut = cut_of(text, host)  # type: ignore[arg-type]
    assert cut is None or cut.first >= 1
