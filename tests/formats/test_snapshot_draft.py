from __future__ import annotations

import datetime
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.task_snapshot import (
    SECTIONS,
    SnapshotDraft,
    append_block,
    bodies_of,
    find_snapshots,
    led,
    next_snapshot_id,
    render_block,
    render_snapshot,
    validate,
)
from memoryhub.formats.base import FormatError

DAY = datetime.date(2026, 3, 10)
WHEN = datetime.datetime(2026, 3, 10, 14, 5, 9)
HEADER = SnapshotDraft(WHEN, "2026-03-10-01", "builder", "api-redesign")
DRAFT = replace(
    HEADER,
    goal="Ship it.",
    phase="testing",
    branch="main",
    blocked=True,
    blocked_by="rate limit",
    progress="~60%",
    files=(("/srv/a.py", "the endpoint"),),
    decisions=(("Use cursors", "offsets skip rows"), ("Keep v1", "")),
    code="```python\nx = 1\n```",
    key_names=(("Table", "users"),),
    blockers=("Question: one or two?",),
    next_steps=("First\nwith more", "Second"),
)


def test_it_writes_the_stored_form() -> None:
    text = render_snapshot(SnapshotDraft(WHEN, "2026-03-10-01"))

    assert text.startswith(
        "---\n\n## Task Snapshot -- 14:05\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        "<!-- timestamp: 2026-03-10T14:05:09 -->\n<!-- snapshot-id: 2026-03-10-01 -->\n"
        "\n### [SNAPSHOT] Active Goal\nnone\n\n### [SNAPSHOT] Current State\n"
    )
    assert text.endswith(
        "### [SNAPSHOT] Next Steps\nnone\n\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )


def test_what_it_writes_is_read_back() -> None:
    (snapshot,) = find_snapshots(render_snapshot(DRAFT))

    assert (snapshot.agent, snapshot.topic) == ("builder", "api-redesign")
    assert (snapshot.blocked, snapshot.blocked_by) == (True, "rate limit")
    choices = tuple((choice.text, choice.reason) for choice in snapshot.decisions)
    assert choices == DRAFT.decisions
    assert snapshot.code == DRAFT.code
    assert [(n.kind, n.text) for n in snapshot.key_names] == [("Table", "users")]
    assert [step.text for step in snapshot.next_steps] == ["First with more", "Second"]
    assert snapshot.problems == ()


def test_bodies_can_be_given_as_they_are() -> None:
    text = render_block(HEADER, {"Active Goal": "Why:\n\nbecause", "Extra": "kept"})

    (snapshot,) = find_snapshots(text)

    assert snapshot.goal == "Why:\n\nbecause"
    assert snapshot.sections[-1].title == "Extra"
    assert not snapshot.sections[-1].known


def test_a_snapshot_without_a_time_names_none_and_other_sections_come_last() -> None:
    header = SnapshotDraft(WHEN, "2026-03-10-01", topic="attic", timed=False)

    text = render_block(header, {"Extra": "x", "Active Goal": "\r\n a \r\n"})

    assert text.startswith(
        "---\n\n## Task Snapshot\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        "<!-- snapshot-id: 2026-03-10-01 -->\n<!-- topic: attic -->\n\n"
        "### [SNAPSHOT] Active Goal\n a \n\n### [SNAPSHOT] Current State\nnone\n"
    )
    assert text.endswith(
        "\nnone\n\n### [SNAPSHOT] Extra\nx\n\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )


def test_what_is_not_known_has_its_word_in_a_body() -> None:
    draft = replace(
        HEADER,
        blocked=True,
        progress="a\r\nb",
        files=(("/a", ""),),
        decisions=(("d", "why\nnot"),),
        key_names=(("", "v"), ("K", "w")),
        blockers=("one", "two"),
    )

    assert list(bodies_of(draft).values()) == [
        "",
        "- Phase: none\n- Branch: n/a\n- Blocked: yes\n- Progress: a\n   b",
        "- `/a`",
        "1. d -- why\n   not",
        "",
        "- Value: `v`\n- K: `w`",
        "- one\n- two",
        "",
    ]
    free = bodies_of(replace(HEADER, branch="main", blocked_by="x"))
    assert free["Current State"] == (
        "- Phase: none\n- Branch: main\n- Blocked: no\n- Progress: none"
    )


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("x\ny\n<!-- /BIG-MEMORY-SNAPSHOT -->", 3),
        ("<!-- BIG-MEMORY-SNAPSHOT v1 -->", 1),
        ("a\n### [SNAPSHOT] Next Steps", 2),
    ],
)
def test_a_body_must_not_break_the_block(body: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        render_block(HEADER, {"Code Context": body})

    assert (caught.value.code, caught.value.line) == ("snapshot-breaks-block", line)
    assert caught.value.parameters == {"section": "Code Context"}


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a --> b"])
def test_a_header_value_is_one_line(value: str) -> None:
    with pytest.raises(FormatError) as caught:
        render_block(SnapshotDraft(WHEN, "1", value), {})
    with pytest.raises(FormatError, match=r"^comment-not-a-line"):
        render_block(HEADER, {value: "x"})

    assert caught.value.code == "comment-not-a-line"
    assert caught.value.parameters == {"value": value}


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("", ""),
        ("# Day\n", "\n"),
        ("# Day", "\n\n"),
        ("# Day\n\n", ""),
        ("a\n```\nopen\n", "```\n\n"),
        ("~~~~ x", "\n~~~~\n\n"),
        ("```\na\n```\n", "\n"),
        ("a\r\n\r\n", ""),
    ],
)
def test_an_append_leaves_a_blank_line(text: str, lead: str) -> None:
    end = "\r\n" if "\r" in text else "\n"

    assert append_block(text, "---\nx\n") == f"{text}{lead}---{end}x{end}"


