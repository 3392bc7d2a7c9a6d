from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.handoff import (
    NAME,
    VERBS,
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    matches,
    parse,
    render_handoff,
    render_log_line,
    result_alone,
    state_of,
    with_log_line,
    with_result,
    without_log_line,
    without_result,
)
from memoryhub.formats.base import FormatError, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/handoff/samples"
NOON = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
PIECES = st.sampled_from(
    [
        "# Handoff 1",
        "## Log",
        "\n",
        "\r\n",
        "- ",
        "a: sent",
        "2026-11-20T08:10:00Z ",
        " -- ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4)).map("".join)
WORDS = st.from_regex(r"[a-z:]{0,5}[a-z]", fullmatch=True)


def sample(name: str) -> HandoffDocument:
    return parse((CORPUS / name).read_bytes().decode())


@given(TEXTS)
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize("name", ["20261120-03.md", "crlf.md"])
def test_it_reads_the_file(name: str) -> None:
    handoff = sample(name)

    assert handoff.title == "Handoff 20261120-03"
    assert handoff.due == datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
    assert (handoff.topic, handoff.source) == ("api-redesign", "")
    assert [task.recipient for task in handoff.tasks] == ["builder"]


@pytest.mark.parametrize("name", ["20261120-03.md", "crlf.md"])
def test_it_reads_the_log_outside_of_the_task(name: str) -> None:
    log = sample(name).log

    assert [(line.actor, line.verb, line.reason) for line in log] == [
        ("planner", "sent", ""),
        ("lead", "signed off", "polling is over the rate limit"),
        ("agent:main:main", "taken", ""),
    ]
    assert log[0].at == datetime.datetime(2026, 11, 20, 8, 10, tzinfo=datetime.UTC)


def test_it_reads_the_log_of_a_task_elsewhere() -> None:
    handoff = sample("elsewhere.md")

    assert (handoff.source, handoff.tasks) == ("AGENTS.md", ())
    assert handoff.log[-1].verb == "handed off again"
    assert handoff.log[-1].detail == "20261119-02"
    assert state_of(handoff) == "blocked"


@pytest.mark.parametrize(
    ("verbs", "state"),
    [
        ([], "open"),
        (["sent"], "open"),
        (["sent", "signed off"], "open"),
        (["sent", "taken"], "in_progress"),
        (["taken", "put back"], "open"),
        (["taken", "blocked"], "blocked"),
        (["taken", "failed", "overridden"], "failed"),
        (["withdrawn"], "withdrawn"),
        (["sent back"], "returned"),
        (["done", "sent back"], "open"),
        (["done", "sent back", "taken", "sent back"], "returned"),
        (["sent back", "revised"], "open"),
        (["done", "reopened"], "open"),
    ],
)
def test_the_last_verb_decides_the_state(verbs: list[str], state: str) -> None:
    text = ""
    for verb in verbs:
        text = with_log_line(text, LogLine(NOON, "a", verb))

    assert state_of(parse(text)) == state


def test_a_result_without_a_line_in_the_log_counts() -> None:
    taken = with_log_line("", LogLine(NOON, "a", "taken"))
    done = with_result(taken, Result("1", "done"))

    assert state_of(parse(done)) == "done"


@pytest.mark.parametrize(
    ("verbs", "statuses", "state"),
    [
        (["taken", "blocked"], ["done"], "done"),
        (["taken", "blocked"], ["blocked"], "blocked"),
        (["taken", "done", "sent back"], ["done"], "open"),
        (["taken", "done", "sent back", "taken"], ["done", "done"], "done"),
        (["taken", "blocked", "taken", "done"], ["blocked", "done"], "done"),
        (["taken"], ["done", "nonsense"], "in_progress"),
    ],
)
def test_a_result_belongs_to_a_line_of_its_status(
    verbs: list[str], statuses: list[str], state: str
) -> None:
    text = ""
    for verb in verbs:
        text = with_log_line(text, LogLine(NOON, "a", verb))
    for status in statuses:
        text = with_result(text, Result("1", status))

    assert state_of(parse(text)) == state


@pytest.mark.parametrize("name", ["20261120-03.md", "crlf.md", "elsewhere.md"])
def test_a_log_line_is_put_after_the_last_one(name: str) -> None:
    handoff = sample(name)
    place = handoff.log[-1].lines.last

    new = LogLine(NOON, "builder", "done", "all green")
    edited = with_log_line(handoff.text, new)

    lines = edited.split("\n")
    added = lines.pop(place)
    assert "\n".join(lines) == handoff.text
    assert added.rstrip("\r") == "- 2026-11-20T12:00:00Z builder: done -- all green"


def test_a_new_file_is_read_back() -> None:
    task = Task("20261120-04", "planner", "builder", "write", input="- not a log line")
    text = render_handoff(task, Fields(due="2026-11-21T12:00:00Z", topic="api"))

    handoff = parse(with_log_line(text, LogLine(NOON, "planner", "sent")))

    assert text.startswith(
        "# Handoff 20261120-04\n\n- due: 2026-11-21T12:00:00Z\n- topic: api\n\n<task>"
    )
    assert handoff.text == text + "\n- 2026-11-20T12:00:00Z planner: sent\n"
    assert replace(handoff.tasks[0], lines=task.lines) == task


def test_a_new_file_of_a_task_elsewhere_has_no_task() -> None:
    text = render_handoff(Task("7", "a", "b", "write"), Fields(source="AGENTS.md"))

    assert text == "# Handoff 7\n\n- source: AGENTS.md\n\n## Log\n"


@given(
    TEXTS, WORDS, st.sampled_from(VERBS), st.text().map(lambda t: " ".join(t.split()))
)
def test_a_log_line_that_was_added_is_read(
    text: str, actor: str, verb: str, why: str
) -> None:
    added = LogLine(NOON, actor, verb, why)

    edited = parse(with_log_line(text, added))

    assert len(edited.text) > len(text)
    found = [replace(line, lines=added.lines) for line in edited.log]
    assert added in found or "```" in text or "~~~" in text


@pytest.mark.parametrize(
    "line",
    [
        LogLine(NOON, "a", "dances"),
        LogLine(NOON, "a\nb", "sent"),
        LogLine(NOON, "", "sent"),
        LogLine(NOON, "a -- b", "sent"),
        LogLine(NOON, "a", "sent", "one\ntwo"),
    ],
)
def test_it_refuses_lines_that_break_the_log(line: LogLine) -> None:
    with pytest.raises(FormatError):
        with_log_line("", line)


def test_a_result_is_the_last_block() -> None:
    handoff = sample("crlf.md")

    result = Result("20261120-03", "done", "one\ntwo")
    edited = parse(with_result(handoff.text, result))

    assert edited.text.startswith(handoff.text + "\r\n<r>\r\n")
    assert edited.results[0].output == "one\r\ntwo"
    assert edited.results[0].lines == Lines(26, 33)


def logged(line: str) -> HandoffDocument:
    return parse(f"# Handoff 7\n\n## Log\n\n- {line}\n")


@pytest.mark.parametrize(
    ("line", "actor", "verb", "detail"),
    [
        ("2026-11-10T09:00:00Z dba: Taken", "dba", "taken", ""),
        ("2026-11-10 09:00 dba: taken.", "dba", "taken", ""),
        ("2026-11-10 09:00 +02:00 dba: SENT BACK", "dba", "sent back", ""),
        ("2026-11-10 dba: done", "dba", "done", ""),
        ("Zoe: handed off again 20261110-02", "Zoe", "handed off again", "20261110-02"),
        ("dba: Done. All green", "dba", "done", "All green"),
        ("2026-11-10T09:00:00Z  dba:\t taken  --  why", "dba", "taken", ""),
        ("2026-11-10T09:00:00Z agent:main:taken", "agent:main", "taken", ""),
    ],
)
def test_a_log_line_is_read_however_it_is_written(
    line: str, actor: str, verb: str, detail: str
) -> None:
    (found,) = logged(line).log

    assert (found.actor, found.verb, found.detail) == (actor, verb, detail)
    assert (found.at is not None) == ("09:00" in line)


@pytest.mark.parametrize(
    "line", ["dba: finished", "dba: in progress", "taken", "dba: takenover", "x" * 9000]
)
def test_a_log_line_that_says_nothing_known_is_a_problem(line: str) -> None:
    handoff = logged(line)

    assert handoff.log == ()
    assert [(p.code, p.line, p.parameters) for p in handoff.problems] == [
        ("handoff-line-unknown", 5, {"text": line[:200]})
    ]


@pytest.mark.parametrize("line", ["noon scout: taken", "2026-11-10 dba: done"])
def test_a_log_line_without_a_time_is_a_problem(line: str) -> None:
    assert [p.code for p in logged(line).problems] == ["handoff-line-undated"]


def test_what_stands_below_a_log_line_is_none() -> None:
    line = "2026-11-10T09:00:00Z dba: taken\n  - with care\n    and time"
    assert logged(line).problems == ()


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("2026-11-21", datetime.datetime(2026, 11, 21, 23, 59, 59)),
        ("2026-11-21 12:00", datetime.datetime(2026, 11, 21, 12)),
        ("2026-02-31", None),
        ("soon", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-12:00", None),
    ],
)
def test_it_is_due_at_a_time_or_at_the_end_of_a_day(
    said: str, due: datetime.datetime | None
) -> None:
    handoff = parse(f"# Handoff 7\n\n- due: {said}\n")

    assert handoff.due == due
    codes = [(p.code, p.line, p.parameters["text"]) for p in handoff.problems]
    assert codes == ([] if due else [("handoff-due-unknown", 3, f"due: {said}")])


def test_it_matches_the_folder() -> None:
    assert NAME == "handoff"
    assert matches(PurePosixPath("memory/handoffs/20261120-03.md"), "")
    assert not matches(PurePosixPath("memory/2026-11-20.md"), "")


def test_many_blocks_and_lines_are_read() -> None:
    block = "<task>\n<task_id>1</task_id>\n- a\n</task>\n"

    assert len(parse(block * 10_000 + "- b\n" * 50_000).tasks) == 10_000


def test_a_line_of_the_log_is_written_out() -> None:
    line = LogLine(NOON, "ops", "handed off again", "too much", "20261120-05")

    assert render_log_line(line) == (
        "2026-11-20T12:00:00Z ops: handed off again 20261120-05 -- too much"
    )
    assert render_log_line(LogLine(None, "ops", "taken")) == "ops: taken"


def test_a_line_of_the_log_and_a_result_are_taken_out_again() -> None:
    text = "# Handoff 1\n\n## Log\n\n- a: sent\n- b: taken\n"
    line = LogLine(NOON, "b", "done")
    block = Result("1", "done", "ok")

    assert without_log_line(with_log_line(text, line), 2) == text
    one = with_result(text, block)
    assert without_result(one, 0) == text
    two = with_result(one, Result("1", "failed"))
    assert without_result(two, 1) == one
    assert [r.status for r in parse(without_result(two, 0)).results] == ["failed"]


def test_only_a_result_that_no_line_tells_of_decides_alone() -> None:
    taken = with_log_line("", LogLine(NOON, "a", "taken"))
    alone = with_result(taken, Result("1", "done"))

    found = result_alone(parse(alone))
    assert found is not None and found.status == "done"
    told = with_log_line(alone, LogLine(NOON, "a", "done"))
    assert all(result_alone(parse(text)) is None for text in (told, taken, ""))


@pytest.mark.parametrize(("text", "head"), [("", ""), ("# 7\n", "# 7\n\n")])
def test_a_log_begins_behind_a_blank_line_unless_the_file_is_empty(
    text: str, head: str
) -> None:
    begun = with_log_line(text, LogLine(NOON, "a", "sent"))

    assert begun.startswith(f"{head}## Log\n\n- ")
