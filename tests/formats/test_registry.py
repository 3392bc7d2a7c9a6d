from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memoryhub.dialects
from memoryhub.dialects.dialect import Dialect
from memoryhub.dialects.facts import Topic
from memoryhub.dialects.registry import (
    BY_NAME,
    DIALECTS,
    FALLBACK,
    detect,
    parse,
    parse_as,
)
from memoryhub.formats.base import NO_PATH, FormatError
from memoryhub.formats.text.decoding import decode, encode
from tests.growth import assert_ends

FOLDER = Path(memoryhub.dialects.__file__).parent
SAMPLES = sorted(FOLDER.glob("*/samples/*"))
SESSION = "# Session: 2026-03-07 03:28:19 UTC\n\n- **Session Key**: agent:main:main\n"
FACT = "---\nname: a\ndescription: b\nmetadata:\n  type: user\n---\n"
CCW = "## Session ID\n(none)\n\n## Project Root\n/a\n\n## Objective\nx\n\n## Pending\nz"
PIECES = st.sampled_from(
    [
        *(
            "# ",
            "## ",
            "- ",
            "---",
            "\n",
            "\r\n",
            "\r",
            "\0",
            "\ud800",
            "```",
            "<!-- ",
            "-->",
        ),
        *(
            "<task>",
            "</task>",
            "2026-01-02",
            ": ",
            "**",
            "|",
            "{",
            '"',
            "]",
            "[",
            "\ufeff",
        ),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=6)).map("".join)


def rendered(format_: Dialect, text: str) -> str:
    try:
        return parse_as(format_, NO_PATH, text).text
    except FormatError:
        return text


@pytest.mark.parametrize(
    "path", SAMPLES, ids=lambda path: f"{path.parents[1].name}/{path.name}"
)
def test_every_dialect_gives_back_every_sample(path: Path) -> None:
    data = path.read_bytes()
    decoded = decode(data)

    assert encode(decoded.text, decoded.carrier) == data
    for format_ in DIALECTS:
        assert rendered(format_, decoded.text) == decoded.text, format_.name


@pytest.mark.parametrize("name", sorted(BY_NAME))
@given(text=TEXTS)
@example(text="")
@example(text="\ud800\0\r")
def test_every_dialect_gives_back_any_text(name: str, text: str) -> None:
    assert rendered(BY_NAME[name], text) == text


@pytest.mark.parametrize("name", sorted(BY_NAME))
@pytest.mark.parametrize(
    "text",
    [
        "- word: word (word) — word\n" * 5_000,
        "## 2026-01-02: word\n\n" * 2_000,
        "x" * 200_000,
        "- " + "[" * 100_000,
        "<!-- " * 50_000,
        "\n" * 200_000,
    ],
    ids=["list", "headings", "line", "brackets", "comments", "blank"],
)
def test_every_dialect_reads_large_texts(name: str, text: str) -> None:
    assert rendered(BY_NAME[name], text) == text


@given(
    st.lists(
        st.sampled_from(
            ["memory", "a.md", "2026-01-02.md", "x y", "AGENTS.md", "n.json"]
        )
    ),
    TEXTS,
)
def test_every_text_has_a_dialect(parts: list[str], text: str) -> None:
    format_ = detect(PurePosixPath(*parts), text)

    assert format_.name in BY_NAME


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("memory/context-api.md", "# api\n\n## Current Status\nx\n", "topic_context"),
        ("memory/context-api.md", "# Context\n\nA note.\n", "plain"),
        ("memory/context-session-map.json", "{}", "session_map"),
        ("memory/2026-01-02.md", "# 2026-01-02\n", "daily_log"),
        ("memory/2026-01-02.md", "", "daily_log"),
        ("memory/2026-01-02-decisions.md", "# 2026-01-02\n", "daily_log"),
        ("memory/2026-01-02-0900.md", SESSION, "session_transcript"),
        ("memory/2026-01-02.md", "---\nmood: good\n---\n# Log\n", "daily_log"),
        ("memory/dreaming/light/2026-01-02.md", "# Light Sleep\n", "dreaming"),
        ("DREAMS.md", "# Dream Diary\n", "dreaming"),
        ("MEMORY.md", "# MEMORY INDEX\n", "memory_index"),
        ("USER.md", "", "memory_index"),
        ("AGENTS.md", "", "agent_roles"),
        ("memory/handoffs/20261120-03.md", "# Handoff\n", "handoff"),
        ("memories/errors.md", "", "error_log"),
        ("memories/project.md", "", "project_notes"),
        ("memories/context.md", "", "active_context"),
        ("memories/decisions.md", "", "decision_log"),
        ("memory-bank/decisionLog.md", "", "memory_bank"),
        ("memory-bank/progress.md", FACT, "memory_bank"),
        (".claude/projects/-a/memory/user_x.md", FACT, "auto_memory"),
        ("notes/session.md", CCW, "session_compact"),
        ("memory/queue.md", "# Queue\n", "plain"),
        ("memory/heartbeat-state.json", "{", "plain"),
        ("memory/2507.14198.md", "# A paper\n", "plain"),
        ("memory/skill:greeter:status.md", "", "plain"),
    ],
)
def test_it_tells_the_dialect(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


def test_parse_reads_by_the_path() -> None:
    document = parse(PurePosixPath("memory-bank/progress.md"), "# What we did\n")

    assert [one.key for one in document.told if isinstance(one, Topic)] == [
        "memory-bank"
    ]


def test_parse_leaves_format_errors_to_its_caller() -> None:
    with pytest.raises(FormatError):
        parse(PurePosixPath("memory/context-session-map.json"), "{")


def test_every_dialect_is_called_as_its_folder() -> None:
    folders = FOLDER.glob("*/__init__.py")

    assert sorted(BY_NAME) == sorted(path.parent.name for path in folders)
    assert all(name == dialect.name for name, dialect in BY_NAME.items())


def test_every_dialect_has_a_place_in_the_order_of_its_own() -> None:
    orders = [dialect.order for dialect in DIALECTS]

    assert orders == sorted({*orders})
    assert DIALECTS[-1] is FALLBACK


def test_every_dialect_has_a_page() -> None:
    assert all((FOLDER / name / "manual.md").exists() for name in BY_NAME)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("AGENTS.md", f"# Agents\n\n- builder: x\n- a{' ' * 100_000}b\n"),
        ("note.md", f"---\npermalink: x\n---\n-{' ' * 100_000}b\n"),
        (
            "plan.md",
            f"## Progress\n\n## Decision Log\n\n- Decision: {'*' * 300_000}\n",
        ),
        ("HANDOFF.md", f"---\nfrom: a{' ' * 100_000}b\n---\n# Next steps\n- a\n"),
    ],
)
def test_a_long_line_is_read_to_its_end(path: str, text: str) -> None:
    assert_ends(lambda: parse(PurePosixPath(path), text))
