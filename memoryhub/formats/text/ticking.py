"""Lines of an open item, ticked off in a way that people and programs read as done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryhub.formats.base import FormatError
from memoryhub.prose.labels import is_column, state_of
from memoryhub.prose.stated import OPEN_SIGNS
from memoryhub.prose.units import bare, cells_of, is_rule

_BOX = re.compile(
    r"([ \t>]*(?:[-*+•]|\d{1,3}[.)、])[ \t]+\[)[^\]\n]{0,2}(\][ \t]+.*)\Z", re.DOTALL
)
_BULLET = re.compile(r"([ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+)(\S.*)\Z", re.DOTALL)
_TICKED = re.compile(
    r"([ \t>]*(?:[-*+•]|\d{1,3}[.)、])[ \t]+\[)[xX✓✔✅](\][ \t]+.*)\Z", re.DOTALL
)
_REASON = re.compile(r" \(closed: [^()\n]{0,600}\)[ \t]*\Z")
_WAITING = ("⏳", "🔄", "⌛", "🔲", "⬜")
_DONE = "✅"
#: A line of a table: a mark at its end would be in another cell.
_TABLE = "|"
_BRACKETS = str.maketrans("()（）\r\n", "[][]  ")


def ticked(lines: Sequence[str], text: str, reason: str = "") -> list[str]:
    """Return the lines of an item as done; a reason follows in brackets.

    `lines` are without line ends. `text` is the item's: a bullet that begins with it
    becomes a ticked checkbox, a line that begins with a label gets a mark at its end.

    Raises:
        FormatError: ``item-in-table``.
    """
    first, *more = lines
    if first.lstrip().startswith(_TABLE):
        raise FormatError("item-in-table")
    head, is_marked = _ticked_head(first, text)
    changed = [head, *more]
    tail = "" if is_marked else f" {_DONE}"
    if reason.strip():
        tail += f" (closed: {' '.join(reason.translate(_BRACKETS).split())})"
    changed[-1] = changed[-1].rstrip() + tail if tail else changed[-1]
    return changed


def bare_text(text: str) -> str:
    """Return an item's text in one line, without the reason of its closing."""
    return _REASON.sub("", " ".join(text.split()))


def unticked(lines: Sequence[str]) -> list[str]:
    """Return the lines of an item as open again, without the reason of its closing.

    Raises:
        FormatError: ``item-not-ticked``, words report it as done.
    """
    changed = [*lines]
    changed[-1] = _REASON.sub("", changed[-1])
    if found := _TICKED.match(changed[0]):
        changed[0] = f"{found[1]} {found[2]}"
    elif changed[-1].endswith(_DONE):
        changed[-1] = changed[-1].removesuffix(_DONE).rstrip()
    else:
        raise FormatError("item-not-ticked")
    return changed


def _ticked_head(line: str, text: str) -> tuple[str, bool]:
    """Return the first line of an item, and whether it is ticked now."""
    if found := _BOX.match(line):
        return f"{found[1]}x{found[2]}", True
    for mark in _WAITING:
        before, waits, after = line.partition(mark)
        if waits and not before.strip(" \t-*+>"):
            return f"{before}{_DONE}{after}", True
    found = _BULLET.match(line)
    if found and found[2].startswith(text[:40]):
        return f"{found[1]}[x] {found[2]}", True
    return line, False


def closed_row(line: str, head: str, reason: str = "") -> str | None:
    """Return a row of a table with its open cell done; None if no cell says it is open.

    `head` is the table's line of labels. All other cells stay as they are.
    """
    heads = cells_of(head)
    ends = [found.start() for found in re.finditer(r"(?<!\\)\|", line)]
    begins = [0, *(end + 1 for end in ends)]
    spans = [*zip(begins, [*ends, len(line)], strict=True)]
    if not line[: ends[0]].strip() if ends else False:
        spans = spans[1:]
    states = [place for place, name in enumerate(heads) if is_column(name, "state")]
    for place in states or range(len(spans)):
        cell = line[slice(*spans[place])].strip() if place < len(spans) else ""
        if (
            cell == "[ ]"
            or state_of(bare(cell)) == "open"
            or (cell[:1] in OPEN_SIGNS and cell)
        ):
            mark = "[x]" if cell == "[ ]" else "✅" if cell[0] in OPEN_SIGNS else "done"
            cause = " ".join(reason.replace("|", "/").split())
            done = f"{mark} (closed: {cause})" if cause and mark != "[x]" else mark
            first = spans[place][0] + line[slice(*spans[place])].index(cell)
            return line[:first] + done + line[first + len(cell) :]
    return None


def head_above(lines: Sequence[str], row: int) -> str:
    """Return the labels of the table that has a row, counted from 0; "" without."""
    for place in range(row - 1, max(0, row - 300), -1):
        if "|" not in lines[place]:
            return ""
        if is_rule(lines[place]):
            return lines[place - 1]
    return ""
