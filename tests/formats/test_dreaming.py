from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.openclaw import dreaming
from memoryhub.formats.openclaw.dreaming import DreamReport, managed_blocks

CORPUS = Path(__file__).parents[1] / "corpus" / "dreaming"


def sample(name: str) -> DreamReport:
    return dreaming.parse((CORPUS / name).read_bytes().decode())


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.md")), ids=lambda p: p.name)
def test_every_sample_renders_back(path: Path) -> None:
    text = path.read_bytes().decode()

    assert dreaming.parse(text).render() == text


def test_candidates_have_the_fields_below_them() -> None:
    report = sample("light.md")
    first, second = report.candidates

    assert report.phase == "light"
    assert first.text == "Payments API: Use idempotency keys of the provider"
    assert (first.confidence, first.recalls, first.status) == (0.62, 2, "staged")
    assert first.evidence == ("memory/2026-04-20.md:333-336",)
    assert first.lines == (3, 7)
    assert (second.confidence, second.recalls, second.status) == (
        None,
        None,
        "promoted",
    )
    assert len(second.evidence) == 2


def test_themes_and_truths_are_candidates_too() -> None:
    report = sample("rem.md")

    assert report.phase == "rem"
    assert [(c.text, c.confidence) for c in report.candidates] == [
        ("`billing` kept surfacing across 14 memories.", 0.71),
        ("The partner answers on Mondays", 0.58),
    ]
    assert report.candidates[1].evidence == ("memory/2026-04-18.md:40-41",)


def test_the_diary_has_its_dreams() -> None:
    diary = sample("DREAMS.md").diary

    assert [(e.when, e.lines) for e in diary] == [
        ("April 20, 2026, 3:00 AM GMT+8", (4, 10)),
        ("April 21, 2026, 3:00 AM GMT+8", (12, 18)),
    ]
    assert diary[0].text.endswith("\n\nEach door had a key that fit twice.")
    assert diary[1].text == "A quiet sea."


def test_the_diary_has_its_consolidations() -> None:
    report = sample("DREAMS.md")

    assert [(c.added, c.merged, c.superseded) for c in report.consolidations] == [
        (3, 1, 2),
        (0, 0, 0),
    ]
    assert report.consolidations[0].when == "2026-04-21T03:00:00.000Z"
    assert report.consolidations[0].lines == (24, 28)
    assert [block.phase for block in report.blocks] == ["deep"]


def test_a_managed_block_begins_at_its_heading_and_not_in_a_fence() -> None:
    ended, open_block = sample("managed_crlf.md").blocks

    assert (ended.phase, ended.body, ended.lines) == (
        "light",
        "- No notable updates.",
        (7, 10),
    )
    assert ended.is_terminated
    assert (open_block.body, open_block.lines) == ("- lost its end", (12, 14))
    assert not open_block.is_terminated


def test_a_second_start_closes_an_open_block() -> None:
    start = "<!-- openclaw:dreaming:deep:start -->\n"
    blocks = managed_blocks(f"{start}a\n\n## Deep Sleep\n{start}b\n")

    assert [(b.body, b.lines) for b in blocks] == [("a", (1, 2)), ("b", (4, 6))]


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
    report = dreaming.parse(text)

    last = text.count("\n") + 1
    lines = [block.lines for block in report.blocks]
    lines += [candidate.lines for candidate in report.candidates]
    lines += [entry.lines for entry in report.diary]
    lines += [entry.lines for entry in report.consolidations]
    assert report.render() == text
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

    assert dreaming.parse(text).render() == text
