"""Lossless Markdown source: lines, fences and sections that join back to their text.

Nothing here knows a dialect, but where a snapshot's block ends: a code fence that it
leaves open ends with it. Lines end at ``\n`` only: `str.splitlines` also cuts at form
feeds and U+2028, which agents write. Front matter is plain text here; see
`memoryhub.formats.text.frontmatter`.

Values of parts of a text are computed once, and found again in the next version: a log
continues the one before, so that nearly all of its lines are read already. What is
found again is what would be computed anew: a value depends on the characters of its
part alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from memoryhub.formats.base import Lines

Value = TypeVar("Value")

#: Key of a part: the numbers that say where it begins and ends, or its own words.
Part = tuple[int | str, ...]
#: Texts whose values are cached, and their characters in all.
_TEXTS, _CHARACTERS = 8, 8_000_000
#: Shorter texts are read anew in less time than it takes to find them.
_LEAST = 2_000
#: Key of the state of a pass over all lines.
WHOLE: Part = (0,)


class _Text(NamedTuple, Generic[Value]):
    text: str
    values: dict[Part, Value]


class Parts(Generic[Value]):
    """The values of one text's parts, by the numbers of each part."""

    def __init__(self, values: dict[Part, Value]) -> None:
        self._values = values

    def value(self, part: Part, make: Callable[[], Value]) -> Value:
        """Return the value of a part; `make` computes it from its characters alone."""
        try:
            return self._values[part]
        except KeyError:
            value = self._values[part] = make()
            return value

    def before(self, part: Part) -> Value | None:
        """Return the value noted for a part of this text or one it continues."""
        return self._values.get(part)

    def note(self, part: Part, value: Value) -> None:
        """Store the value of a part; for texts that continue this one it is old.

        A value that is not final, such as the state of a pass over all lines.
        """
        self._values[part] = value


class Growing(Generic[Value]):
    """The values of the texts read last, for those that continue one of them."""

    def __init__(self) -> None:
        self._texts: list[_Text[Value]] = []
        self._lock = Lock()

    def parts_of(self, text: str) -> Parts[Value]:
        """Return the values of a text's parts, with those of a text it continues."""
        if len(text) < _LEAST:
            return Parts({})
        with self._lock:
            for one in self._texts:
                # A text is asked for once for each of its sections.
                if one.text is text:
                    return Parts(one.values)
            before = self._longest(text)
            # A copy: other threads read other continuations of the same text.
            values = dict(before.values) if before else {}
            others = [one for one in self._texts if one is not before]
            self._texts = _within([_Text(text, values), *others])
        return Parts(values)

    def _longest(self, text: str) -> _Text[Value] | None:
        """Return the longest known text that this one continues."""
        found = [one for one in self._texts if text.startswith(one.text)]
        return max(found, key=lambda one: len(one.text), default=None)


def _within(texts: list[_Text[Value]]) -> list[_Text[Value]]:
    """Return the first texts, as many as may be cached."""
    left, most = _CHARACTERS, 0
    for one in texts[:_TEXTS]:
        left -= len(one.text)
        if left < 0:
            break
        most += 1
    return texts[:most]


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
        return _marks(text, newline, _Fences())
    return iter(_all_marks(text))


class _Fences:
    """Fences and blocks that are open at a line, as the lines before it left them."""

    __slots__ = ("fence", "in_block", "left", "left_at")

    def __init__(self) -> None:
        self.fence = self.left = ""
        self.left_at = 0
        self.in_block = False

    def copy(self) -> _Fences:
        other = _Fences()
        other.fence, other.left = self.fence, self.left
        other.left_at, other.in_block = self.left_at, self.in_block
        return other

    def mark(self, found: re.Match[str], start: int, end: int) -> Mark | None:
        """Return the mark of a line, and change the state; None if it is text."""
        before = self.fence
        mark, rest = found[1], found[2]
        if mark is None:
            if (before and not self.in_block) or not (found[3] or found[4]):
                return None
            self.in_block = not found[3]
            mark, rest = ("<", found[4]) if self.in_block else ("</", "")
            self.fence, self.left, self.left_at = "", before, end
        elif mark[0] != "#":
            is_late = self.left and start == self.left_at
            closes_late = is_late and not next_fence(self.left, mark, rest)
            self.fence = "" if closes_late else next_fence(before, mark, rest)
        return Mark(start, end, mark, rest, before, self.fence)


class _MarkedLines(NamedTuple):
    """Marks of all lines of a text but the last, and the state at that line."""

    marks: tuple[Mark, ...]
    at: int
    fences: _Fences


#: Marks, continued in the next versions of their texts.
_MARKED: Growing[_MarkedLines] = Growing()


@lru_cache(maxsize=4)
def _all_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks of a text.

    Cached: several readers ask for those of one text. Those of a text that it continues
    are not looked for again.
    """
    parts = _MARKED.parts_of(text)
    known = parts.before(WHOLE) or _MarkedLines((), 0, _Fences())
    last, fences = text.rfind("\n") + 1, known.fences.copy()
    found = [*_marks(text, known.at - 1, fences, last)] if known.at < last else []
    whole = (*known.marks, *found)
    parts.note(WHOLE, _MarkedLines(whole, last, fences.copy()))
    return (*whole, *_marks(text, last - 1, fences))


def _marks(
    text: str, newline: int, fences: _Fences, end: int | None = None
) -> Iterator[Mark]:
    """Yield the marks of the lines behind a newline, up to an offset.

    -1 is the newline that would stand before the text.
    """
    size = len(text) if end is None else end
    behind = newline >= 0
    pattern = _MARK_OR_COMMENT if behind or MARKER in text else _MARK
    padded = text if behind else "\n" + text[:size]
    for found in pattern.finditer(padded, max(newline, 0), size + (not behind)):
        # A match begins at the newline before its line and ends before the next one.
        begin, ends = found.start() + behind, min(found.end() + behind, size)
        if (mark := fences.mark(found, begin, ends)) is not None:
            yield mark


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
