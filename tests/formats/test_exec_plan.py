from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.exec_plan import parse
from memoryhub.dialects.facts import Document, Topic
from memoryhub.dialects.registry import detect
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/exec_plan/samples"
HEAD = "# Plan\n\n## Progress\n\n## Decision Log\n\n"
PIECES = st.sampled_from(
    [
        *("## Progress\n", "## Decision Log\n", "- [x] (2026-05-01 13:00Z) ", "- [ ] "),
        *("- Decision: ", "Rationale: ", "  Date/Author: 2026-05-01 / a\n", "\n", "a"),
        *("**", "```\n", "\r\n", "2026-99-99", "(", ")"),
    ]
)


def plan() -> Document:
    return parse((CORPUS / "tide-import.md").read_text("utf-8"))


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text
    assert parse(HEAD + text).text == HEAD + text


def test_the_status_of_a_plan_is_its_purpose_not_the_words_of_its_form() -> None:
    (found,) = plan().told
    (bare,) = parse(
        "# Plan\n\nA living document.\n\n## Progress\n\n## Decision Log\n"
    ).told

    assert isinstance(found, Topic) and isinstance(bare, Topic)
    assert found.status == "The harbour board shows tomorrow's tides."
    assert found.status_lines == Lines(7, 7)
    assert bare.status == "A living document."


def test_steps_have_times() -> None:
    told = [(part.title, bool(part.kind), part.time.at) for part in plan().parts[:4]]

    at = datetime.datetime(2026, 5, 1, 13, 0, tzinfo=datetime.UTC)
    day = datetime.date(2026, 5, 2)
    open_at = datetime.datetime(2026, 5, 2, 9, 30, tzinfo=datetime.UTC)
    assert told == [
        ("Read the table of one harbour", True, at),
        ("Keep the last table if the night's one is broken", True, day),
        ("Show both tides of a day", False, open_at),
        ("Ask the harbour master for the winter table", False, None),
    ]


def test_done_steps_are_entries_and_all_are_items() -> None:
    told = [part.title for part in plan().parts if part.kind]
    items = [(one.text, one.done) for one in plan().statements().open_items]

    steps = [part.title for part in plan().parts[:4]]
    assert told == steps[:2]
    assert items == [*zip(steps, [True, True, False, False], strict=True)]


def test_decisions_have_authors_that_are_one_word() -> None:
    entries = ("2026-05-01 / scout", "2026-05-02 13:00Z / the whole crew", "2026-05-03")
    log = "".join(f"- Decision: Keep {n}\n  Date/Author: {said}\n"
                  for n, said in enumerate(entries))  # fmt: skip

    told = [(part.time.at, part.agent) for part in parse(HEAD + log).parts]

    assert [agent for _, agent in told] == ["scout", "", ""]
    assert [at.day for at, _ in told if at] == [1, 2, 3]


def test_decisions_have_reasons() -> None:
    assert [(one.text, one.reason) for one in plan().statements().decisions] == [
        (
            "Times are kept in UTC, and shown in harbour time",
            "the summer hour comes twice a year",
        ),
        ("No retries during the night", "the server bans us"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("plans/tide.md", HEAD, "exec_plan"),
        ("PLANS.md", HEAD, "exec_plan"),
        ("PLANS.md", f"# How to plan\n\n```md\n{HEAD}```\n", "plain"),
        ("plans/tide.md", "# Plan\n\n## Progress\n", "plain"),
        ("memory-bank/progress.md", HEAD, "memory_bank"),
    ],
)
def test_two_headings_tell_it(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


def test_large_files_are_read() -> None:
    step = "- [x] (2026-05-01 13:00Z) a\n"
    text = (
        f"## Progress\n\n{step * 20_000}\n## Decision Log\n\n- " + "Decision: " * 9_000
    )

    assert len(parse(text).parts) == 20_000
