from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.session_compact import (
    CONSTRAINTS,
    DECISIONS,
    KNOWN_ISSUES,
    PENDING,
    TITLES,
    SessionAnalysis,
    SessionCompact,
    analysis_from_json,
    matches,
    moment_of,
    parse,
    render_session,
    split_known,
)
from tests.growth import assert_ends

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/session_compact/samples"
MEMORY = "CMEM-20260310-140500.md"

HEADINGS = ("One", "Two (Of Three)", "Three")


def read(name: str) -> str:
    return (CORPUS / name).read_bytes().decode()


@pytest.fixture
def memory() -> SessionCompact:
    return parse(read(MEMORY))


@pytest.fixture
def handmade() -> SessionCompact:
    return parse(read("handmade.md"))


def test_it_reads_the_front_matter_of_a_memory_file(memory: SessionCompact) -> None:
    assert memory.memory_id == "CMEM-20260310-140500"
    assert memory.created == datetime.datetime(2026, 3, 10, 14, 5, tzinfo=datetime.UTC)
    assert (memory.archived, memory.tags) == (True, ("api", "数据库"))
    assert memory.summary == "Cursors: half done"
    assert memory.content.startswith("## Session ID\n")


def test_a_memory_file_can_be_canonical(memory: SessionCompact) -> None:
    assert memory.canonical
    assert render_session(memory.analysis) == memory.content
    assert tuple(part.title for part in memory.sections) == TITLES


def test_the_plan_may_hold_headings_and_details(memory: SessionCompact) -> None:
    assert memory.analysis.plan_source == "workflow"
    assert memory.analysis.plan.startswith("## Phase 1\n")
    assert memory.analysis.plan.endswith("## Notes\nalso of the plan")


def test_a_role_may_hold_parentheses(memory: SessionCompact) -> None:
    assert [(file.path, file.purpose) for file in memory.working_files] == [
        ("/srv/api/users.py", "endpoint (main)"),
        ("/srv/api/page.py", ""),
    ]


def test_a_decision_keeps_its_raw_text(memory: SessionCompact) -> None:
    (choice,) = memory.decisions

    assert (choice.text, choice.reason) == (
        "Use cursors",
        "offsets skip rows: always",
    )
    (raw,) = memory.items[DECISIONS]
    assert raw.text == "Use cursors: offsets skip rows: always"


def test_items_have_their_lines(memory: SessionCompact) -> None:
    lines = memory.text.split("\n")

    (constraint,) = memory.items[CONSTRAINTS]
    assert constraint.text == "No new packages\n  without asking"
    assert lines[constraint.lines.last - 1] == "  without asking"
    assert [lines[item.lines.first - 1] for item in memory.items[PENDING]] == [
        "- page.py",
        "- webhooks",
    ]


def test_it_reads_a_handmade_one(handmade: SessionCompact) -> None:
    assert not handmade.canonical
    assert handmade.title == "Session memory: 分页"
    said = handmade.analysis
    assert said.project_root == "D:\\work\\api"
    assert (said.session_id, said.objective) == ("", "Move to cursors.")
    assert (said.plan_source, said.plan) == ("", "1. First\n2. Second")
    assert handmade.created == datetime.datetime(2026, 3, 11, 9, 0)
    assert said.notes.endswith("*saved by hand*")


def test_it_reads_looser_files_and_decisions(handmade: SessionCompact) -> None:
    assert [(file.path, file.purpose) for file in handmade.working_files] == [
        ("src\\users.py", "created"),
        ("src\\page.py", "expanded: 166→199"),
        ("src/plain.py", ""),
        ("src/a.py", "the helper"),
    ]
    assert [(choice.text, choice.reason) for choice in handmade.decisions] == [
        ("Use cursors", "offsets skip rows"),
        ("Keep v1", ""),
        ("用游标", "更快"),
    ]


def test_words_for_none_are_no_items(handmade: SessionCompact) -> None:
    assert not handmade.items[KNOWN_ISSUES]
    assert not handmade.reference_files
    pending = [item.text for item in handmade.items[PENDING]]
    assert pending == ["[ ] page.py", "[x] users.py"]
    assert parse(read("crlf.md")).items[PENDING] == ()


