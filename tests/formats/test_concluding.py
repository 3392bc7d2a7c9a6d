"""Decisions by the form of a sentence, by labels of choices, and in tables."""

from __future__ import annotations

import pytest
from memoryhub.formats.statements.decisions import StatedDecision
from memoryhub.formats.text.labels import is_decision_label

from memoryhub.formats.openclaw import daily_log
from memoryhub.formats.optimizer.decision_log import find_decisions

_LOG = "# 2026-05-04\n\n## 10:00 Work\n\n"


def _decided(*lines: str) -> list[StatedDecision]:
    return [*daily_log.parse(_LOG + "\n".join(lines) + "\n").decisions]


@pytest.mark.parametrize(
    "line",
    [
        "So the ferry tickets go to the counter from June.",
        "No paper forms, the harbour office scans everything anyway.",
        "From release 7 on exports carry a checksum.",
        "the rotation of logs: every week, not daily",
        "I'm leaving the old mirror out until somebody misses it.",
        "Took the slower pump instead of the loud one.",
        "Ottilie turned down the second quote.",
        "Anything older than two winters goes to the barn.",
    ],
)
def test_a_sentence_may_decide_by_its_form(line: str) -> None:
    assert [one.text for one in _decided(f"- {line}")] == [line]


@pytest.mark.parametrize(
    "line",
    [
        "So the cause is the old firmware.",
        "No errors, the night was quiet.",
        "No answer from the harbour office, they are closed.",
        "From then on it failed every hour.",
        "Cause: config, not code.",
        "I'm waiting for the pump until Friday.",
        "The server accepted the offer header.",
        "Joke of the day: we decided to sell the boat.",
        "Somebody on the forum decided to skip it.",
        "fix: timeout changed from 30 to 10, no longer too short",
    ],
)
def test_what_only_has_such_a_form_decides_nothing(line: str) -> None:
    assert _decided(f"- {line}") == []


@pytest.mark.parametrize(
    "label",
    ["Chosen approach", "Verdict", "Final plan", "Gewählter Anbieter", "最终方案"],
)
def test_a_label_of_a_choice_heads_decisions(label: str) -> None:
    assert is_decision_label(label)


@pytest.mark.parametrize("label", ["Approach", "Strategy", "Final report"])
def test_a_noun_alone_or_a_choice_to_come_heads_none(label: str) -> None:
    assert not is_decision_label(label)


def test_a_table_with_a_column_of_decisions_is_read_with_its_reasons() -> None:
    found = _decided(
        "| When | Decision | Why |",
        "|---|---|---|",
        "| May | Sail at dawn only | the fog lifts late |",
        "| tbd | Sell the dinghy | |",
    )

    assert [(one.text, one.reason) for one in found] == [
        ("Sail at dawn only", "the fog lifts late")
    ]


def test_what_follows_a_colon_belongs_to_the_decision() -> None:
    [found] = _decided("We decided to keep the wooden mast: the alloy one hums")

    assert found.text == "We decided to keep the wooden mast: the alloy one hums"
    assert found.reason == ""


def test_a_wrapped_paragraph_states_its_decision_once() -> None:
    found = _decided(
        "The crew talked about the winter berth for a long time, and in the end we",
        "decided to stay in the old harbour because the new one has no crane and",
        "nobody wanted to stay on a mooring.",
    )

    assert len(found) == 1


def test_roos_stamped_line_is_the_title_of_the_record_below_it() -> None:
    log = (
        "# Decision Log\n\n[2026-05-04 12:34:56] - **Storage**\n\n## Decision\n"
        "Keep one file per boat.\n\n## Rationale\n- owners take it home\n"
        "- a shared one was locked twice\n\n## Details\n- `boats/*.db`\n\n"
        "[2026-05-05 09:00:00] - Sails are washed in March\n"
    )

    found = [(one.content.text, one.content.reason) for one in find_decisions(log)]

    reason = "owners take it home; a shared one was locked twice"
    assert found == [
        ("Keep one file per boat.", reason),
        ("Sails are washed in March", ""),
    ]


def test_bullets_below_a_rationale_are_no_decisions() -> None:
    log = "# Log\n\n## 2026-05-04\n- Paint the hull\n\n### Rationale\n- rust\n"

    assert [one.content.text for one in find_decisions(log)] == ["Paint the hull"]
