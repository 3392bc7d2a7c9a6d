"""Lossless Markdown source: lines, fences and sections that join back to their text.

Nothing here knows a dialect, but where a snapshot's block ends: a code fence that it
leaves open ends with it. Lines end at ``\n`` only: `str.splitlines` also cuts at form
feeds and U+2028, which agents write. Front matter is plain text here; see
`memoryhub.formats.text.frontmatter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memoryhub.formats.base import Lines

#: A line that may be a heading, or open or close a fence. Anchored at ``\\n``,
#: which is four times as fast as a multi-line ``^``.
_MARK = re.compile(r"\n {0,3}(#{1,6}(?![^ \t\r\n])|`{3,}|~{3,})([^\n]*)")
MARKER = "BIG-MEMORY-SNAPSHOT"
#: The same, or a start or end comment of a snapshot's block.
_MARK_OR_COMMENT = re.compile(
    rf"{_MARK.pattern}|"
    rf"\n[ \t\ufeff]*<!-- (/?){MARKER}(?: v([0-9]{{1,9}}))? -->[ \t\r]*(?=\n|\Z)"
)
#: What an open code fence should not hide: `# x` may be a comment of its code.
_HIDDEN = re.compile(rf"\n(?:#{{2,6}}[ \t]|[ \t]*<!-- {MARKER} )")
#: The end of a sentence: a Chinese one has no blank after it.
_SENTENCE_END = re.compile(r"\. |。|\n")


class Mark(NamedTuple):
    """A heading, a fence, or a comment that starts or ends a snapshot's block.

    `mark` are its marking characters, of a comment ``<`` or ``</``; `rest` is the text
    after them, of a start comment the version. `before` and `after` are the fences
    that are open before and after the line.
    """

    start: int
    end: int
    mark: str
    rest: str
    before: str
    after: str


class Section(NamedTuple):
    """A heading line and the text up to the next heading, as offsets into `text`.

    The text before the first heading is a section of level 0 without a title.
    """

    text: str
    start: int
    body_start: int
    end: int
    level: int
    title: str
    first_line: int

    @property
    def heading(self) -> str:
        return self.text[self.start : self.body_start]

    @property
    def body(self) -> str:
        return self.text[self.body_start : self.end]

    @property
    def source(self) -> str:
        return self.text[self.start : self.end]

    @property
    def lines(self) -> Lines:
        """The range of lines, heading included."""
        return lines_between(self.text, self.start, self.end, self.first_line)

    @property
    def body_line(self) -> int:
        """The number of the first line of the body."""
        return self.first_line + bool(self.level)


def split_lines(text: str) -> list[str]:
    """Split a text into lines with their ends, which join back to it."""
    lines = text.split("\n")
    tail = lines.pop()
    kept = [line + "\n" for line in lines]
    return [*kept, tail] if tail else kept


def newline_of(text: str) -> str:
    """Return the line end new lines of this text should have."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def lines_between(text: str, start: int, end: int, first_line: int) -> Lines:
    """Return the line range of ``text[start:end]``, which starts at `first_line`."""
    inner = text.count("\n", start, max(start, end - 1))
    return Lines(first_line, first_line + inner)


def up_to_next(
    founds: Iterator[re.Match[str]], end: int
) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match with the start of the next one, or the end."""
    last = next(founds, None)
    for found in founds:
        if last:
            yield last, found.start()
        last = found
    if last:
        yield last, end


@lru_cache(maxsize=4)
def split_sections(text: str) -> tuple[Section, ...]:
    """Split a text at its ATX headings; headings in code fences do not count.

    The sections join back to the text; an empty text has none. Setext headings
    are not read: in agents' logs ``---`` under a text is a rule. Cached: several
    readers ask for those of one text.
    """
    return tuple(_sections(text))


def sections_below(sections: Sequence[Section], place: int) -> Sequence[Section]:
    """Return the deeper sections after one, up to the first that is not deeper."""
    end = place + 1
    while end < len(sections) and sections[end].level > sections[place].level:
        end += 1
    return sections[place + 1 : end]


def _sections(text: str) -> Iterator[Section]:
    start, body_start, level, title, line = 0, 0, 0, "", 1
    headings = (m for m in marks(text) if m.mark[0] == "#" and not m.before)
    for mark in headings:
        if mark.start:
            yield Section(text, start, body_start, mark.start, level, title, line)
            line += text.count("\n", start, mark.start)
        start, body_start = mark.start, mark.end
        level, title = len(mark.mark), heading_title(mark.rest)
    if text:
        yield Section(text, start, body_start, len(text), level, title, line)


def marks(text: str, newline: int = -1) -> Iterator[Mark]:
    """Yield headings, fences and snapshot comments, with the fences open there.

    With the offset of a newline: only those after it, as if the text began there.
    This is the one reader of fences. A fence opened in a snapshot's block ends with
    it; the line behind the block may close it, as earlier versions of the hub did.
    """
    if newline >= 0:
        return _marks(text, newline)
    return iter(_all_marks(text))


@lru_cache(maxsize=4)
def _all_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks of a text; cached, since several readers ask for them."""
    return tuple(_marks(text, -1))


