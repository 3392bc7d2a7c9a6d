from __future__ import annotations

import datetime
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import FormatError
from memoryhub.formats.big_memory.snapshot_draft import (
    SnapshotDraft,
    SnapshotHeader,
    append_block,
    led,
    next_snapshot_id,
    render_block,
    render_snapshot,
    validate,
)
from memoryhub.formats.big_memory.snapshot_parts import SECTIONS
from memoryhub.formats.big_memory.task_snapshot import find_snapshots

DAY = datetime.date(2026, 3, 10)
WHEN = datetime.datetime(2026, 3, 10, 14, 5, 9)
HEADER = SnapshotHeader(WHEN, "2026-03-10-01", "builder", "api-redesign")
DRAFT = SnapshotDraft(
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
    text = render_snapshot(SnapshotDraft(SnapshotHeader(WHEN, "2026-03-10-01")))

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


@pytest.mark.parametrize(
    "body",
    [
        "x\n<!-- /BIG-MEMORY-SNAPSHOT -->",
        "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
        "a\n### [SNAPSHOT] Next Steps",
    ],
)
def test_a_body_must_not_break_the_block(body: str) -> None:
    with pytest.raises(FormatError) as caught:
        render_block(HEADER, {"Code Context": body})

    assert caught.value.code == "snapshot-breaks-block"


def test_a_header_value_is_one_line() -> None:
    with pytest.raises(FormatError):
        render_block(SnapshotHeader(WHEN, "1", "a\nb"), {})
    with pytest.raises(FormatError):
        render_block(SnapshotHeader(WHEN, "1", "a --> b"), {})


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("", ""),
        ("# Day\n", "\n"),
        ("# Day", "\n\n"),
        ("# Day\n\n", ""),
        ("a\n```\nopen\n", "```\n\n"),
        ("~~~~ x", "\n~~~~\n\n"),
    ],
)
def test_an_append_leaves_a_blank_line(text: str, lead: str) -> None:
    assert append_block(text, "---\nx\n") == f"{text}{lead}---\nx\n"


def test_an_append_has_the_files_line_end() -> None:
    assert append_block("# Day\r\n", "---\nx\n") == "# Day\r\n\r\n---\r\nx\r\n"


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


def test_a_good_draft_has_no_problems() -> None:
    assert validate(DRAFT) == ()


def test_a_poor_draft_has_problems() -> None:
    code = "\n".join(["x"] * 51)
    poor = SnapshotDraft(HEADER, phase="done", files=(("a.py", ""),), code=code)

    codes = [problem.code for problem in validate(poor)]

    assert codes == ["section-empty"] * 2 + [
        "phase-unknown",
        "path-relative",
        "code-too-long",
    ]


def test_every_draft_has_the_eight_sections() -> None:
    (snapshot,) = find_snapshots(render_snapshot(SnapshotDraft(HEADER)))

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
