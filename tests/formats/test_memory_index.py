from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.memory_index import (
    AUTO_MEMORY,
    CURATED,
    POINTERS_10,
    POINTERS_31,
    Directive,
    MemoryIndex,
    PointerLine,
    matches,
    parse,
    render_index,
    with_target,
)
from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.decoding import decode

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/memory_index/samples"
PIECES = st.sampled_from(
    [
        "- ",
        "a",
        " | ",
        "Details → ",
        "b.md",
        "#x",
        "\n",
        "\r\n",
        "# ",
        "```",
        "<!-- ",
        "-->",
        "[t](",
        ")",
        " — ",
        "openclaw-memory-promotion:",
        "observed: 2026-01-01 | status: a",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4)).map("".join)

NOON = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
POINTERS = st.lists(
    st.builds(PointerLine, st.text(), st.just("memory/a.md"), st.text())
)


def sample(name: str) -> MemoryIndex:
    return parse(decode((CORPUS / name).read_bytes()).text)


def targets(index: MemoryIndex) -> list[str]:
    return [pointer.target + pointer.anchor for pointer in index.pointers]


@given(TEXTS)
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@given(TEXTS)
def test_any_pointer_can_be_repointed(text: str) -> None:
    for pointer in parse(text).pointers:
        edited = with_target(text, pointer, "new/place.md")
        old, new = text.split("\n"), edited.split("\n")
        changed = [
            n
            for n, pair in enumerate(zip(old, new, strict=True), 1)
            if len({*pair}) > 1
        ]
        assert changed in ([], [pointer.lines.first])
        assert "new/place.md" in edited


def test_it_reads_pointers_of_the_current_edition() -> None:
    index = sample("pointers-3.1.md")

    assert index.edition == POINTERS_31
    assert targets(index) == [
        "memories/project.md",
        "memories/context.md#webhooks",
        "src/webhooks/consumer.py",
        "docs/api.yaml",
    ]
    task = index.pointers[1]
    assert (task.text, task.label, task.section) == (
        "Move webhooks to the queue | Status: in-progress",
        "Details",
        "Active Task",
    )


def test_it_reads_pointers_of_the_older_edition() -> None:
    index = sample("pointers-1.0.2.md")

    assert index.edition == POINTERS_10
    assert targets(index) == [
        "memories/project.md",
        "memories/project.md#tech-stack",
        "memories/context.md",
        "memories/errors.md",
    ]
    assert [pointer.label for pointer in index.pointers][2:] == ["Context", "Details"]


def test_it_reads_the_links_of_auto_memory() -> None:
    index = sample("auto-memory.md")

    assert index.edition == AUTO_MEMORY
    assert targets(index)[1:] == ["feedback_short.md", "reference_limits.md#rate"]
    assert index.pointers[2].text == "Limits: 60 a minute"


def test_a_link_over_two_lines_is_no_pointer() -> None:
    assert parse("- [a\n  b](c.md) — d\n").pointers == ()


def test_promoted_notes_are_curated() -> None:
    assert sample("promoted.md").edition == CURATED


def test_it_reads_what_was_observed_of_a_user() -> None:
    assert sample("user.md").directives == (
        Directive("Prefers tabs over spaces", "active", Lines(3, 5)),
        Directive("Prefers spaces", "superseded", Lines(7, 9)),
    )


def test_it_skips_fences_and_reads_cr_lf() -> None:
    index = sample("crlf-bom.md")

    assert targets(index) == ["notes/ana.md"]


def test_repointing_changes_the_target_only() -> None:
    index = sample("pointers-3.1.md")

    edited = with_target(index.text, index.pointers[1], "memory/context-api.md")

    assert edited == index.text.replace(
        "memories/context.md#webhooks", "memory/context-api.md"
    )


def test_repointing_a_link_keeps_its_hook() -> None:
    index = parse("- [a.md](a.md) — see a.md\r\n")

    edited = with_target(index.text, index.pointers[0], "b.md")

    assert edited == "- [a.md](b.md) — see a.md\r\n"


@pytest.mark.parametrize("target", ["", "a b", "a|b", "a)b", "a\nb"])
def test_it_refuses_targets_that_would_break_the_line(target: str) -> None:
    index = sample("auto-memory.md")

    with pytest.raises(FormatError, match=r"^target-not-allowed"):
        with_target(index.text, index.pointers[0], target)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MEMORY.md", True),
        ("USER.md", True),
        ("users/ana/USER.md", True),
        ("memory.md", True),
        ("notes/memory.md", False),
        ("memory/2026-01-01.md", False),
        ("Memory.md", False),
    ],
)
def test_it_matches_by_exact_name(path: str, *, expected: bool) -> None:
    assert matches(PurePosixPath(path), "") is expected


@pytest.mark.parametrize(
    "text",
    [
        "- a | Details → b.md\n" * 20_000,
        "- " + "a/" * 100_000 + " | x",
        "- [" * 60_000,
        "<!-- observed: 2026-01-01 | status: active -->" + "\n" * 100_000 + "- a",
    ],
)
def test_large_texts_are_read(text: str) -> None:
    assert parse(text).text == text


def test_it_writes_the_template() -> None:
    text = render_index(
        NOON,
        projects=[PointerLine("shop", "memories/project.md")],
        tasks=[PointerLine("Move\nwebhooks", "memory/context-webhooks.md")],
        files=[PointerLine("reads | the queue", "src/consumer.py")],
    )

    assert text == (
        "# MEMORY INDEX\n"
        "# Each entry is a pointer to a file, not a copy of its content.\n"
        "_Updated: 2026-11-20 12:00 | Token estimate: 114_\n"
        "\n## Current Project\n- Name: shop | Details → memories/project.md\n"
        "\n## Active Task\n"
        "- Move webhooks | Status: in-progress | Details → memory/context-webhooks.md\n"
        "\n## Key Constraints\n- (none)\n"
        "\n## Recently Referenced Files\n- src/consumer.py | reads / the queue\n"
        "\n_This index is a hint, not ground truth."
        " Read the linked files for details._\n"
    )


def test_what_it_writes_is_read_as_pointers() -> None:
    lines = [PointerLine(f"topic {n}", f"memory/context-{n}.md") for n in range(100)]

    index = parse(render_index(NOON, tasks=lines, files=lines))

    assert index.edition == POINTERS_31
    assert index.pointers[0].target == "memory/context-0.md"
    assert 20 < len(index.pointers) < 60


@given(POINTERS, POINTERS, st.lists(st.text()))
def test_it_keeps_the_limits(
    tasks: list[PointerLine], files: list[PointerLine], constraints: list[str]
) -> None:
    text = render_index(
        NOON,
        projects=files,
        tasks=tasks,
        constraints=constraints * 9,
        files=files * 9,
    )

    assert len(text) <= 800 * 4
    assert all(len(line) <= 150 for line in text.split("\n"))


def test_section_signs_of_hermes_are_an_edition() -> None:
    index = parse((CORPUS / "hermes.md").read_text("utf-8"))

    assert index.edition == "section signs"


def test_task_groups_of_codex_are_an_edition() -> None:
    index = parse((CORPUS / "task-groups.md").read_text("utf-8"))

    assert index.edition == "task groups"
