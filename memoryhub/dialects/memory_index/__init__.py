"""Curated memory: ``MEMORY.md`` as an index of pointers or as notes, and ``USER.md``.

Reads the pointer lines of two editions of context-memory-optimizer, the links of
Claude Code's auto-memory index, and what OpenClaw observed of a user. New indexes are
written in the form of v3.1.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Declared, Document, last_part
from memoryhub.formats.base import NO_PATH, FormatError, Lines
from memoryhub.formats.text.line_edits import replace_line
from memoryhub.formats.text.list_items import Bullet, bullets_of
from memoryhub.formats.text.source import Section, split_lines, split_sections
from memoryhub.prose.stated import Stated, find_stated
from memoryhub.values.limits import (
    INDEX_CONSTRAINT,
    INDEX_LINE,
    INDEX_TASK,
    INDEX_TOKENS,
)
from memoryhub.values.tokens import SEED_CHARACTERS, seed

NAME = "memory_index"

#: Editions, by the lines only one of them has.
POINTERS_31, POINTERS_10 = "v3.1", "1.0.2"
AUTO_MEMORY, TASK_GROUPS, CURATED = "auto-memory index", "task groups", "curated"
HERMES = "section signs"

_INDEX_TITLE = "# MEMORY INDEX"
_OLD_NOTE = "_Loaded automatically. Contains pointers, not full text._"
#: A line of its own between two notes in Hermes' files.
_SIGN = "§"
#: The heading of a block of Codex's ``MEMORY.md``.
_TASK_GROUP = re.compile(r"^# Task Group:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_FOLDER = re.compile(r"\bcwd=([^\s;,)]+)")
_REMARK = re.compile(r"[ \t]*\([^()]*\)[ \t\r]*\Z")
_OBSERVED = re.compile(
    r"[ \t]*<!--[ \t]*observed:[ \t]*[0-9-]{10}[ \t]*\|"
    r"[ \t]*status:[ \t]*(\w+)[ \t]*-->[ \t\r\n]*"
)

#: A path as pointers name it, with or without backticks, and its anchor.
_PATH = re.compile(
    r"`?((?:[^\s`|#{}()]*/)?[^\s`|#{}()/]*(?:\.[A-Za-z][A-Za-z0-9]{0,7}|/))"
    r"(#[^\s`|()]+)?`?"
)
_LINK = re.compile(r"\[([^\]\n]*)\]\(<?([^()<>\s#]+)(#[^()<>\s]+)?>?\)")
_HOOK = re.compile(r"[ \t]*(?:[—–:]|-{1,2})?[ \t]*")
_LABELS = ("Details in ", "Details: ", "Context: ")
_NEW_TARGET = re.compile(r"[^\s`|(){}<>]+")

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
class Pointer:
    """A line with a reference to a file; `column` is the target's offset in it."""

    target: str
    anchor: str
    label: str
    text: str
    section: str
    column: int
    lines: Lines


@dataclass(frozen=True, slots=True)
class Directive:
    """An agent's observation about its user, from ``USER.md``."""

    text: str
    status: str
    lines: Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryIndex(Document):
    """A parsed curated file."""

    edition: str
    sections: tuple[Section, ...]
    pointers: tuple[Pointer, ...]
    directives: tuple[Directive, ...]

    def facts(self, place: PurePosixPath) -> Iterator[Declared]:
        """Yield the groups of tasks of Codex's memory, each up to the next one."""
        text, heads = self.text, [*_TASK_GROUP.finditer(self.text)]
        line, counted = 1, 0
        for head, following in zip_longest(heads, heads[1:]):
            end = following.start() if following else len(text)
            line += text.count("\n", counted, head.start())
            counted = head.start()
            last = line + max(0, text.count("\n", counted, end) - 1)
            found = _FOLDER.search(text, counted, end)
            folder = found[1] if found else ""
            name, worked_in = _REMARK.sub("", head[1].strip()), last_part(folder)
            if worked_in and name.casefold().startswith(worked_in.casefold()):
                name = worked_in
            yield Declared("group", name, Lines(line, last), folder)

    def statements(self) -> Stated:
        """Return those outside its pointers and its superseded directives."""
        past = [o.lines for o in self.directives if o.status == "superseded"]
        spans = chain((one.lines for one in self.pointers), past)
        hidden = (n for at in spans for n in range(at.first, at.last + 1))
        return find_stated(self.text, frozenset(hidden))


