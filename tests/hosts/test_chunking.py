"""Chunks as the agents' programs cut them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.hosts.chunking import Chunk, clawdbot_chunks, openclaw_chunks
from tests.recorded import recorded

CASES: list[dict[str, Any]] = recorded("chunks")["cases"]
NASTY = ("", "\n", "\n\n\n", " ", "x" * 5000, "日" * 5000, "🧠" * 900, "# a\n# b\n# c")


def _as_json(chunks: Iterable[Chunk]) -> list[dict[str, Any]]:
    return [
        {
            "startLine": chunk.first_line,
            "endLine": chunk.last_line,
            "text": chunk.text,
            "hash": chunk.hash,
        }
        | (
            {"entryStartLine": chunk.entry.first, "entryEndLine": chunk.entry.last}
            if chunk.entry
            else {}
        )
        for chunk in chunks
    ]


@pytest.mark.parametrize("case", CASES)
def test_clawdbots_chunks_are_equal(case: dict[str, Any]) -> None:
    chunks = clawdbot_chunks(
        case["content"], tokens=case["tokens"], overlap=case["overlap"]
    )

    assert _as_json(chunks) == case["clawdbot"]


@pytest.mark.parametrize("case", CASES)
def test_openclaws_chunks_are_equal(case: dict[str, Any]) -> None:
    chunks = openclaw_chunks(
        case["content"], tokens=case["tokens"], overlap=case["overlap"]
    )

    assert _as_json(chunks) == case["openclaw"]


@pytest.mark.parametrize("case", CASES)
def test_openclaws_entries_are_equal(case: dict[str, Any]) -> None:
    chunks = openclaw_chunks(
        case["content"],
        tokens=case["tokens"],
        overlap=case["overlap"],
        per_entry=True,
    )

    assert _as_json(chunks) == case["openclaw_perEntry"]


@pytest.mark.parametrize("text", NASTY)
def test_no_text_is_too_odd_to_cut(text: str) -> None:
    for tokens, overlap in ((1, 0), (8, 80), (400, 0), (0, -3)):
        clawdbot = clawdbot_chunks(text, tokens=tokens, overlap=overlap)
        openclaw = openclaw_chunks(text, tokens=tokens, overlap=overlap)

        assert clawdbot[0].first_line == openclaw[0].first_line == 1
        assert clawdbot[-1].last_line == openclaw[-1].last_line


def test_a_chunk_of_openclaw_splits_no_surrogate_pair() -> None:
    chunks = openclaw_chunks("x" + "🧠" * 500, tokens=8, overlap=2)

    assert not any(re.search("[\ud800-\udfff]", chunk.text) for chunk in chunks)
