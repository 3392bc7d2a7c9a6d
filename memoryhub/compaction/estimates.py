"""Token estimates of messages, by context-memory-optimizer and by compact.rs.

The skill counts characters, compact.rs bytes of UTF-8; both divide by four, round
down and add one per block. Pictures count as nothing, which is too little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memoryhub.compaction.messages import Message, block_texts
from memoryhub.values import tokens

#: Measures the size of a text.
Measure = Callable[[str], int]


def utf8_size(text: str) -> int:
    """Return the size of a text in UTF-8 bytes; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def message_tokens(message: Message, measure: Measure = len) -> int:
    """Return a message's tokens: for each block, name and content ÷ 4, and one."""
    sizes = (sum(map(measure, block_texts(block))) for block in message.blocks)
    return sum(tokens.seed(size) + 1 for size in sizes)


def session_tokens(messages: Iterable[Message], measure: Measure = len) -> int:
    """Return the tokens of all messages together."""
    return sum(message_tokens(message, measure) for message in messages)


def text_tokens(text: str) -> int:
    """Return the tokens of a text as one block."""
    return tokens.seed(len(text)) + 1
