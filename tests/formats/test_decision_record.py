from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.decision_log import status_of
from memoryhub.dialects.decision_record import parse
from memoryhub.dialects.facts import Decision, DecisionText, Document
from memoryhub.dialects.registry import detect
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/decision_record/samples"
PIECES = st.sampled_from(
    [
        *(
            "# 1. ",
            "## Status\n",
            "## Decision\n",
            "Accepted",
            "~~",
            "Date: 2026-01-02",
        ),
        *("\n", "\r\n", "Chosen option: ", ", because ", "- ", "```", "---\n", "| "),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


def record(status: str, decision: str = "Use SQLite.") -> Document:
    return parse(f"# 7. A\n\n## Status\n\n{status}\n\n## Decision\n\n{decision}\n")


def said_in(found: Document) -> DecisionText:
    (decision,) = found.told
    assert isinstance(decision, Decision)
    return decision.said


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


def test_a_superseded_record_is_a_decision_that_lapsed() -> None:
    found = sample("0002-timetable-as-csv.md")

    assert found.title == "Öffnungszeiten als CSV"
    decision = said_in(found)
    assert decision.text == "The hours of a season are stored as one CSV file."
    assert decision.date == datetime.date(2026, 1, 15)
    assert decision.lapsed == "superseded"
    (stated,) = found.told
    assert isinstance(stated, Decision) and stated.lines == Lines(15, 16)


def test_the_chosen_option_of_a_madr_is_the_decision() -> None:
    found = sample("0005-crlf-madr.md")

    decision = said_in(found)
    assert decision.text == "iCalendar, because it has exceptions."
    assert decision.reason == "it has exceptions"
    assert decision.date == datetime.date(2026, 5, 27)
    assert [one.text for one in found.statements().open_items] == [
        "Who reads the feed?"
    ]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Accepted, supersedes ADR 2", "accepted"),
        ("Deprecated", "superseded"),
        ("Angenommen", "accepted"),
        ("Rejeitada", "rejected"),
        ("已废弃", "superseded"),
        ("提案", "proposed"),
        ("Черновик", "proposed"),
        ("hm", ""),
    ],
)
def test_the_first_known_word_is_the_state(status: str, state: str) -> None:
    assert status_of(status) == state


def test_nothing_is_decided_by_a_proposal_or_a_template() -> None:
    assert record("Proposed").told == ()
    assert record("Accepted | Proposed | Rejected").told == ()
    assert record("Accepted", "").told == ()


def test_a_rejected_record_rejects() -> None:
    assert said_in(record("Rejected")).rejected


def test_the_title_decides_where_no_section_does() -> None:
    decision = said_in(parse("# ADR-3: Keep one file\n\nIt is enough.\n"))

    assert decision.text == "Keep one file"


def test_a_section_for_the_reason_is_read() -> None:
    decision = said_in(parse("# A\n## Decision\nB\n## Rationale\n- C\n- D\n"))

    assert (decision.text, decision.reason) == ("B", "C")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("docs/adr/0001-record-architecture-decisions.md", "decision_record"),
        ("docs/decisions/adr-12-api.md", "decision_record"),
        ("docs/adr/README.md", "plain"),
        ("docs/adr/decisions.md", "decision_log"),
        ("decisions/2026-01-02-api.md", "plain"),
        ("notes/0001-a.md", "plain"),
    ],
)
def test_a_number_and_a_folder_make_a_record(path: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), "# A\n").name


def test_large_files_are_read() -> None:
    text = "# A\n## Decision\n" + "word " * 50_000 + "\n- a" * 50_000

    assert parse(text).told


def test_further_paragraphs_of_the_decision_are_decisions() -> None:
    found = record("Accepted", "Keep 36 months.\n\nOlder chunks are packed.\n\n- why")

    decision = said_in(found)
    assert decision.text == "Keep 36 months."
    assert [(o.text, o.lines) for o in found.statements().decisions] == [
        ("Older chunks are packed.", Lines(11, 11))
    ]


def test_paragraphs_of_a_proposed_record_decide_nothing() -> None:
    assert record("Proposed", "Keep it.\n\nPack it.").statements().decisions == ()
