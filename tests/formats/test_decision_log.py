from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.decision_log import (
    NAME,
    DecisionLog,
    DecisionText,
    find_decisions,
    matches,
    parse,
    render_log,
    with_decision,
)
from memoryhub.formats.base import FormatError, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/decision_log/samples"
PIECES = st.sampled_from(
    [
        *("## ", "# ", "- ", "2026-01-02", ": ", "\n", "\r\n", "**Decision:** ", "| "),
        *(
            "Decision",
            "Why",
            "| --- |",
            "```",
            "[2026-01-02 10:00:00] - ",
            "ADR-1: ",
            "(",
            ")",
        ),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4)).map("".join)


def sample(name: str) -> DecisionLog:
    return parse((CORPUS / name).read_bytes().decode())


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


@given(TEXTS)
def test_any_text_renders_back(text: str) -> None:
    log = parse(text)

    assert log.text == text
    assert all(1 <= d.lines.first <= d.lines.last for d in log.decisions)


def test_it_reads_dated_lines() -> None:
    decisions = sample("house.md").decisions
    first, second, third = (one.content for one in decisions)

    assert (first.text, first.reason) == ("Keep REST", "clients know it")
    assert second.supersedes == "2026-10-01: long polling"
    assert (second.signed_off_by, second.signed_off_on) == ("Ana", day("2026-11-04"))
    assert (third.rejected, third.date) == (True, day("2026-11-05"))
    assert decisions[2].lines == Lines(5, 6)


def test_only_columns_with_a_known_name_are_parts_of_a_decision() -> None:
    text = "| # | Decision | Reason |\n| - | - | - |\n| 7 | Keep REST | known |\n"

    (found,) = parse(f"## Decisions\n\n{text}").decisions

    assert found.fields == (("decision", "Keep REST"), ("reason", "known"))


def test_it_reads_a_heading_with_bold_parts() -> None:
    record = sample("records.md").decisions[0]
    content = record.content

    assert (content.text, content.date) == ("Keep REST", day("2026-02-03"))
    assert content.reason == "Clients know it, and so do we."
    assert record.fields == (
        ("title", "API style"),
        ("context", "Two clients, one team."),
        ("decision", "Keep REST"),
        ("reason", "Clients know it, and so do we."),
        ("consequences", "no streaming"),
    )
    assert record.lines == Lines(5, 15)


def test_it_reads_a_numbered_record_with_headings() -> None:
    record = sample("records.md").decisions[1]

    assert record.content.text == "Postgres 17 for all services."
    assert (record.status, record.content.date) == ("Accepted", None)
    assert dict(record.fields)["title"] == "Use Postgres"


def test_a_bold_part_ends_at_a_blank_line_and_one_under_its_heading_does_not() -> None:
    (decision,) = parse(
        "## 2026-11-01: Queues\n\n**Decision**: Use\nqueues\n\nnot this\n\n"
        "### Notes\n\n**Status**: agreed\n\nnor this\n\n### Why\n\nthey\n\nlast\n"
    ).decisions

    assert (decision.content.text, decision.content.reason) == (
        "Use queues",
        "they last",
    )
    assert "this" not in repr(decision.fields)


def test_it_reads_a_dated_heading_without_parts() -> None:
    contents = [one.content for one in sample("records.md").decisions]

    assert (contents[2].text, contents[2].date) == ("Use queues", day("2026-03-01"))
    assert len(contents) == 3


def test_it_reads_one_record_a_file() -> None:
    (record,) = sample("adr-003.md").decisions

    assert record.content.text == "Files are the truth."
    assert record.status == "Superseded"
    assert record.lines == Lines(1, 10)


def test_it_reads_tables_with_a_column_of_decisions() -> None:
    row, *_ = decisions = sample("table.md").decisions
    first, second, third = (one.content for one in decisions)

    assert (first.text, first.reason) == ("Feature flags", "safe rollout")
    assert (first.date, row.status, row.lines) == (
        day("2026-05-01"),
        "active",
        Lines(5, 5),
    )
    assert second.text == "a | b"
    assert third.text.startswith("使用 Postgres")


@pytest.mark.parametrize("name", ["days.md", "crlf.md"])
def test_it_reads_days_with_lists_and_stamped_lines(name: str) -> None:
    contents = (one.content for one in sample(name).decisions)
    found = [(one.date and one.date.isoformat(), one.text) for one in contents]

    assert found == [
        ("2026-06-01", "Move to uv"),
        ("2026-06-01", "**Pin** versions"),
        ("2026-06-02", "Cache headers"),
        ("2025-05-04", "Use modes"),
        ("2025-05-05", "Split the switch - no: keep"),
        ("2025-05-06", "Bold day"),
    ]


