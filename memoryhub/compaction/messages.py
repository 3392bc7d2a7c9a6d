"""A session's messages as compaction sees them: a role, and blocks of text or tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

#: `summary` is what a host put in the place of messages that it compacted.
Role = Literal["user", "assistant", "system", "tool", "summary"]

#: The source of a message that no entry of a transcript holds yet.
NEW = -1


@dataclass(frozen=True, slots=True)
class Text:
    """What somebody said."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool is called; `input` is the text of its arguments, mostly JSON."""

    id: str
    name: str
    input: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back; `id` is that of its use, empty where none is named."""

    id: str
    name: str
    output: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """A block that compaction leaves alone: thinking with its text, a picture."""

    kind: str
    text: str = ""


Block = Text | ToolUse | ToolResult | Other


@dataclass(frozen=True, slots=True)
class Message:
    """A message, and the number of the transcript's entry that it was read from."""

    role: Role
    blocks: tuple[Block, ...]
    source: int = NEW

    @property
    def text(self) -> str:
        """Its text blocks, a line between them."""
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
    """Return a block's name, empty where it has none, and what it says."""
    match block:
        case ToolUse(_, name, said) | ToolResult(_, name, said):
            return name, said
        case _:
            return "", block.text
