"""Which headings, stamped lines and table rows of a decision log are decisions."""

from __future__ import annotations

import datetime

import pytest

from memoryhub.dialects.decision_log import (
    DecisionText,
    find_decisions,
    parse,
    with_decision,
)
from memoryhub.formats.base import Lines

ROO = """\
# Decision Log


- 2026-01-02: Use queues
[2026-05-04 12:00:00] - **Storage X**
Decision: Keep SQLite
Rationale: one machine

## Moved
- 2026-05-05: Move to uv

[2026-05-06 09:00:00] - Ship weekly
- 2026-05-07: Pin versions

[2026-05-08 09:00:00] - **Names**
Decision: Short ones
[2026-05-09 09:00:00] - Bread
Decision: Rye
"""
EXAMPLE = "```\n[2026-05-01 09:00:00] - Example\nRationale: x\n```\n"


@pytest.mark.parametrize("example", ["", EXAMPLE])
def test_a_stamped_line_above_its_parts_is_the_title_of_a_record(example: str) -> None:
    by = example.count("\n")

    decisions = parse(example + ROO).decisions

    assert [(one.lines.first - by, one.content.text) for one in decisions] == [
        (4, "Use queues"),
        (5, "Keep SQLite"),
        (10, "Move to uv"),
        (12, "Ship weekly"),
        (13, "Pin versions"),
        (15, "Short ones"),
        (17, "Rye"),
    ]
    ends = [one.lines.last - by for one in decisions]
    assert ends == [4, 8, 10, 12, 13, 16, 18]
    assert {one.status for one in decisions} == {""}
    assert decisions[1].content.reason == "one machine"
    assert decisions[1].content.date == datetime.date(2026, 5, 4)
    assert decisions[1].fields[0] == ("title", "Storage X")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # A day ends where another heading of its level begins.
        (
            (
                "# Log\n## 2026-06-01\n- Move to uv\n### Cache headers\nOne hour.\n"
                "## Notes\n- fixed the pump\n### Cellar\nIt was wet.\n"
            ),
            [(3, "Move to uv", "2026-06-01"), (4, "Cache headers", "2026-06-01")],
        ),
        ("## 3 May 2026 – Use queues\n\nx\n", [(1, "Use queues", "2026-05-03")]),
        (
            "## 2026-03-01: Move the launch to 2026-04-01\n\nx\n",
            [(1, "Move the launch to 2026-04-01", "2026-03-01")],
        ),
        ("## Decision: Keep REST\n\nx\n", [(1, "Keep REST", None)]),
        ("## D-4: Keep REST.\n\nx\n", [(1, "Keep REST", None)]),
        (
            "## 2026-06-01\n### Decisions\n- Move to uv\n",
            [(3, "Move to uv", "2026-06-01")],
        ),
        (
            "## Deployment\nText.\n### Queue\nDecision: Use one\n",
            [(3, "Use one", None)],
        ),
        ("# Notes\n2026-05-01: Use queues\n", []),
        (
            "## 2026-05-01 – ADR-4: Keep REST\n\nx\n",
            [(1, "Keep REST", "2026-05-01")],
        ),
        (
            "## 2026-06-01\n### Decision\n- Move to uv\n",
            [(3, "Move to uv", "2026-06-01")],
        ),
        ("# 2026-03-01: Plans\n\nText.\n", []),
        ("# API style\n\n#### Decision\nKeep REST\n", [(1, "Keep REST", None)]),
        ("## API style\n\n#### Decision\nKeep REST\n", []),
        ("## 2026-06-01\n### Context\n- It was wet\n", []),
        (
            "## 2026-05-01\n\n| Decision | Why |\n|---|---|\n| Keep REST | |\n",
            [(5, "Keep REST", "2026-05-01")],
        ),
    ],
)
def test_headings_and_days_say_what_is_a_decision(
    text: str, found: list[tuple[int, str, str | None]]
) -> None:
    assert [
        (one.lines.first, one.content.text, one.content.date and str(one.content.date))
        for one in find_decisions(text)
    ] == found


def test_the_parts_of_a_stamped_line_may_be_headings() -> None:
    first, second = parse(
        "[2026-05-04 12:00:00] - Storage\n\n### Decision\nKeep SQLite\n\n"
        "### Rationale\none machine\n\n### Later\n- 2026-05-05: Move to uv\n"
    ).decisions

    assert (first.content.text, first.content.reason, first.lines) == (
        "Keep SQLite",
        "one machine",
        Lines(1, 8),
    )
    assert (second.content.text, second.lines) == ("Move to uv", Lines(10, 10))