@pytest.mark.parametrize("name", sorted(p.name for p in CORPUS.iterdir()))
def test_a_new_decision_is_added_at_the_end(name: str) -> None:
    log = sample(name)
    new = DecisionText(day("2026-12-01"), "Ship it", reason="it is time")

    edited = parse(with_decision(log.text, new))

    assert edited.text.startswith(log.text)
    assert edited.text.rstrip().endswith("- 2026-12-01: Ship it (it is time)")
    assert len(edited.decisions) == len(log.decisions) + 1
    again = with_decision(edited.text, new)
    assert len(again) - len(edited.text) == len(edited.text.split("\n")[-2]) + 1


def test_a_decision_follows_the_list() -> None:
    new = DecisionText(day("2026-12-01"), "b")

    edited = with_decision("- 2026-11-30: a", new)

    assert edited == "- 2026-11-30: a\n- 2026-12-01: b\n"


def test_a_decision_of_two_lines_is_refused() -> None:
    with pytest.raises(FormatError):
        with_decision("", DecisionText(None, "a\nb"))


def test_a_new_log_is_read_back() -> None:
    decisions = [DecisionText(day("2026-01-02"), "a", "b"), DecisionText(None, "c")]

    text = render_log(decisions)

    assert text == "# Decisions\n\n- 2026-01-02: a (b)\n- c\n"
    assert [one.content.text for one in find_decisions(text)] == ["a", "c"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memories/decisions.md", True),
        ("memory/decisions.md", True),
        ("docs/Architecture-Decisions.md", True),
        ("memory/2026-01-02-decision-about-api.md", False),
        ("memory/decisions.json", False),
        ("memory/notes.md", False),
        ("20260102-decisions.md", False),
        ("DECISIONS.MD", True),
    ],
)
def test_it_matches_by_name(path: str, *, expected: bool) -> None:
    assert NAME == "decision_log"
    assert matches(PurePosixPath(path), "") is expected


def test_a_stamped_line_has_the_reason_of_the_line_behind_it() -> None:
    text = (
        "# Decision Log\n\n[2026-08-05 09:05:00] - Playtests are remote only\n"
        "Rationale: the flat holds four people.\n"
    )

    assert [(one.content.text, one.content.reason) for one in find_decisions(text)] == [
        ("Playtests are remote only", "the flat holds four people.")
    ]


def test_a_table_may_name_its_columns_in_another_language() -> None:
    row = "| 2026-09-28 | Kein Sekt | zu teuer |"
    text = f"| Datum | Was | Warum |\n|---|---|---|\n{row}\n"

    (found,) = find_decisions(text)

    assert (found.content.text, found.content.reason) == ("Kein Sekt", "zu teuer")
    assert found.content.date == datetime.date(2026, 9, 28)


def test_a_record_may_begin_with_its_decision() -> None:
    (record,) = parse("## API style\n\n### Decision\n\nKeep REST\n").decisions

    assert record.content.text == "Keep REST"


@pytest.mark.parametrize(
    "line",
    [
        "Three rules:",
        "规则：",
        "n/a",
        "Proposal: sell the van",
        "TBD",
        "Keep REST?",
        "用吗？",
        "(see the other file)",
        "No decision taken",
    ],
)
def test_what_is_open_or_a_fact_is_no_decision(line: str) -> None:
    assert find_decisions(f"# Decisions\n\n- {line}\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "## 2026-01-02: a\n" * 20_000,
        "# a\n## b\n### c\n#### d\n" * 5_000,
        "| Decision |\n|---|\n" + "| a |\n" * 50_000,
        "- " + "[" * 200_000,
        "|" + "-" * 200_000 + "x",
        "| Decision |\n|" + "-|" * 100_000 + "x",
        "**" * 100_000,
        "| Decision |\n|" + " " * 200_000 + "x",
    ],
)
def test_large_texts_are_read(text: str) -> None:
    assert parse(text).text == text


def test_a_row_that_is_pending_is_no_decision() -> None:
    table = "| Decision | Status |\n|---|---|\n| Use X | {} |\n"

    assert parse(table.format("active")).decisions
    assert not parse(table.format("pending")).decisions
