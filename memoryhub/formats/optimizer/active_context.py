"""context-memory-optimizer's ``memories/context.md``: the task at hand, free text.

The skill overwrites it before each compaction; older ones live in the revisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats.base import Lines
from memoryhub.formats.others.plain import first_paragraph
from memoryhub.formats.text.list_items import Bullet, bullets_of
from memoryhub.formats.text.source import Section, split_sections

NAME = "active_context"


@dataclass(frozen=True, slots=True)
class ActiveContext:
    """A parsed context: `task` is its first paragraph, `items` are its bullets."""

    text: str
    task: str
    task_lines: Lines | None
    sections: tuple[Section, ...]
    items: tuple[Bullet, ...]

    def render(self) -> str:
        return self.text


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the path ends in ``memories/context.md``: no other is used."""
    return path.parts[-2:] == ("memories", "context.md")


def parse(text: str) -> ActiveContext:
    """Return the lines of any text; it never fails."""
    task, lines = first_paragraph(text)
    return ActiveContext(text, task, lines, split_sections(text), bullets_of(text))
