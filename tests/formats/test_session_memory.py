from __future__ import annotations

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects import session_compact
from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    memory_id_for,
    parse_bundle,
    recovery_banner,
    render_bundle,
    render_memory_file,
)
from memoryhub.formats.base import FormatError

WHEN = datetime.datetime(2026, 3, 10, 14, 5, 0, 7000, tzinfo=datetime.UTC)
RECORD = MemoryRecord(
    memory_id="CMEM-20260310-140500",
    content="## Session ID\n(none)\n",
    summary="Half: done [x]",
    created_at="2026-03-10T14:05:00.007Z",
    updated_at="2026-03-11T14:05:00.007Z",
    archived=True,
    metadata='{"a": 1}',
    tags=("api", "数据库"),
)


def test_a_memory_file_gives_its_values_back() -> None:
    session = session_compact.parse(render_memory_file(RECORD))

    assert session.memory_id == RECORD.memory_id
    assert session.content == RECORD.content
    assert (session.created, session.archived) == (WHEN, True)
    assert (session.tags, session.summary) == (RECORD.tags, RECORD.summary)


def test_a_memory_file_names_only_what_is_known() -> None:
    text = render_memory_file(MemoryRecord("CMEM-20260310-140500", "text"))

    assert text == "---\nid: CMEM-20260310-140500\n---\n\ntext"


@given(st.text())
def test_a_memory_file_keeps_every_content(content: str) -> None:
    text = render_memory_file(MemoryRecord("CMEM-20260310-140500", content))

    assert session_compact.parse(text).content == content


@given(st.text(), st.lists(st.text()))
def test_a_memory_file_takes_any_summary_and_tags(
    summary: str, tags: list[str]
) -> None:
    record = MemoryRecord("CMEM-1", "body", summary=summary, tags=tuple(tags))

    assert session_compact.parse(render_memory_file(record)).content == "body"


def test_a_bundle_has_ccws_form() -> None:
    held = json.loads(render_bundle([RECORD], "home-user-api", WHEN))

    assert list(held) == ["version", "exportedAt", "sourceProject", "memories"]
    assert (held["version"], held["exportedAt"]) == ("1.0", "2026-03-10T14:05:00.007Z")
    assert list(held["memories"][0]) == [
        *("id", "content", "summary", "raw_output", "created_at"),
        *("updated_at", "archived", "metadata", "tags"),
    ]


def test_a_bundle_gives_its_memories_back() -> None:
    text = render_bundle([RECORD], "p", WHEN)

    assert parse_bundle(text) == ([RECORD], [])
    assert '"sourceProject": "p"' in text


def test_an_unreadable_memory_is_left_out_and_reported() -> None:
    text = (
        '{"memories": [5, {"id": "x"}, {"id": "y", "content": "z", "summary": null}]}'
    )

    memories, left_out = parse_bundle(text)

    assert [memory.memory_id for memory in memories] == ["y"]
    assert left_out == [0, 1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "json-invalid"),
        ("[]", "not-a-bundle"),
        ('{"memories": 1}', "not-a-bundle"),
    ],
)
def test_what_is_no_bundle_is_refused(text: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_bundle(text)

    assert caught.value.code == code


def test_a_second_memory_in_a_second_gets_the_next() -> None:
    taken = {"CMEM-20260310-235959", "CMEM-20260311-000000"}
    moment = datetime.datetime(2026, 3, 10, 23, 59, 59)

    assert memory_id_for(moment, taken) == "CMEM-20260311-000001"


def test_the_banner_names_the_id() -> None:
    lines = recovery_banner("CMEM-20260310-140500", "acme").split("\n")

    assert "Recovery ID: CMEM-20260310-140500" in lines[3]
    command = "memoryhub tool core_memory --operation export --id CMEM-20260310-140500"
    assert f"{command} --workspace acme" in lines[7] and "<ID>" not in "".join(lines)
    assert len({len(line) for line in lines}) == 1
