"""Fields, log lines and blocks of a handoff's file, read and written in place."""

from __future__ import annotations

import datetime
from pathlib import PurePosixPath

import pytest

from memoryhub.dialects.handoff import (
    Fields,
    LogLine,
    Result,
    Task,
    day_of,
    matches,
    parse,
    path_of,
    render_handoff,
    render_log_line,
    result_alone,
    state_of,
    with_log_line,
    with_result,
    with_task,
    without_log_line,
    without_result,
)
from memoryhub.formats.base import FormatError, Lines

NOON = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
#: Its input looks like a log; nothing in it is one.
TASK = (
    "<task>\n<from>ann</from>\n<to>bob</to>\n<task_id>7</task_id>\n"
    "<type>write</type>\n<input>x\n## Log\n- cy: taken\n</input>\n</task>\n"
)


def test_the_lines_next_to_a_block_belong_to_the_log() -> None:
    handoff = parse(f"# Handoff 7\n\n## Log\n\n- ann: sent\n{TASK}- dora: done\n")

    assert [(line.actor, line.verb, line.lines) for line in handoff.log] == [
        ("ann", "sent", Lines(5, 5)),
        ("dora", "done", Lines(16, 16)),
    ]


def test_a_log_begins_below_its_own_heading_not_below_one_in_a_block() -> None:
    head = f"# Handoff 7\n\n{TASK}\n## Log\n"

    text = f"{head}\nSee the plan.\n"
    edited = with_log_line(text, LogLine(None, "a", "sent"))

    assert edited == f"{head}\n- a: sent\n\nSee the plan.\n"


@pytest.mark.parametrize(
    ("text", "task_id"),
    [
        ("# Handoff 8\n", "8"),
        ("# Handoff without id\n", ""),
        ("# Notes\n", None),
        ("## Handoff 8\n", None),
        (f"# Handoff 8\n\n{TASK}", "7"),
    ],
)
def test_the_task_names_the_handoff_or_else_the_title(
    text: str, task_id: str | None
) -> None:
    assert parse(text).task_id == task_id


@pytest.mark.parametrize(
    ("written", "occurrence"),
    [("2", 2), ("9999", 9999), ("12345", 1), ("²", 1), ("second", 1), ("", 1)],
)
def test_an_occurrence_is_a_number_of_at_most_four_digits(
    written: str, occurrence: int
) -> None:
    assert parse(f"# Handoff 7\n\n- occurrence: {written}\n").occurrence == occurrence


def test_fields_stand_above_the_sections_and_have_a_colon() -> None:
    text = (
        "- topic: attic\n\n# Handoff 7\n\n- due 2026-11-21\n- twin:  kitchen/8  \n"
        "\n## Notes\n\n- due: 2026-11-22\n- source: b.md\n"
    )

    assert parse(text).fields == Fields(topic="attic", twin="kitchen/8")
    assert parse("# Handoff 7\n\n- due:\n").problems == ()


def test_an_undated_line_is_a_problem_unless_a_result_has_its_status() -> None:
    text = "# Handoff 7\n\n## Log\n\n- bob: taken\n- bob: done\n\n"
    block = "<r>\n<task_id>7</task_id>\n<status>done</status>\n</r>\n"

    found = parse(text + block).problems

    assert [(p.code, p.line) for p in found] == [("handoff-line-undated", 5)]
    assert [p.line for p in parse(text).problems] == [5, 6]


def test_a_reason_may_hold_the_mark_before_it() -> None:
    (line,) = parse("## Log\n\n- bob: failed -- one -- two\n").log

    assert (line.actor, line.reason, line.at) == ("bob", "one -- two", None)


def test_a_task_is_replaced_in_its_place() -> None:
    text = f"# Handoff 7\n\n{TASK}\n## Log\n\n- ann: sent\n{TASK}"
    new = Task("7", "ann", "eve", "write", input="a\r\nb")

    edited = with_task(text, new)

    assert edited == text.replace(
        TASK,
        "<task>\n  <from>ann</from>\n  <to>eve</to>\n  <task_id>7</task_id>\n"
        "  <type>write</type>\n  <context></context>\n  <input>a\nb</input>\n"
        "  <expected_output></expected_output>\n  <constraints></constraints>\n"
        "</task>\n",
        1,
    )