@pytest.mark.parametrize(
    ("part", "found"), [("*", ["Cache"]), ("Keep one", ["Keep one"])]
)
def test_a_stamped_record_whose_decision_is_open_is_none(
    part: str, found: list[str]
) -> None:
    text = f"[2026-08-07 09:00:00] - Cache\nDecision: {part}\nRationale: measuring\n"

    assert [one.content.text for one in find_decisions(text)] == found


def test_of_equal_parts_of_a_record_the_first_counts() -> None:
    (found,) = find_decisions(
        "## API style\n\n- Decision: Keep REST (clients know it)\n- Date: 2026-02-03\n"
        "- Supersedes: polling\n- Status: accepted\n- Decision: Use SOAP\n"
    )

    assert found.content == DecisionText(
        datetime.date(2026, 2, 3), "Keep REST", "clients know it", "polling"
    )
    assert (found.status, found.lines) == ("accepted", Lines(1, 7))
    assert [name for name, _ in found.fields][:2] == ["title", "decision"]


def test_a_record_named_as_its_decision_has_no_title() -> None:
    (found,) = find_decisions("## Keep REST\n\nDecision: Keep REST\nReason: known\n")

    assert found.fields == (("decision", "Keep REST"), ("reason", "known"))


def test_bullets_below_a_part_are_its_text_until_a_paragraph_or_the_decision() -> None:
    text = (
        "# Decisions\n\nRationale:\n- clients know it\n  and so do we\n- tools exist\n"
        "\nXML is agreed, and:\n- Keep REST\n\nReason: see above\n- Pin versions\n"
        "Decision:\n- Ship weekly\n"
    )

    assert [(one.lines.first, one.content.text) for one in find_decisions(text)] == [
        (9, "Keep REST"),
        (12, "Pin versions"),
        (14, "Ship weekly"),
    ]


def test_tables_are_read_wherever_their_columns_are_named() -> None:
    text = (
        "# D\n\n| DATE | Decision |\n|---|---|\n| 2026-05-01 | Keep REST |\nText.\n"
        "| Name | Value |\n|---|---|\n| a | 2026-05-02 |\n\n```\n| Decision |\n|---|\n"
        "| Keep SOAP |\n```\n  | Choice | Reason |\n  |:-:|--|\n"
        "  | **Use SSE** | one way |\n"
    )

    rows = [(one.lines, one.content.text, one.fields) for one in find_decisions(text)]

    assert rows == [
        (
            Lines(5, 5),
            "Keep REST",
            (("date", "2026-05-01"), ("decision", "Keep REST")),
        ),
        (
            Lines(18, 18),
            "Use SSE",
            (("decision", "Use SSE"), ("reason", "one way")),
        ),
    ]


def test_a_stamped_line_keeps_its_own_reason_and_takes_no_other_part() -> None:
    stamp = "[2026-08-05 09:05:00] -"
    found = find_decisions(
        f"# Decision Log\n\n{stamp} Play remotely (small flat)\nRationale: x\n"
        f"{stamp} Ship weekly\nContext: late\nRationale: x\n\n{EXAMPLE}"
    )

    assert [(one.content.text, one.content.reason) for one in found] == [
        ("Play remotely", "small flat"),
        ("Ship weekly", ""),
    ]


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("## 2026-03-01: Use queues\n\nx\n", "\n## Decisions\n\n- b\n"),
        (
            "## 2026-03-01: Use queues\nx\n### Notes\n",
            "\n## Decisions\n\n- b\n",
        ),
        ("### 2026-03-01: Use queues\nx", "\n\n### Decisions\n\n- b\n"),
        ("# D\n\n## 2026-03-01: Use queues\nx\n\n## Notes\nx\n", "\n- b\n"),
        ("# D\n\n* 2026-01-01: a\n  - detail\n", "- b\n"),
        ("# D\n\n", "- b\n"),
        ("Text.\n", "\n- b\n"),
        ("", "- b\n"),
    ],
)
def test_a_decision_gets_a_heading_only_below_a_record(text: str, added: str) -> None:
    assert with_decision(text, DecisionText(None, "b")) == text + added
