"""Transcripts: every form is read, written back, and nothing makes reading fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.compaction.levels import Level, compacted, trim
from memoryhub.compaction.messages import Block, Message
from memoryhub.compaction.rendering import render
from memoryhub.compaction.transcript import read
from tests.compaction.blocks import result_block, text_block, use_block

LONG = "line of output\n" * 400
TEXT = [{"type": "text", "text": "hello"}]


def jsonl(*entries: Any) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def openclaw(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    parent = f"m{number - 1}" if number else None
    message = {"role": role, "content": content, **more}
    return {
        "type": "message",
        "id": f"m{number}",
        "parentId": parent,
        "timestamp": f"2026-11-20T09:{number:02}:00Z",
        "message": message,
    }


def openclaw_session(length: int = 12) -> list[dict[str, Any]]:
    said = [
        openclaw(n, ("user", "assistant")[n % 2], f"message {n} {'word ' * 500}")
        for n in range(length)
    ]
    return [{"type": "session", "version": 3, "id": "s1", "cwd": "/w"}, *said]


def claude(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    parent = f"u{number - 1}" if number else None
    said = {"role": role, "content": content}
    names = {"uuid": f"u{number}", "parentUuid": parent, "sessionId": "s1"}
    return {"type": role, "message": said, "isSidechain": False, **names, **more}


def claude_session() -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": LONG}
    said = [
        claude(0, "user", "Please " + "do it " * 2000),
        claude(1, "assistant", [{"type": "thinking", "thinking": "hm"}, use]),
        claude(2, "user", [result], toolUseResult={"stdout": "x"}),
        *(claude(n, "assistant", TEXT) for n in range(3, 8)),
    ]
    return [{"type": "summary", "summary": "old", "leafUuid": "z"}, *said]


def test_claude_codes_blocks_are_read_with_the_names_of_their_tools() -> None:
    transcript = read(jsonl(*claude_session()))

    assert transcript.form == "claude-code"
    assert transcript.messages[1].blocks == (
        Block("other", "hm"),
        use_block("t1", "Bash", '{"command":"ls"}'),
    )
    assert transcript.messages[2].blocks == (result_block("t1", "Bash", LONG),)


def test_openclaws_tool_calls_and_results_are_read() -> None:
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    result = {"toolCallId": "c1", "toolName": "read", "isError": True}
    transcript = read(
        jsonl(
            {"type": "session", "id": "s"},
            openclaw(0, "assistant", [call]),
            openclaw(1, "toolResult", TEXT, **result),
        )
    )

    assert transcript.form == "openclaw"
    assert [message.role for message in transcript.messages] == ["assistant", "tool"]
    assert transcript.messages[1].results == (
        result_block("c1", "read", "hello", True),
    )


def test_openais_tool_calls_are_read_from_a_plain_list() -> None:
    call = {"id": "c1", "function": {"name": "ls", "arguments": "{}"}}
    body = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.md"},
    ]
    transcript = read(json.dumps({"model": "x", "messages": body}))

    assert transcript.form == "messages"
    assert transcript.messages[0].uses == (use_block("c1", "ls", "{}"),)
    assert transcript.messages[1].results == (result_block("c1", "ls", "a.md"),)


def test_bad_lines_are_problems_with_their_number() -> None:
    good = json.dumps({"role": "user", "content": "hi"})
    transcript = read(f"{good}\r\n{{broken\n\n[1]\n{'[' * 100_000}\n{good}")

    assert [(p.code, p.line) for p in transcript.problems] == [
        ("json-invalid", 2),
        ("message-not-an-object", 4),
        ("json-invalid", 5),
    ]
    assert [message.text for message in transcript.messages] == ["hi", "hi"]


@pytest.mark.parametrize("text", ["", "no json", "[{", "{}", "[]", '"x"', "[1]", "\0"])
def test_a_text_that_is_no_transcript_has_no_messages(text: str) -> None:
    assert read(text).messages == ()


def test_lone_surrogates_become_text_and_are_written_back_escaped() -> None:
    line = '{"role": "tool", "name": "\\ud800", "content": "%s\\udfff"}' % ("x" * 3000)
    transcript = read(line)
    text = render(transcript, trim(transcript.messages)[0])

    text.encode()
    assert json.loads(text)["name"] == "\ud800"
    assert len(text) < 1000


def test_only_the_branch_of_the_newest_entry_is_in_view() -> None:
    aside = openclaw(9, "user", "aside") | {"parentId": "m1"}
    said = [openclaw(n, "user", f"{n}") for n in range(3)]
    transcript = read(jsonl(*said, aside, openclaw(3, "user", "3")))

    assert [message.text for message in transcript.messages] == ["0", "1", "2", "3"]


def test_a_compaction_stands_for_what_it_did_not_keep() -> None:
    said = [openclaw(n, "user", f"{n}") for n in range(4)]
    told = {"type": "compaction", "id": "c", "parentId": "m3", "summary": "before"}
    after = openclaw(4, "user", "4") | {"parentId": "c"}
    transcript = read(jsonl(*said, told | {"firstKeptEntryId": "m2"}, after))

    assert [message.text for message in transcript.messages] == [
        "before",
        "2",
        "3",
        "4",
    ]
    assert transcript.messages[0].role == "summary"


def test_claude_code_is_read_from_its_last_compaction_on_without_side_chains() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b"}
    aside = claude(5, "assistant", "aside", isSidechain=True)
    told = claude(6, "user", "summary", isCompactSummary=True)
    transcript = read(jsonl(claude(0, "user", "old"), boundary, told, aside))

    assert transcript.messages == (Message("summary", (text_block("summary"),), 2),)


def test_ids_that_go_round_in_a_circle_end() -> None:
    first = openclaw(0, "user", "a") | {"parentId": "m1"}

    assert len(read(jsonl(first, openclaw(1, "user", "b"))).messages) == 2


def test_what_is_not_changed_is_written_back_as_it_was() -> None:
    text = '[ {"role":"user", "content":"x"} ,\n{"odd": [1, 2.50]}]\n'
    transcript = read(text)

    assert render(transcript, transcript.messages) == text


def test_a_trimmed_transcript_differs_only_where_it_was_trimmed() -> None:
    text = jsonl(*claude_session())
    transcript = read(text)
    after = render(transcript, trim(transcript.messages)[0]).splitlines()

    before = text.splitlines()
    assert [n for n, line in enumerate(before) if line != after[n]] == [3]
    assert len(json.loads(after[3])["message"]["content"][0]["content"]) < 700


def test_openclaw_can_go_on_from_a_compacted_session_file() -> None:
    transcript = read(jsonl(*openclaw_session()))
    state = compacted(transcript.messages, "L2")
    text = render(transcript, state.messages)
    lines = [json.loads(line) for line in text.splitlines()]

    assert [line["type"] for line in lines] == ["session", "compaction"] + 4 * [
        "message"
    ]
    assert lines[1]["firstKeptEntryId"] == lines[2]["id"] == "m8"
    assert [line["parentId"] for line in lines[2:]] == [
        lines[1]["id"],
        "m8",
        "m9",
        "m10",
    ]
    assert read(text).messages[0].text == state.continuation


def test_claude_code_can_go_on_from_a_compacted_session_file() -> None:
    transcript = read(jsonl(*claude_session()))
    state = compacted(transcript.messages, "L2")
    lines = [json.loads(x) for x in render(transcript, state.messages).splitlines()]

    assert lines[1]["isCompactSummary"] is True
    assert lines[1]["sessionId"] == "s1"
    assert [line["parentUuid"] for line in lines[2:]] == [
        lines[1]["uuid"], "u4", "u5", "u6",
    ]  # fmt: skip


KEYS = (
    "type", "role", "content", "message", "blocks", "text", "id", "parentId",
    "tool_use_id", "output", "tool_calls", "function", "summary", "input",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner | st.sampled_from(["user", "tool", "message", "tool_result", "text"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=6), st.sampled_from(["L1", "L2", "L5"]))
def test_any_json_is_read_compacted_and_written_back(
    values: list[Any], level: Level
) -> None:
    for text in (jsonl(*values), json.dumps(values)):
        transcript = read(text)
        after = compacted(transcript.messages, level).messages

        assert len(read(render(transcript, after)).messages) == len(after)
