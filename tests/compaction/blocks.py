"""Blocks of a session's messages, each with the parts that its kind has."""

from __future__ import annotations

from memoryhub.compaction.messages import Block


def text_block(text: str) -> Block:
    return Block("text", text)


def use_block(use: str, name: str, given: str) -> Block:
    return Block("use", given, name, use)


def result_block(use: str, name: str, output: str, is_error: bool = False) -> Block:
    return Block("result", output, name, use, is_error)