def with_target(text: str, pointer: Pointer, target: str) -> str:
    """Return the text with another target for one of its pointers.

    Raises FormatError `target-not-allowed` for a target with blanks or marks that would
    end it.
    """
    number = pointer.lines.first
    if not _NEW_TARGET.fullmatch(target):
        raise FormatError("target-not-allowed", number, target=target)
    line = split_lines(text)[number - 1].rstrip("\r\n")
    end = pointer.column + len(pointer.target + pointer.anchor)
    return replace_line(text, number, line[: pointer.column] + target + line[end:])


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether this is curated memory: OpenClaw reads these names only.

    ``memory_summary.md`` is what Codex reads first. ``memory.md`` is an older name
    and counts at the workspace root only.
    """
    if path.name in ("MEMORY.md", "USER.md", "memory_summary.md"):
        return True
    return path.parts == ("memory.md",)


def parse(text: str, path: PurePosixPath = NO_PATH) -> MemoryIndex:
    """Return the pointers and observations of any text; it never fails."""
    return _parsed(text)


@lru_cache(maxsize=4)
def _parsed(text: str) -> MemoryIndex:
    """Return the document of a text; cached, as an edit asks for it several times."""
    lines = split_lines(text)
    items = bullets_of(text)
    pointers = tuple(_pointers(items, lines))
    return MemoryIndex(
        text=text,
        edition=_edition(text, pointers, len(items)),
        sections=split_sections(text),
        pointers=pointers,
        directives=tuple(_directives(items, lines)) if "<!--" in text else (),
    )


def _edition(text: str, pointers: tuple[Pointer, ...], items: int) -> str:
    head = text[:2000]
    if head.lstrip().startswith(_INDEX_TITLE):
        return POINTERS_31
    if _OLD_NOTE in head:
        return POINTERS_10
    if _TASK_GROUP.search(text[:20_000]):
        return TASK_GROUPS
    if "§" in text and any((line.strip() == _SIGN) for line in text.split("\n")):
        return HERMES
    links = sum(not pointer.label for pointer in pointers)
    if links and links * 2 >= items and "](" in text:
        return AUTO_MEMORY
    return CURATED


def _pointers(items: tuple[Bullet, ...], lines: list[str]) -> Iterator[Pointer]:
    for item in items:
        line = lines[item.lines.first - 1]
        pointer = _link(item, line) or _cell_pointer(item, line)
        if pointer:
            yield pointer


def _link(item: Bullet, line: str) -> Pointer | None:
    """Read ``- [Title](file.md) — hook``; a link elsewhere is only a mention."""
    content = line.rstrip("\r\n")
    found = _LINK.match(content, content.find("["))
    if not found or "://" in found[2] or content[: found.start()].strip() != item.mark:
        return None
    hook = content[found.end() :]
    start = _HOOK.match(hook)
    return Pointer(
        target=found[2],
        anchor=found[3] or "",
        label="",
        text=": ".join(filter(None, [found[1], hook[start.end() if start else 0 :]])),
        section=item.section,
        column=found.start(2),
        lines=item.lines,
    )


def _cell_pointer(item: Bullet, line: str) -> Pointer | None:
    """Read the cells of ``- text | Details → path#anchor`` and ``- path | purpose``."""
    content = line.rstrip("\r\n")
    start = content.find(item.mark) + len(item.mark)
    cells = content[start:].split(" | ")
    offset = start
    for place, cell in enumerate(cells):
        label, found = _labelled(cell)
        if not label and place == 0 and len(cells) > 1:
            found = _PATH.fullmatch(cell.strip())
            label = ""
        if found:
            text = " | ".join(c.strip() for i, c in enumerate(cells) if i != place)
            column = offset + cell.rindex(found[1])
            return Pointer(
                found[1], found[2] or "", label, text, item.section, column, item.lines
            )
        offset += len(cell) + len(" | ")
    return None


def _labelled(cell: str) -> tuple[str, re.Match[str] | None]:
    """Return the words before a cell's target, and the target if it is a path."""
    label, arrow, target = cell.strip().rpartition(" → ")
    if not arrow:
        start = next((s for s in _LABELS if cell.strip().startswith(s)), "")
        label, target = start.partition(" ")[0].rstrip(":"), cell.strip()[len(start) :]
    if not label:
        return "", None
    return label, _PATH.fullmatch(target.strip())


def _directives(items: tuple[Bullet, ...], lines: list[str]) -> Iterator[Directive]:
    """Read OpenClaw's ``<!-- observed: … | status: … -->`` lines with their bullet."""
    for item in items:
        number = item.lines.first - 2
        while number > 0 and not lines[number].strip():
            number -= 1
        found = _OBSERVED.fullmatch(lines[number]) if number >= 0 else None
        if found:
            yield Directive(item.text, found[1], Lines(number + 1, item.lines.last))


@dataclass(frozen=True, slots=True)
class PointerLine:
    """An index line about a file.

    `status` is for tasks only: empty means `IN_PROGRESS`, None omits it.
    """

    text: str
    target: str
    status: str | None = ""


def render_index(
    updated: datetime.datetime,
    *,
    projects: Iterable[PointerLine] = (),
    tasks: Iterable[PointerLine] = (),
    constraints: Iterable[str] = (),
    files: Iterable[PointerLine] = (),
) -> str:
    """Return the text of an index of at most 800 tokens.

    Lines come by descending importance; those that would exceed the limit are left
    out, from the end of each section. A value too long for its line ends with ``…``.
    """
    sections = {
        "Current Project": [
            _pointing(f"- Name: {_plain(line.text)}", f" | Details → {line.target}")
            for line in projects
        ],
        "Active Task": [render_task_line(line) for line in tasks],
        "Key Constraints": [
            f"- {_cut(_plain(text), INDEX_CONSTRAINT)}" for text in constraints
        ],
        "Recently Referenced Files": [
            _cut(f"- {line.target} | {_plain(line.text)}", INDEX_LINE) for line in files
        ],
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


def render_task_line(line: PointerLine) -> str:
    """Return the line of a task that points to its file."""
    tail = f" | Details → {line.target}"
    if line.status is not None:
        tail = f" | Status: {_cut(_plain(line.status) or IN_PROGRESS, 30)}{tail}"
    return _pointing(f"- {_cut(_plain(line.text), INDEX_TASK)}", tail)


def _pointing(head: str, tail: str) -> str:
    """Shorten a line's words, but never the path it points to."""
    return _cut(head, max(INDEX_LINE - len(tail), 10)) + tail


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """Return a value as one cell of a line."""
    return " ".join(text.replace(" | ", " / ").split())


DIALECT = Dialect(
    title=gettext_noop("MEMORY.md"),
    kind=gettext_noop("memory index"),
    order=150,
    lives_long=True,
    read_whole=True,
    is_found=True,
    is_index=True,
    recall_rank=lambda path: 1 if path.stem.casefold() == "memory" else 3,
)