def _marks(text: str, newline: int) -> Iterator[Mark]:
    """Yield the marks of the lines behind a newline, as if the text began there.

    -1 is the newline that would stand before the text.
    """
    behind = newline >= 0
    pattern = _MARK_OR_COMMENT if behind or MARKER in text else _MARK
    fence = left = ""
    left_at, in_block = 0, False
    for found in pattern.finditer(text if behind else "\n" + text, max(newline, 0)):
        # A match begins at the newline before its line and ends before the next one.
        start, end = found.start() + behind, min(found.end() + behind, len(text))
        before, mark, rest = fence, found[1], found[2]
        if mark is None:
            if (before and not in_block) or not (found[3] or found[4]):
                continue
            in_block = not found[3]
            mark, rest = ("<", found[4]) if in_block else ("</", "")
            fence, left, left_at = "", before, end
        elif mark[0] != "#":
            is_late = left and start == left_at
            closes_late = is_late and not next_fence(left, mark, rest)
            fence = "" if closes_late else next_fence(before, mark, rest)
        yield Mark(start, end, mark, rest, before, fence)


def heading_title(rest: str) -> str:
    """Return the title from the text after the ``#`` marks, without closing marks."""
    title = rest.strip(" \t\r")
    bare = title.rstrip("#")
    if bare == title or (bare and bare[-1] not in " \t"):
        return title
    return bare.rstrip(" \t")


@lru_cache(maxsize=4)
def fenced_lines(text: str) -> frozenset[int]:
    """Return the numbers of all lines of code fences, the fence lines included.

    Cached: several readers ask for those of one text.
    """
    if "```" not in text and "~~~" not in text:
        return frozenset()
    inside: set[int] = set()
    opened, line, counted = 0, 1, 0
    for mark in marks(text):
        line += text.count("\n", counted, mark.start)
        counted = mark.start
        if mark.after and not mark.before:
            opened = line
        elif mark.before and not mark.after:
            inside.update(range(opened, line + (mark.mark[0] != "<")))
            opened = 0
    if opened:
        inside.update(range(opened, len(split_lines(text)) + 1))
    return frozenset(inside)


def open_fence(text: str) -> str:
    """Return the code fence a text leaves open, or nothing."""
    fence = ""
    for mark in marks(text):
        fence = mark.after
    return fence


def hiding_fence(text: str) -> int:
    """Return the line of a code fence left open above a heading or a snapshot, or 0."""
    opened, last = 0, None
    for last in marks(text):
        if last.after and not last.before:
            opened = last.start
    if last is None or not last.after or not _HIDDEN.search(text, opened):
        return 0
    return text.count("\n", 0, opened) + 1


def next_fence(fence: str, mark: str, rest: str) -> str:
    """Return the fence that is open after a line that starts with fence marks.

    CommonMark: a closing fence is of the same character, at least as long as
    the opening one, and followed by blanks only; an opening fence of backticks
    has no backtick in its info string.
    """
    if not fence:
        return "" if mark[0] == "`" and "`" in rest else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip(" \t\r")
    return "" if closes else fence


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without its full stop."""
    return _SENTENCE_END.split(text.strip(), maxsplit=1)[0].rstrip(".。").strip()


def after_first_sentence(text: str) -> str:
    """Return the text behind the first sentence."""
    return "".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[1:]).strip()
