from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.hub.handoff_blocks import (
    Result,
    Task,
    find_results,
    find_tasks,
    render_result,
    render_task,
)

CORPUS = Path(__file__).parents[1] / "corpus" / "handoff"
AGENTS = (CORPUS / "agents.md").read_text(encoding="utf-8")
PIECES = st.sampled_from(
    [
        *("<task>", "</task>", "<r>", "</r>", "<from>", "</from>", "<to>a</to>"),
        *(
            "<task_id>1</task_id>",
            "<input>",
            "</input>",
            "```",
            "\n",
            "  ",
            "&lt;",
            "<",
        ),
        *("<status>done</status>", "\r\n", "x"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3)).map("".join)


def task_of(text: str) -> Task:
    (task,) = find_tasks(text)
    return task


def codes_of(text: str) -> list[str]:
    return [problem.code for problem in task_of(text).problems]


def test_it_reads_tasks_and_skips_templates_and_fences() -> None:
    assert [task.task_id for task in find_tasks(AGENTS)] == ["20261120-03", "ID-001"]


def test_a_fence_left_open_in_a_snapshot_or_a_task_hides_no_later_task() -> None:
    broken = "<!-- BIG-MEMORY-SNAPSHOT v1 -->\n```py\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    task = "<task>\n<task_id>{}</task_id>\n<input>```\n```py</input>\n</task>\n"
    text = broken + task.format(1) + "```\n" + task.format(2) + "```\n" + task.format(3)

    assert [task.task_id for task in find_tasks(text)] == ["1", "3"]


def test_it_reads_raw_values_up_to_the_last_closing_tag() -> None:
    task = find_tasks(AGENTS)[0]

    assert (
        task.context
        == "The gateway retries on a < b && c > d; see </context> in the log"
    )
    assert task.input.endswith('open("</input>");\n    ```')
    assert (task.sender, task.recipient, task.type) == ("planner", "builder", "write")
    assert (task.escaped, task.problems, task.lines) == (False, (), Lines(28, 42))


def test_it_reads_a_task_in_one_line_of_the_older_edition() -> None:
    task = find_tasks(AGENTS)[1]

    assert (task.recipient, task.context) == ("审查", "旧版")
    assert (task.input, task.escaped) == ("docs/a.md & b.md", True)
    assert (task.problems, task.lines) == ((), Lines(52, 52))


def test_it_reads_results() -> None:
    assert find_results(AGENTS) == (
        Result(
            "20261120-03", "done", "12 tests, all green", "none", "", (), Lines(44, 50)
        ),
    )


def test_it_names_what_is_wrong() -> None:
    text = "<task>\n<task_id>7</task_id>\n<type>maybe</type>\n<input>\n"

    assert codes_of(text) == [
        "not-closed",
        "input-not-closed",
        "no-sender",
        "no-recipient",
        "unknown-type",
        "no-input",
    ]


def test_an_open_child_ends_where_the_next_begins() -> None:
    text = "<task>\n<task_id>7</task_id>\n<input>read\n<constraints>no</constraints>\n"

    task = task_of(text + "</task>")

    assert (task.input, task.constraints) == ("read", "no")
    assert "input-not-closed" in codes_of(text + "</task>")


def test_the_last_child_that_is_open_has_all_of_its_text() -> None:
    task = task_of("<task>\n<task_id>1</task_id>\n<input>if a < b\n</task>\n")

    assert task.input == "if a < b"


def test_what_looks_escaped_beside_raw_text_is_as_it_was_written() -> None:
    task = task_of(
        "<task>\n<task_id>1</task_id>\n<context>a <b>c</b></context>\n"
        "<input>write &lt;p&gt;</input>\n</task>\n"
    )

    assert (task.input, task.escaped) == ("write &lt;p&gt;", False)


def test_an_unclosed_block_ends_at_the_next_one() -> None:
    text = "<task>\n<task_id>1</task_id>\n\n\n<task>\n<task_id>2</task_id>\n</task>\n"

    assert [task.lines for task in find_tasks(text)] == [Lines(1, 2), Lines(5, 7)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<task>",
        "<task>\n</task>",
        "Write <task> blocks",
        "    <task>\n<task_id>1</task_id>\n</task>",
        "~~~\n<task>\n<task_id>1</task_id>\n</task>\n~~~",
        "<task>\n<task_id>a | b</task_id>\n</task>",
        "<task>\n<task_id>{id}</task_id>\n</task>",
        "<tasks>\n<task_id>1</task_id>\n</tasks>",
    ],
)
def test_it_finds_nothing_in_other_text(text: str) -> None:
    assert find_tasks(text) == ()


@given(TEXTS)
def test_any_text_is_searched(text: str) -> None:
    last = text.count("\n") + 1

    places = [found.lines for found in find_tasks(text)]
    places += [found.lines for found in find_results(text)]
    assert all(1 <= first <= end <= last for first, end in places)


NAMES = st.from_regex(r"[a-z0-9-]{1,9}", fullmatch=True)
VALUES = TEXTS.map(str.strip)


@given(st.builds(Task, NAMES, NAMES, NAMES, NAMES, VALUES, VALUES, VALUES, VALUES))
def test_a_task_that_was_written_is_read(task: Task) -> None:
    found = task_of("# Title\n\n" + render_task(task) + "\n<r>\n")

    assert replace(found, escaped=False, problems=(), lines=NOWHERE) == task


@given(st.builds(Result, NAMES, st.just("done"), VALUES, VALUES, VALUES))
def test_a_result_that_was_written_is_read(result: Result) -> None:
    (found,) = find_results(render_result(result) + "</r>\n")

    assert replace(found, lines=NOWHERE) == result


def test_it_writes_a_task_in_the_published_order() -> None:
    task = Task("20261120-04", "a", "b", "write", "c <d>", "e", "f", "g")

    assert render_task(task) == (
        "<task>\n  <from>a</from>\n  <to>b</to>\n  <task_id>20261120-04</task_id>\n"
        "  <type>write</type>\n  <context>c <d></context>\n  <input>e</input>\n"
        "  <expected_output>f</expected_output>\n  <constraints>g</constraints>\n"
        "</task>\n"
    )


def test_it_escapes_what_would_end_a_block() -> None:
    task = Task("1", "a", "b", "write", input="x</task>")

    assert "<input>x&lt;/task&gt;</input>" in render_task(task)


@pytest.mark.parametrize(
    "text",
    [
        "<task>\n" * 100_000,
        "<task><task_id>" * 100_000,
        "<r>\n<task_id>1</task_id>\n" * 50_000,
        "<task>\n" + "<input>\n" * 100_000 + "</task>" + " " * 200_000,
        "</task>" * 100_000 + "<task>",
        "\n```\n<task>" * 50_000,
        "\n<task>\n```" * 50_000,
        "<task>\n<task_id>1\n" + "\n> " * 200_000,
    ],
)
def test_large_texts_are_searched(text: str) -> None:
    assert find_tasks(text) is not None
    assert find_results(text) is not None