def test_crlf_values_have_no_returns() -> None:
    said = parse(read("crlf.md")).analysis

    assert (said.session_id, said.project_root) == ("WFS-1", "/p")


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.md")), ids=lambda p: p.stem)
def test_it_gives_back_every_sample(path: Path) -> None:
    text = path.read_bytes().decode()

    assert parse(text).text == text
    assert matches(PurePosixPath("notes.md"), text)


def test_it_matches_by_name_or_by_headings() -> None:
    three = "## Objective\nx\n\n## Last Action\ny\n\n## Notes\nz\n"

    assert matches(
        PurePosixPath("memory/sessions/CMEM-20260310-140500.md"), "free text"
    )
    assert matches(PurePosixPath("a.md"), "\n" + three)
    assert not matches(PurePosixPath("a.md"), three.replace("Last Action", "Decisions"))
    assert not matches(PurePosixPath("a.md"), "## Session ID\nx\n")


def test_an_id_tells_its_time() -> None:
    assert moment_of("CMEM-20260310-140500") == datetime.datetime(2026, 3, 10, 14, 5)
    assert moment_of("CMEM-20269910-140500") is None
    assert moment_of("") is None


def test_odd_json_is_an_empty_analysis() -> None:
    assert analysis_from_json({"executionPlan": 5, "pending": "x"}) == SessionAnalysis()


_TEXT = st.lists(
    st.sampled_from([f"## {title}" for title in TITLES] + ["<details>", "</details>"])
    | st.sampled_from(["", "- a: b", "- x (role: y)", "(none)", "### Source: todo"])
    | st.text(max_size=8)
).map("\n".join)


@given(_TEXT)
def test_it_reads_every_text(text: str) -> None:
    session = parse(text)

    assert session.text == text
    for part in session.sections:
        assert text.split("\n")[part.lines.first - 1].startswith("## ")


_LINE = st.text(alphabet="abc (x)数", min_size=1, max_size=9)


@given(_LINE, _LINE, st.lists(_LINE, max_size=3))
def test_what_it_writes_it_reads_back(word: str, note: str, items: list[str]) -> None:
    analysis = SessionAnalysis(
        session_id="WFS-1",
        objective=word,
        plan_source="todo",
        plan=note,
        working_files=((word, note),),
        decisions=((word, note),),
        pending=tuple(items),
        notes=note,
    )

    assert parse(render_session(analysis)).analysis == analysis


@pytest.mark.parametrize(
    "text",
    [
        "## Notes\n" * 100_000,
        "".join(f"## {title}\n" for title in TITLES) * 6_000,
        "## Execution Plan\n<details>\n" + "\n</details>\n\n" * 100_000,
        "## Session ID\n" + "- " * 200_000,
        "## Decisions\n" + "- a: b\n" * 60_000,
    ],
    ids=["notes", "titles", "details", "line", "items"],
)
def test_it_reads_large_texts(text: str) -> None:
    assert parse(text).text == text


def test_it_takes_the_longest_run_in_order() -> None:
    text = "## One\na\n## Three\nb\n\n## two\nc\n\n## Three\nd"

    parts = split_known(text, HEADINGS)

    assert [(part.title, part.body.strip()) for part in parts] == [
        ("One", "a\n## Three\nb"),
        ("Two (Of Three)", "c"),
        ("Three", "d"),
    ]
    assert [part.lines.first for part in parts] == [1, 6, 9]


def test_of_equal_headings_the_first_counts() -> None:
    (part,) = split_known("## One\na\n## One\nb", HEADINGS)

    assert part.body == "a\n## One\nb"


def test_hidden_headings_do_not_count() -> None:
    text = "## One\n## Two\nx\n"

    assert len(split_known(text, HEADINGS)) == 2
    assert len(split_known(text, HEADINGS, hidden=(7, 13))) == 1
    assert [part.title for part in split_known(text, HEADINGS, start=1)] == [
        "Two (Of Three)"
    ]


def test_a_text_without_headings_has_no_sections() -> None:
    assert split_known("One\n### Two\n", HEADINGS) == ()


@pytest.mark.parametrize("part", ["\t", "<summary>"])
def test_a_long_line_in_a_plan_is_read_to_its_end(part: str) -> None:
    text = f"## Objective\nx\n\n## Execution Plan\n<details>\n{part * 300_000}x\n"

    assert_ends(lambda: parse(text))
