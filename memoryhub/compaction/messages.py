"""A session's messages for compaction: a role, and blocks of text or tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

#: `summary` is the role of a host's replacement for compacted messages.
Role = Literal["user", "assistant", "system", "tool", "summary"]

#: The source of a message that no entry of a transcript holds yet.
NEW = -1


@dataclass(frozen=True, slots=True)
class Text:
    """A text block of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call; `input` is the text of its arguments, mostly JSON."""

    id: str
    name: str
    input: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result; `id` is that of its use, empty if not given."""

    id: str
    name: str
    output: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """A block that compaction does not change: thinking with its text, a picture."""

    kind: str
    text: str = ""


Block = Text | ToolUse | ToolResult | Other


@dataclass(frozen=True, slots=True)
class Message:
    """A message, and the index of its entry in the transcript."""

    role: Role
    blocks: tuple[Block, ...]
    source: int = NEW

    @property
    def text(self) -> str:
        """Its text blocks, joined by newlines."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(b for b in self.blocks if isinstance(b, ToolResult))

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        return tuple(b for b in self.blocks if isinstance(b, ToolUse))

    def with_blocks(self, blocks: Iterable[Block]) -> Message:
        return replace(self, blocks=tuple(blocks))


def block_texts(block: Block) -> tuple[str, str]:
    """Return a block's name, empty if it has none, and its text."""
    match block:
        case ToolUse(_, name, said) | ToolResult(_, name, said):
            return name, said
        case _:
            return "", block.text
