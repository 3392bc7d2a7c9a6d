"""A session's messages for compaction: blocks, pairs of use and result, tokens.

context-memory-optimizer counts tokens by characters, compact.rs by bytes of UTF-8; both
divide by four, round down and add one per block. Pictures count as nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from memoryhub.values import tokens

#: `summary` is the role of a host's replacement for compacted messages.
Role = Literal["user", "assistant", "system", "tool", "summary"]

#: The source of a message that no entry of a transcript holds yet.
NEW = -1

#: Measures the size of a text.
Measure = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a message: its text, the arguments of a tool's use, or its output.

    `name` is the tool's, `id` that of the use; empty if not given. Compaction does not
    change an `other` block: thinking with its text, a picture.
    """

    kind: Literal["text", "use", "result", "other"]
    text: str
    name: str = ""
    id: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message, and the index of its entry in the transcript."""

    role: Role
    blocks: tuple[Block, ...]
    source: int = NEW

    @property
    def text(self) -> str:
        """Its text blocks, joined by newlines."""
        return "\n".join(b.text for b in self.blocks if b.kind == "text")

    @property
    def results(self) -> tuple[Block, ...]:
        return tuple(b for b in self.blocks if b.kind == "result")

    @property
    def uses(self) -> tuple[Block, ...]:
        return tuple(b for b in self.blocks if b.kind == "use")


def clean_starts(messages: Sequence[Message]) -> list[bool]:
    """Return for each index whether keeping the messages from there on splits no pair.

    A result without an id of its use belongs to the message before it; one with an
    unknown use stands alone. There is one index more than messages: nothing is kept.
    """
    newest_first = list(_partners(messages))[::-1]
    earliest = list(accumulate(newest_first, min, initial=len(messages)))[::-1]
    return [first >= at for at, first in enumerate(earliest)]


def whole_pairs(messages: Sequence[Message], start: int) -> int:
    """Return the last index up to `start` from which on no pair is split."""
    clean = clean_starts(messages)
    return next(at for at in range(start, -1, -1) if clean[at])


def _partners(messages: Sequence[Message]) -> Iterator[int]:
    """Yield for each message the index of the first use whose result it holds."""
    uses: dict[str, int] = {}
    for at, message in enumerate(messages):
        uses |= {use.id: at for use in message.uses}
        firsts = (
            uses.get(result.id, at) if result.id else max(at - 1, 0)
            for result in message.results
        )
        yield min(firsts, default=at)


def utf8_size(text: str) -> int:
    """Return the size of a text in UTF-8 bytes; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def message_tokens(message: Message, measure: Measure = len) -> int:
    """Return a message's tokens: for each block, name and content ÷ 4, and one."""
    sizes = (measure(block.name) + measure(block.text) for block in message.blocks)
    return sum(tokens.seed(size) + 1 for size in sizes)


def session_tokens(messages: Iterable[Message], measure: Measure = len) -> int:
    """Return the tokens of all messages together."""
    return sum(message_tokens(message, measure) for message in messages)


def text_tokens(text: str) -> int:
    """Return the tokens of a text as one block."""
    return tokens.seed(len(text)) + 1
