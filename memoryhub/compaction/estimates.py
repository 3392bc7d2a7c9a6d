"""How many tokens messages take, as context-memory-optimizer and compact.rs guess it.

The skill counts characters, compact.rs bytes of UTF-8; both divide by four, round
down and add one a block. Pictures count as nothing, which is too little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memoryhub.compaction.messages import Message, block_texts
from memoryhub.values import tokens

#: What is counted of a text.
Measure = Callable[[str], int]


def utf8_size(text: str) -> int:
    """Return how many bytes a text has; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def message_tokens(message: Message, measure: Measure = len) -> int:
    """Return what a message takes: of each block, name and content ÷ 4, and one."""
    sizes = (sum(map(measure, block_texts(block))) for block in message.blocks)
    return sum(tokens.seed(size) + 1 for size in sizes)


def session_tokens(messages: Iterable[Message], measure: Measure = len) -> int:
    """Return what messages take together."""
    return sum(message_tokens(message, measure) for message in messages)


def text_tokens(text: str) -> int:
    """Return what a text takes as one block."""
    return tokens.seed(len(text)) + 1