@pytest.mark.parametrize(
    ("above", "left"),
    [
        ("# Handoff 7\n\n", "# Handoff 7\n"),
        ("# Handoff 7\n", "# Handoff 7\n"),
        ("\n", "\n"),
        ("- a\n \t\n", "- a\n"),
        ("", ""),
    ],
)
def test_a_result_is_taken_out_with_the_blank_line_above(above: str, left: str) -> None:
    block = "<r>\n<task_id>7</task_id>\n<status>done</status>\n</r>\n"

    assert without_result(f"{above}{block}Behind.\n", 0) == f"{left}Behind.\n"


def test_the_line_of_the_log_at_a_place_is_taken_out() -> None:
    text = "## Log\n\n- a: sent\n- b: taken\n  with care\n- b: done\n"

    assert without_log_line(text, 1) == "## Log\n\n- a: sent\n- b: done\n"


def test_done_work_waits_for_the_reviewer_that_its_own_task_names() -> None:
    reviewed = TASK.replace("<type>", "<review>eve</review>\n<type>")
    log = "## Log\n\n- bob: done\n"

    assert state_of(parse(f"{reviewed}\n{log}")) == "review"
    assert state_of(parse(f"{TASK}\n{log}")) == "done"
    assert state_of(parse(f"{TASK}\n{reviewed}\n{log}")) == "done"


def test_the_newest_of_several_results_decides_alone() -> None:
    text = with_result("", Result("7", "blocked"))
    text = with_result(text, Result("7", "done", "all green"))

    found = result_alone(parse(text))

    assert found is not None and (found.status, found.output) == ("done", "all green")


def test_a_new_file_has_each_field_in_its_place() -> None:
    fields = Fields(
        "2026-11-21", " attic ", "AGENTS.md", "2", "loft", "notes.md", "b/7"
    )

    assert render_handoff(Task("", "a", "b", "write"), fields) == (
        "# Handoff without id\n\n- due: 2026-11-21\n- topic: attic\n"
        "- source: AGENTS.md\n- occurrence: 2\n- origin: loft\n"
        "- result_to: notes.md\n- twin: b/7\n\n## Log\n"
    )


@pytest.mark.parametrize(
    ("line", "code", "parameters"),
    [
        (LogLine(NOON, "a", "dances"), "verb-unknown", {"verb": "dances"}),
        (
            LogLine(NOON, "a --", "said", "", "b"),
            "value-has-mark",
            {"actor": "a --", "detail": "b"},
        ),
        (
            LogLine(NOON, "a", "said", "", " see: b"),
            "value-has-mark",
            {"actor": "a", "detail": "see: b"},
        ),
        (
            LogLine(NOON, "a", "said", "", "b:"),
            "value-has-mark",
            {"actor": "a", "detail": "b:"},
        ),
        (LogLine(NOON, "a", "said", "", "b\nc"), "value-has-newline", {}),
    ],
)
def test_a_line_that_would_be_read_otherwise_is_refused_by_its_value(
    line: LogLine, code: str, parameters: dict[str, str]
) -> None:
    with pytest.raises(FormatError) as caught:
        render_log_line(line)

    assert (caught.value.code, caught.value.parameters) == (code, parameters)


def test_a_line_has_the_zone_of_its_time_and_no_empty_reason() -> None:
    there = NOON.astimezone(datetime.timezone(datetime.timedelta(hours=2)))

    assert render_log_line(LogLine(there, " a:b ", "taken", " ")) == (
        "2026-11-20T14:00:00+02:00 a:b: taken"
    )


def test_a_file_is_named_by_its_task_and_a_day_by_its_id() -> None:
    assert path_of("20261120-03") == "memory/handoffs/20261120-03.md"
    assert day_of("20261120-03") == datetime.date(2026, 11, 20)
    assert day_of("20261340-03") is day_of("2026112-03") is day_of("20261120") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("team/memory/handoffs/7.md", True),
        ("memory/handoffs/old/7.md", False),
        ("memory/handoffs/7.json", False),
        ("notes/handoffs/7.md", False),
        ("memory/handoff/7.md", False),
    ],
)
def test_only_files_right_in_the_folder_are_handoffs(
    path: str, *, expected: bool
) -> None:
    assert matches(PurePosixPath(path), "") is expected
