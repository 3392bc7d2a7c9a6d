"""Pairs of a tool's use and its result are never parted."""

from __future__ import annotations

from memoryhub.compaction.messages import (
    Message,
    clean_starts,
    whole_pairs,
)
from tests.compaction.blocks import result_block, text_block, use_block


def use(*ids: str) -> Message:
    return Message("assistant", tuple(use_block(one, "ls", "{}") for one in ids))


def result(*ids: str) -> Message:
    return Message("user", tuple(result_block(one, "ls", "a") for one in ids))


SAID = Message("user", (text_block("hi"),))


def test_what_is_kept_begins_before_the_use_of_its_results() -> None:
    assert whole_pairs([SAID, use("a", "b"), result("a"), result("b")], 3) == 1


def test_pairs_that_overlap_are_kept_together() -> None:
    assert whole_pairs([use("a"), use("b"), result("a"), SAID, result("b")], 3) == 0


def test_an_id_that_is_used_twice_means_the_use_before() -> None:
    messages = [use("a"), result("a"), use("a"), result("a")]

    assert clean_starts(messages) == [True, False, True, False, True]


def test_a_result_without_an_id_goes_with_the_message_before_it() -> None:
    assert whole_pairs([SAID, use("a"), result("")], 2) == 1


def test_a_result_whose_use_is_nowhere_goes_alone() -> None:
    assert whole_pairs([SAID, result("gone")], 1) == 1
