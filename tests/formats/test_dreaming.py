from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects import dreaming
from memoryhub.dialects.dreaming import managed_blocks
from memoryhub.dialects.facts import Document

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/dreaming/samples"


def sample(name: str) -> Document:
    return dreaming.parse((CORPUS / name).read_bytes().decode())


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.md")), ids=lambda p: p.name)
def test_every_sample_renders_back(path: Path) -> None:
    text = path.read_bytes().decode()

    assert dreaming.parse(text).text == text


def test_a_report_has_its_phase_and_its_first_memory() -> None:
    (light,), (rem,) = sample("light.md").parts, sample("rem.md").parts

    assert light.title == "Light sleep"
    assert light.excerpt == "Payments API: Use idempotency keys of the provider"
    assert rem.title == "Rem sleep"
    assert rem.excerpt == "`billing` kept surfacing across 14 memories."


def test_a_managed_block_begins_at_its_heading_and_not_in_a_fence() -> None:
    text = (CORPUS / "managed_crlf.md").read_bytes().decode()

    assert managed_blocks(text) == ((7, 10), (12, 14))


def test_a_second_start_closes_an_open_block() -> None:
    start = "<!-- openclaw:dreaming:deep:start -->\n"

    assert managed_blocks(f"{start}a\n\n## Deep Sleep\n{start}b\n") == ((1, 2), (4, 6))


@pytest.mark.parametrize(
    ("path", "text", "matches"),
    [
        ("memory/dreaming/light/2026-04-20.md", "", True),
        ("DREAMS.md", "", True),
        ("dreams.md", "", True),
        ("notes/x.md", "# REM Sleep\n\ntext", True),
        ("memory/2026-04-20.md", "# 2026-04-20\n\n## Light Sleep\n", False),
        ("memory/dreaming/x.json", "{}", False),
        ("sleep.md", "# Light Sleepers\n", False),
    ],
)
def test_it_is_known_by_folder_name_or_first_line(
    path: str, text: str, matches: bool
) -> None:
    assert dreaming.matches(PurePosixPath(path), text) is matches


PARTS = st.sampled_from(
    [
        *(
            "# Light Sleep\n",
            "## REM Sleep\n",
            "- Candidate: a\n",
            "  - confidence: 1\n",
        ),
        *(
            "- a [confidence=0.5 evidence=b]\n",
            "---\n",
            "*May 1*\n",
            "\n",
            "\r\n",
            "```\n",
        ),
        *(
            "<!-- openclaw:dreaming:rem:start -->\n",
            "## Memory Consolidation History\n",
        ),
        *("<!-- openclaw:dreaming:rem:end -->\n", "### now\n", "- Added: 3\n", "text"),
    ]
)


@given(st.lists(st.one_of(PARTS, st.text(max_size=6)), max_size=25).map("".join))
def test_any_text_is_read_and_renders_back(text: str) -> None:
    last = text.count("\n") + 1
    lines = managed_blocks(text)

    assert dreaming.parse(text).text == text
    assert all(1 <= line.first <= line.last <= last for line in lines)


@pytest.mark.parametrize(
    "part",
    [
        "- Candidate: a\n",
        "<!-- openclaw:dreaming:rem:start -->\n",
        "---\n\n*May 1*\n",
        "---\n\n",
        "---\n<!--\n",
        "[confidence=",
        "### x\n",
        "- [confidence=1 ",
    ],
)
def test_a_large_or_hostile_report_is_no_burden(part: str) -> None:
    text = "# Light Sleep\n\n## Memory Consolidation History\n" + part * 30_000

    assert dreaming.parse(text).text == text