def test_an_append_has_the_files_line_end() -> None:
    assert append_block("# Day\r\n", "---\nx\n") == "# Day\r\n\r\n---\r\nx\r\n"
    assert append_block("# Day\n", "---\r\nx\n") == "# Day\n\n---\nx\n"
    assert append_block("```\r\na", "x\n") == "```\r\na\r\n```\r\n\r\nx\r\n"


_START, _END = "<!-- BIG-MEMORY-SNAPSHOT v1 -->", "<!-- /BIG-MEMORY-SNAPSHOT -->"
_PIECES = st.sampled_from(["\n", "```", "~~~~", "## x", "- a", _START, _END, "\r"])


@given(
    st.one_of(
        st.text(alphabet="a\n`~#-\r ", max_size=40), st.lists(_PIECES).map("".join)
    )
)
def test_an_appended_block_is_found_in_every_log(text: str) -> None:
    log = append_block(text, render_snapshot(DRAFT))

    assert log.startswith(text)
    assert find_snapshots(log)[-1].code.replace("\r", "") == DRAFT.code


def test_a_fence_closed_behind_its_block_hides_no_later_block() -> None:
    """Earlier versions of the hub closed it there, and hid what they wrote next."""
    torn = replace(DRAFT, code="```py\ndef f():")
    log = append_block("# Day\n", render_snapshot(torn)) + "```\n\n"

    assert len(find_snapshots(log + render_snapshot(DRAFT))) == 2


def test_ids_count_from_one_for_each_day() -> None:
    assert next_snapshot_id(DAY, []) == "2026-03-10-01"
    held = ["2026-03-10-01", "2026-03-10-09", "2026-03-09-77", "2026-03-10-x", ""]
    assert next_snapshot_id(DAY, held) == "2026-03-10-10"
    odd = ["2026-03-10-99", "2026-03-10-²", "2026-03-10-" + "9" * 5_000]
    assert next_snapshot_id(DAY, odd) == "2026-03-10-100"


def test_a_good_draft_has_no_problems() -> None:
    assert validate(DRAFT) == ()


def test_a_poor_draft_has_problems() -> None:
    code = "\n".join(["x"] * 51)
    poor = replace(HEADER, phase="done", files=(("a.py", ""),), code=code)

    assert [(p.code, p.line, p.parameters) for p in validate(poor)] == [
        ("section-empty", 0, {"title": "Active Goal"}),
        ("section-empty", 0, {"title": "Next Steps"}),
        ("phase-unknown", 0, {"phase": "done"}),
        ("path-relative", 0, {"path": "a.py"}),
        ("code-too-long", 0, {"lines": 51}),
    ]
    long = replace(DRAFT, code="\n".join(["x"] * 50), goal="none.")
    assert [p.parameters for p in validate(long)] == [{"title": "Active Goal"}]


def test_every_draft_has_the_eight_sections() -> None:
    (snapshot,) = find_snapshots(render_snapshot(HEADER))

    assert tuple(part.title for part in snapshot.sections) == SECTIONS


@pytest.mark.parametrize(
    ("open_", "closed"),
    [("goal", "goal\n\n"), ("```py\nx = 1", "```py\nx = 1\n```\n\n")],
)
def test_a_block_without_its_end_gets_one_outside_of_its_fence(
    open_: str, closed: str
) -> None:
    begin, end = "<!-- BIG-MEMORY-SNAPSHOT v1 -->\n", "<!-- /BIG-MEMORY-SNAPSHOT -->"
    lead = "---\n\n## Task Snapshot\n\n"

    ended = led(f"{begin}{open_}\n", None, terminated=False)

    assert ended == f"{lead}{begin}{closed}{end}\n"
    assert led(f"{begin}{closed}{end}", None, terminated=True) == ended
    assert led(f"{begin}{closed}{end}\n\n", WHEN, terminated=True) == ended.replace(
        "Snapshot\n", "Snapshot -- 14:05\n", 1
    )
