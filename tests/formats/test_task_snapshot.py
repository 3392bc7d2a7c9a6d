from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.task_snapshot import (
    SECTIONS,
    TaskSnapshot,
    find_snapshots,
    matches,
    newest,
)
from memoryhub.formats.base import Lines
from tests.growth import assert_ends

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/task_snapshot/samples"
START, END = "<!-- BIG-MEMORY-SNAPSHOT v1 -->", "<!-- /BIG-MEMORY-SNAPSHOT -->"


def read(name: str) -> str:
    return (CORPUS / name).read_bytes().decode()


@pytest.fixture
def first() -> TaskSnapshot:
    return find_snapshots(read("daily_log.md"))[0]


def test_it_reads_the_comments_and_the_heading(first: TaskSnapshot) -> None:
    assert first.version == 1
    assert first.snapshot_id == "2026-03-10-01"
    assert first.timestamp == datetime.datetime(2026, 3, 10, 14, 5)
    assert first.clock == "14:05"
    assert (first.agent, first.topic) == ("builder", "api-redesign")


def test_it_reads_the_state(first: TaskSnapshot) -> None:
    assert first.goal == "Move the users API to cursors, because offsets skip rows."
    assert (first.phase, first.branch) == ("implementing", "feat/cursors")
    assert (first.blocked, first.blocked_by) == (True, "the partner's rate limit")
    assert (first.progress, first.percent) == ("3 of 5 endpoints done", 60)


def test_it_reads_files_and_names(first: TaskSnapshot) -> None:
    assert [(f.path, f.purpose) for f in first.files] == [
        ("/srv/api/users.py", "the endpoint"),
        ("src/relative.py", "its test"),
    ]
    names = [(name.kind, name.text) for name in first.key_names]
    assert names == [("Table name", "user_sessions"), ("", "ERR_DUPLICATE_KEY")]


def test_it_reads_decisions_of_both_forms(first: TaskSnapshot) -> None:
    choices = [(choice.text, choice.reason) for choice in first.decisions]

    assert choices == [("Use cursors", "offsets skip rows"), ("Keep v1", "old clients")]


def test_it_reads_blockers_and_steps(first: TaskSnapshot) -> None:
    assert [point.kind for point in first.blockers] == ["blocker", "question", ""]
    assert first.blockers[0].text == "the rate limit is 10 a second"
    steps = [step.text for step in first.next_steps]
    assert steps == ["Finish `/srv/api/users.py` with the edge cases", "Write tests"]


def test_code_keeps_its_own_headings(first: TaskSnapshot) -> None:
    assert first.code.startswith("```python\n# a comment")
    assert [part.title for part in first.sections] == list(SECTIONS)


def test_every_value_has_its_lines(first: TaskSnapshot) -> None:
    lines = read("daily_log.md").split("\n")

    assert lines[first.lines.first - 1] == "---"
    assert lines[first.lines.last - 1] == END
    assert lines[first.files[0].lines.first - 1].startswith("- `/srv/api/users.py`")
    step = first.next_steps[0].lines
    assert lines[step.last - 1] == "   with the edge cases"
    names = first.section("Key Names & Values")
    assert names and lines[names.lines.first - 1] == "### [SNAPSHOT] Key Names & Values"


def test_the_word_none_is_an_empty_field() -> None:
    second = find_snapshots(read("daily_log.md"))[1]

    assert (second.goal, second.code, second.branch) == ("", "", "")
    assert not (second.files or second.key_names or second.blockers)
    assert (second.blocked, second.percent) == (False, 60)
    assert [step.text for step in second.next_steps] == ["Ship it."]
    assert second.problems == ()


def test_a_relative_path_is_a_problem(first: TaskSnapshot) -> None:
    assert [(p.code, p.parameters) for p in first.problems] == [
        ("path-relative", {"path": "src/relative.py"})
    ]


def test_quotes_and_templates_are_no_snapshots() -> None:
    assert find_snapshots(read("quoted_template.md")) == ()


def test_snapshots_without_an_end_are_closed_and_reported() -> None:
    first, second = find_snapshots(read("broken.md"))

    assert not first.terminated
    assert (first.phase, first.goal) == ("debugging", "No end here.")
    assert first.lines == Lines(1, 16)
    codes = [problem.code for problem in first.problems]
    assert codes[:2] == ["unterminated", "snapshot-id-missing"]
    assert "sections-out-of-order" in codes
    assert (second.version, second.clock, second.goal) == (2, "09:30", "Also no end.")
    assert second.lines == Lines(17, 25)


def test_crlf_reads_the_same(first: TaskSnapshot) -> None:
    read_back = find_snapshots(read("crlf.md"))[0]

    assert read_back.goal == first.goal
    assert read_back.lines == first.lines
    assert read_back.files == first.files
    assert read_back.next_steps == first.next_steps


def test_the_latest_timestamp_wins() -> None:
    snapshots = find_snapshots(read("daily_log.md"))

    assert newest(snapshots) == snapshots[1]
    assert newest(reversed(snapshots)) == snapshots[1]
    assert newest(()) is None


def test_of_equal_times_the_later_place_wins() -> None:
    block = f"{START}\n<!-- timestamp: 2026-03-10T08:00:00 -->\n{END}\n"
    snapshots = find_snapshots(block + block)

    assert newest(snapshots) is snapshots[1]


@given(
    st.lists(
        st.sampled_from(
            [START, END, "```", "```x", "~~~", "---", "## Task Snapshot -- 10:00", ""]
            + [f"### [SNAPSHOT] {title}" for title in SECTIONS]
            + ["<!-- timestamp: 2026-03-10T08:00:00 -->", "- a: b -- c", "1. x: y"]
            + ["- Blocked: yes", "# H", "none", "  more"]
        )
        | st.text(max_size=6)
    )
)
def test_it_reads_every_text(lines: list[str]) -> None:
    text = "\n".join(lines)

    found = find_snapshots(text)

    count = len(text.split("\n"))
    for snapshot in found:
        first, last = snapshot.lines
        assert 1 <= first <= last <= count
        assert snapshot.text in text
        source = "\n".join(text.split("\n")[first - 1 : last])
        assert source.rstrip() == snapshot.text.rstrip()


def test_it_matches_files_of_nothing_but_snapshots() -> None:
    block = f"{START}\n<!-- timestamp: 2026-03-10T08:00:00 -->\n{END}\n"

    assert matches(PurePosixPath("snapshots/one.md"), f"# Title\n\n---\n\n{block}")
    assert not matches(PurePosixPath("memory/2026-03-10.md"), block)
    assert not matches(PurePosixPath("notes.md"), f"some text\n{block}")
    assert not matches(PurePosixPath("notes.md"), "# Title\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{START}\n" * 20_000,
        f"{START}\n{END}\n" * 6_000,
        f"{START}\n" + "```\n" * 100_000,
        f"{START}\n" + "### [SNAPSHOT] Next Steps\n- a\n" * 6_000,
        f"{START}\n### [SNAPSHOT] Next Steps\n" + "x" * 200_000 + " " * 200_000,
        START + " " * 200_000 + "x\n",
        (" " * 999 + "\n") * 999 + START,
    ],
    ids=["starts", "blocks", "fences", "headings", "line", "blanks", "lead"],
)
def test_it_reads_large_texts(text: str) -> None:
    assert_ends(lambda: find_snapshots(text))
