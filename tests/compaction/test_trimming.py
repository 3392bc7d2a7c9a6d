"""L1: what tools gave back is cut down, and cut once."""

from __future__ import annotations

import json

from memoryhub.compaction.levels import trim
from memoryhub.compaction.messages import Message
from tests.compaction.blocks import result_block, use_block


def call(number: int, output: str, name: str = "bash", path: str = "") -> list[Message]:
    given = json.dumps({"path": path} if path else {"command": "make"})
    use = use_block(f"t{number}", name, given)
    return [
        Message("assistant", (use,)),
        Message("user", (result_block(f"t{number}", name, output),)),
    ]


def outputs(messages: list[Message]) -> list[str]:
    trimmed, _ = trim(messages)
    assert trim(trimmed)[0] == trimmed
    return [result.text for m in trimmed for result in m.results]


def test_a_long_output_keeps_its_end_and_a_conclusion() -> None:
    output = "a\n" * 900 + "make: *** error 2\n" + "b\n" * 900

    assert outputs(call(1, output)) == [
        output[-500:]
        + "\n[trimmed — bash ended (“make: *** error 2”) with 3,618 characters,"
        " the last 500 are above]"
    ]


def test_an_output_up_to_the_limit_stays() -> None:
    assert outputs(call(1, "x" * 2000)) == ["x" * 2000]


def test_a_file_that_was_read_keeps_its_key_paragraphs() -> None:
    text = "Intro.\n\nchatter\n\n# Rules\nbe brief\n\n" + "more chatter " * 300

    assert outputs(call(1, text, "Read", "docs/a.md")) == [
        "Intro.\n\n# Rules\nbe brief\n[trimmed — full content at docs/a.md]"
    ]


def test_a_file_up_to_its_limit_stays() -> None:
    assert outputs(call(1, "x" * 3000, "read", "a.md")) == ["x" * 3000]


def test_all_but_the_eight_newest_records_become_a_line() -> None:
    messages = [m for n in range(10) for m in call(n, f"ok\n{n}\n" + "x " * 200)]
    found = outputs(messages)

    assert found[:2] == ["[trimmed — bash ended with 405 characters]"] * 2
    assert found[2:] == [f"ok\n{n}\n" + "x " * 200 for n in range(2, 10)]


def test_a_short_old_record_is_only_drawn_into_one_line() -> None:
    messages = [m for n in range(9) for m in call(n, "a\nb\n")]

    assert outputs(messages) == ["a b"] + ["a\nb\n"] * 8


def test_nothing_is_made_longer() -> None:
    messages = [m for n in range(9) for m in call(n, "", "x" * 300)]

    assert outputs(messages) == [""] * 9
