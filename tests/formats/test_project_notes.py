from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Lines
from memoryhub.formats.optimizer.project_notes import Restore, matches, parse

CORPUS = Path(__file__).parents[1] / "corpus" / "project_notes"
TEXT = (CORPUS / "project.md").read_text(encoding="utf-8")
PIECES = st.sampled_from(
    [
        "## Project Fingerprint (@",
        "2026-01-02",
        ")",
        "## L3 Restore Priority",
        "\n",
        "1. ",
        "←",
    ]
)


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).render() == text


def test_it_reads_the_fingerprint() -> None:
    notes = parse(TEXT)

    assert notes.taken_on == datetime.date(2026, 4, 1)
    assert [(f.key, f.value) for f in notes.fingerprint] == [
        ("Source", "214 files, TypeScript"),
        ("Complexity", "high"),
        ("Token estimate", "~82k"),
    ]
    assert notes.fingerprint[2].lines == Lines(6, 6)


def test_it_reads_the_order_to_restore_in() -> None:
    assert parse(TEXT).restore == (
        Restore(1, "memories/context.md", "the task", Lines(11, 11)),
        Restore(2, "src/webhooks/consumer.ts", "queue", Lines(12, 12)),
        Restore(3, "docs/api.yaml", "", Lines(13, 13)),
    )


def test_it_reads_cr_lf() -> None:
    crlf = parse(TEXT.replace("\n", "\r\n"))

    assert crlf.restore == parse(TEXT).restore
    assert crlf.fingerprint == parse(TEXT).fingerprint


def test_it_matches_by_place_or_headings() -> None:
    assert matches(PurePosixPath("memories/project.md"), "")
    assert matches(PurePosixPath("notes/project.md"), TEXT)
    assert not matches(PurePosixPath("notes/project.md"), "# Project\n")
    assert not matches(PurePosixPath("memories/other.md"), TEXT)
