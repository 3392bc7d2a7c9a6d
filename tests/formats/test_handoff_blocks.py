from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.handoff import (
    Result,
    Task,
    find_results,
    find_tasks,
    listed_in,
    render_result,
    render_task,
)
from memoryhub.formats.base import NOWHERE, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/handoff/samples"
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
    text = "<task>\n<task_id>7</task_id>\n<input>a < b\n<constraints>no</constraints>\n"

    task = task_of(text + "</task>")

    assert (task.input, task.constraints) == ("a < b", "no")
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


def test_a_child_may_quote_another_child() -> None:
    quoting = "<from>see </context></from>\n<context>\n<input>x</input>\n</context>"

    task = task_of(f"<task>\n<task_id>1</task_id>\n{quoting}\n</task>\n")

    assert (task.context, task.input) == ("<input>x</input>", "")


def test_children_that_are_open_are_named_with_hyphens() -> None:
    text = "<task>\n<task_id>1\n<type>write\n<expected_output>a plan\n</task>"
    task = task_of(text)

    assert (task.task_id, task.type) == ("1", "write")
    assert task.expected_output == "a plan"
    assert codes_of(text)[:3] == [
        "task-id-not-closed",
        "type-not-closed",
        "expected-output-not-closed",
    ]


def test_lines_are_counted_from_the_start_of_the_text() -> None:
    task = "<task>\n<task_id>1</task_id>\n</task> \t\n"

    found = find_tasks(f"\n\n{task}Text.\n\n{task}")

    assert [one.lines for one in found] == [Lines(3, 5), Lines(8, 10)]
    assert [problem.line for problem in found[1].problems] == [8] * 4


def test_a_block_without_an_end_is_read_up_to_its_last_words() -> None:
    (found,) = find_results("Text.\n<r>\n<status>done</status>\n<o>half\n\n  \n")

    assert (found.output, found.lines) == ("half", Lines(2, 4))
    assert [p.code for p in found.problems] == ["not-closed", "o-not-closed"]


def test_every_entity_of_an_escaped_block_is_read() -> None:
    task = task_of(
        "<task>\n<task_id>1</task_id>\n"
        "<input>a &lt;b&gt; &quot;c&quot; &apos;d&apos; &amp;lt;</input>\n</task>"
    )

    assert (task.input, task.escaped) == ("a <b> \"c\" 'd' &lt;", True)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("<context>" + "c" * 201 + "</context>", "context-too-long"),
        ("<priority>urgent</priority>", "unknown-priority"),
        ("<type>Write</type>", "unknown-type"),
        ("<to></to>", "no-recipient"),
        ("<from> </from>", "no-sender"),
        ("<task_id></task_id>", "no-task-id"),
        ("<input>\n</input>", "no-input"),
        ("<context>" + "c" * 200 + "</context>", ""),
        ("<priority>high</priority>", ""),
    ],
)
def test_each_child_that_is_wrong_is_named_alone(value: str, code: str) -> None:
    good = "<from>a</from>\n<to>b</to>\n<task_id>1</task_id>\n<type>write</type>\n"
    good += "<input>i</input>\n"
    name = value[1 : value.index(">")]
    others = [line for line in good.splitlines() if not line.startswith(f"<{name}>")]

    text = "\n".join(["<task>", *others, value, "</task>"])

    assert codes_of(text) == ([code] if code else [])


@pytest.mark.parametrize(
    ("children", "found"),
    [
        ("<from>a</from>\n<to>b</to>", 1),
        ("<to>b</to>", 0),
        ("<from>a</from>", 0),
        ("<from>a</from>\n<to>{agent}</to>", 0),
        ("<from>{agent}</from>\n<to>b</to>", 0),
        ("<task_id>1</task_id>\n<type>read_only | write</type>", 0),
        ("<task_id>1 {x}</task_id>", 1),
    ],
)
def test_a_task_has_an_id_or_both_agents_and_no_blanks_to_fill(
    children: str, found: int
) -> None:
    assert len(find_tasks(f"<task>\n{children}\n</task>\n")) == found


@pytest.mark.parametrize(
    ("children", "codes"),
    [
        ("<task_id>1</task_id><status>ready</status>", [["unknown-status"]]),
        ("<task_id>1</task_id>", [["unknown-status"]]),
        ("<status>blocked</status>", [[]]),
        ("<status>ready</status>", []),
        ("<task_id>1</task_id><status>done | failed</status>", []),
        ("<task_id>{id}</task_id><status>done</status>", []),
    ],
)
def test_a_result_has_an_id_or_a_known_status(
    children: str, codes: list[list[str]]
) -> None:
    found = find_results(f"<r>\n{children}\n</r>\n")

    assert [[p.code for p in one.problems] for one in found] == codes


def test_only_optional_children_are_left_out_where_they_are_empty() -> None:
    task = Task(
        "1", "a", "b", "write", input="AT&T &amp; x", after="2, 3", paths=" a.py "
    )

    assert render_task(task) == (
        "<task>\n  <from>a</from>\n  <to>b</to>\n  <task_id>1</task_id>\n"
        "  <type>write</type>\n  <after>2, 3</after>\n  <paths>a.py</paths>\n"
        "  <context></context>\n  <input>AT&amp;T &amp;amp; x</input>\n"
        "  <expected_output></expected_output>\n  <constraints></constraints>\n"
        "</task>\n"
    )
    assert "<o>if a < b</o>" in render_result(Result("1", "done", "if a < b"))
    assert render_result(Result("1", "done", "a </r> b")) == (
        "<r>\n  <task_id>1</task_id>\n  <status>done</status>\n"
        "  <o>a &lt;/r&gt; b</o>\n  <side_effects></side_effects>\n"
        "  <memory_update></memory_update>\n</r>\n"
    )


def test_ids_are_listed_once_whatever_parts_them() -> None:
    assert listed_in("a, b；a\nc、 d;;e，f") == ("a", "b", "c", "d", "e", "f")
    assert listed_in(" ") == ()
