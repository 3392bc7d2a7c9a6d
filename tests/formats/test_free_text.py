from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.big_memory.task_snapshot import find_snapshots
from memoryhub.formats.hub.handoff import find_results, find_tasks
from memoryhub.formats.text.free_text import with_closed_fence, without_blocks
from memoryhub.formats.text.source import fenced_lines

PIECES = st.sampled_from(
    [
        "<task>",
        "<r>",
        "</r>",
        "<task_id>7</task_id>",
        "<status>done</status>",
        "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
        "<!-- /BIG-MEMORY-SNAPSHOT -->",
        "\n",
        " ",
        "```",
        "~~~ ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3)).map("".join)


@given(TEXTS)
def test_nothing_but_text_is_read_back(text: str) -> None:
    plain = without_blocks(text)

    assert not (find_tasks(plain) or find_results(plain) or find_snapshots(plain))
    assert without_blocks(plain) == plain
    assert plain.replace("&lt;", "<") == text.replace("&lt;", "<")


@pytest.mark.parametrize(
    "text", ["Compare a < b.", "Write <task> blocks.", "- <r>", "<!-- trigger: a -->"]
)
def test_what_opens_no_block_is_as_it_was(text: str) -> None:
    assert without_blocks(text) == text


@given(TEXTS)
def test_no_fence_is_left_open(text: str) -> None:
    lines = with_closed_fence(text) + "\nbehind"

    assert lines.count("\n") + 1 not in fenced_lines(lines)


def test_long_texts_are_read_in_time() -> None:
    text = "<" * 50_000 + " " * 50_000 + "`" * 50_000

    assert with_closed_fence(without_blocks(text)) == text
