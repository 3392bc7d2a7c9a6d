"""compact.rs: what the original answered, and what its rules say beyond that."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memoryhub.compaction import compact_rs
from memoryhub.compaction.compact_rs import (
    PREAMBLE,
    continuation,
    formatted,
)
from memoryhub.compaction.levels import Compacted
from memoryhub.compaction.messages import (
    Block,
    Message,
    Role,
    session_tokens,
    utf8_size,
)
from memoryhub.compaction.transcript import read
from tests.compaction.blocks import result_block, text_block, use_block
from tests.recorded import recorded

CASES = recorded("compact-rs")
#: One message is preserved, and compaction is due from the first token on.
EVERYTHING = (1, 1)


def said(*texts: str, role: Role = "user") -> list[Message]:
    return [Message(role, (text_block(text),)) for text in texts]


def removed(result: Compacted) -> int:
    return dict(result.done).get("summarised", 0)


def files_in(*blocks: Block) -> list[str]:
    return compact_rs.key_files([Message("user", blocks)])


@pytest.mark.parametrize("case", CASES["sessions"])
def test_a_session_is_answered_as_the_original_does(case: dict[str, Any]) -> None:
    messages = read(json.dumps(case["session"])).messages
    limits = case["preserve"], case["max"]
    result = compact_rs.compacted(messages, *limits)

    assert {
        "tokens": session_tokens(messages, utf8_size),
        "should_compact": compact_rs.should_compact(messages, *limits),
        "pending": compact_rs.pending_work(messages),
        "key_files": compact_rs.key_files(messages),
        "current": compact_rs.current_work(messages),
        "summary": result.summary,
        "formatted_summary": formatted(result.summary),
        "continuation": continuation(result.summary),
        "removed": removed(result),
        "kept": len(result.messages),
    } == case["output"]


@pytest.mark.parametrize("case", CASES["format"])
def test_a_summary_is_formatted_as_the_original_does(case: dict[str, str]) -> None:
    assert formatted(case["input"]) == case["output"]


def test_tokens_are_counted_in_bytes() -> None:
    assert session_tokens(said("数据库"), utf8_size) == 9 // 4 + 1
    used = [Message("user", (use_block("1", "bash", "ls"),))]
    assert session_tokens(used, utf8_size) == 2


def test_an_earlier_summary_is_not_counted_but_merged() -> None:
    first = compact_rs.compacted(said("one", "todo: two", "three"), *EVERYTHING)
    again = compact_rs.compacted([*first.messages, *said("four", "five")], *EVERYTHING)

    assert not compact_rs.should_compact(first.messages, *EVERYTHING)
    assert removed(again) == 2
    assert again.summary.split("\n") == [
        "<summary>",
        "Conversation summary:",
        "- Previously compacted context:",
        "  - Scope: 2 earlier messages compacted (user=2, assistant=0, tool=0).",
        "  - Recent user requests:",
        "    - one",
        "    - todo: two",
        "  - Pending work:",
        "    - todo: two",
        "  - Current work: todo: two",
        "- Newly compacted context:",
        "  - Scope: 2 earlier messages compacted (user=2, assistant=0, tool=0).",
        "  - Recent user requests:",
        "    - three",
        "    - four",
        "  - Current work: four",
        "- Key timeline:",
        "    - user: three",
        "    - user: four",
        "</summary>",
    ]


def test_only_a_system_message_carries_a_summary_over() -> None:
    text = PREAMBLE + "Summary:\nx"

    assert compact_rs.should_compact(said(text, "a"), *EVERYTHING)
    assert not compact_rs.should_compact(
        [*said(text, role="system"), *said("a")], *EVERYTHING
    )


def test_the_words_for_work_are_found_in_any_ascii_case() -> None:
    found = compact_rs.pending_work(said("NextJS", "context", "Follow UP", "remaıning"))

    assert found == ["NextJS", "Follow UP"]


def test_long_texts_are_cut_by_characters() -> None:
    assert compact_rs.pending_work(said("todo" + "数" * 200)) == [
        "todo" + "数" * 156 + "…"
    ]
    assert compact_rs.current_work(said("🧠" * 200)) == "🧠" * 200


def test_key_files_are_those_of_six_extensions_in_the_order_of_bytes() -> None:
    paths = "b/ü.md (a/X.RS), 'z/a.Tsx'. a.md a/b.py `c/d.json`: 数/x.md a/b a/.md"
    listed = result_block("1", "ls", "./q/r.ts\x1c./s.js")

    assert files_in(text_block(paths), listed) == [
        "/q/r.ts\x1c./s.js", "a/X.RS", "b/ü.md", "c/d.json", "z/a.Tsx", "数/x.md",
    ]  # fmt: skip


def test_at_most_eight_key_files_are_named_once() -> None:
    paths = " ".join(f"src/{n}.rs" for n in (*range(9, 0, -1), *range(9)))

    assert files_in(use_block("1", "cat", paths)) == [f"src/{n}.rs" for n in range(8)]


@pytest.mark.parametrize(
    ("path", "is_key"),
    [("a/b.md/", True), ("a/.md", False), ("a/..md", True), ("a.md/c", False)],
)
def test_an_extension_is_that_of_the_last_name(path: str, is_key: bool) -> None:
    assert files_in(text_block(path)) == [path] * is_key


def test_pairs_are_kept_whole_where_that_is_asked_for() -> None:
    use = Message("assistant", (use_block("t", "ls", "{}"),))
    result = Message("tool", (result_block("t", "ls", "a"),))
    messages = [*said("a"), use, result]
    whole = compact_rs.compacted(messages, *EVERYTHING, keep_pairs=True)

    assert removed(compact_rs.compacted(messages, *EVERYTHING)) == 2
    assert removed(whole) == 1
