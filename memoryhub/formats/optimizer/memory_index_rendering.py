"""A new ``MEMORY.md`` in the pointer form of context-memory-optimizer v3.1."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryhub.values.limits import (
    INDEX_CONSTRAINT,
    INDEX_LINE,
    INDEX_TASK,
    INDEX_TOKENS,
)
from memoryhub.values.tokens import SEED_CHARACTERS, seed

#: The status of a task of which no other is known.
IN_PROGRESS = "in-progress"

_HEAD = """\
# MEMORY INDEX
# Each entry is a pointer to a file, not a copy of its content.
_Updated: {updated} | Token estimate: {tokens}_
"""
_FOOT = "_This index is a hint, not ground truth. Read the linked files for details._\n"
_NONE = "- (none)"


@dataclass(frozen=True, slots=True)
class PointerLine:
    """An index line about a file.

    `status` is for tasks only: empty means `IN_PROGRESS`, None omits it.
    """

    text: str
    target: str
    status: str | None = ""


@dataclass(frozen=True, slots=True)
class IndexContents:
    """The lines of an index, by descending importance within each section."""

    projects: Sequence[PointerLine] = ()
    tasks: Sequence[PointerLine] = ()
    constraints: Sequence[str] = ()
    files: Sequence[PointerLine] = ()


def render_index(contents: IndexContents, updated: datetime.datetime) -> str:
    """Return the text of an index of at most 800 tokens.

    Lines that would exceed that are left out, from the end of each section; a
    value too long for its line ends with ``…``.
    """
    sections = {
        "Current Project": [_project(line) for line in contents.projects],
        "Active Task": [render_task_line(line) for line in contents.tasks],
        "Key Constraints": [_constraint(text) for text in contents.constraints],
        "Recently Referenced Files": [_file(line) for line in contents.files],
    }
    frame = len(_HEAD) + len(_FOOT) + 30
    frame += sum(len(title) + len(_NONE) + 6 for title in sections)
    budget = INDEX_TOKENS * SEED_CHARACTERS - frame
    body = ""
    for title, lines in sections.items():
        kept = list(_fitting(lines, budget))
        budget -= sum(len(line) + 1 for line in kept)
        body += f"\n## {title}\n" + "\n".join(kept or [_NONE]) + "\n"
    tokens = seed(len(_HEAD) + len(body) + len(_FOOT))
    stamp = f"{updated:%Y-%m-%d %H:%M}"
    return _HEAD.format(updated=stamp, tokens=tokens) + body + "\n" + _FOOT


def _fitting(lines: list[str], budget: int) -> Iterator[str]:
    for line in lines:
        budget -= len(line) + 1
        if budget < 0:
            return
        yield line


def _project(line: PointerLine) -> str:
    return _pointing(f"- Name: {_plain(line.text)}", f" | Details → {line.target}")


def render_task_line(line: PointerLine) -> str:
    """Return the line of a task that points to its file."""
    tail = f" | Details → {line.target}"
    if line.status is not None:
        tail = f" | Status: {_cut(_plain(line.status) or IN_PROGRESS, 30)}{tail}"
    return _pointing(f"- {_cut(_plain(line.text), INDEX_TASK)}", tail)


def _constraint(text: str) -> str:
    return f"- {_cut(_plain(text), INDEX_CONSTRAINT)}"


def _file(line: PointerLine) -> str:
    return _cut(f"- {line.target} | {_plain(line.text)}", INDEX_LINE)


def _pointing(head: str, tail: str) -> str:
    """Shorten a line's words, but never the path it points to."""
    return _cut(head, max(INDEX_LINE - len(tail), 10)) + tail


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """Return a value as one cell of a line."""
    return " ".join(text.replace(" | ", " / ").split())
