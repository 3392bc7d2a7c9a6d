"""Lists under labels: the items below ``## Decisions``, ``**Next steps:**`` and others.

`memoryhub.formats.text.labels` knows the labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.label_lines import (
    BULLET,
    Label,
    holds_decision,
    labels_in,
)
from memoryhub.formats.statements.tables import (
    RULES,
    Row,
    decided_rows,
    stateless_rows,
    table_lines,
)
from memoryhub.formats.text.dates import leading_time, title_without_time
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.labels import (
    Kind,
    heads_done,
    kind_of_inline_label,
    kind_of_label,
    normalise_label,
)
from memoryhub.formats.text.source import Section, sections_below

_ITEM = re.compile(rf"([ \t]*+){BULLET}(?:\[([^\]\n]{{0,4}})\][ \t]+)?(\S[^\n]*)")
_REMARK = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*[ \t]*:)")
_NOT_A_PARAGRAPH = ("|", "<!--", "---", "***", "___", "```", "~~~", "#", ">")
_CLOCK = re.compile(r"\b(?:[01]?\d|2[0-3])[:：h][0-5]\d\b")
#: So many characters below a heading are searched for a label of a decision.
_TITLED = 2000
#: A list under a label in running text is read this many lines far.
_LONGEST_LIST = 500
#: Words that mean tomorrow or the morning.
_MORNINGS = frozenset({"morgen", "mañana"})
#: Limit of characters up to which the lines of an item are joined.
_LONGEST_ITEM = 4000
#: Headings below a decision that describe it and are not decisions themselves.
_ABOUT_A_DECISION = {
    *("context", "background", "rationale", "reason", "reasons", "why", "options"),
    *("alternatives", "consequences", "impact", "status", "details", "notes"),
}


class Listed(NamedTuple):
    """A list item, a paragraph or a row; `mark` is in its checkbox, if it has one.

    `reason` is that of a decision, where a column of its table tells it.
    """

    text: str
    mark: str
    lines: Lines
    reason: str = ""


class LabelledList(NamedTuple):
    """Items of one kind, and the label they are filed under."""

    kind: Kind
    label: str
    items: list[Listed]
    is_inline: bool = False


class _Scope(NamedTuple):
    """The search range of a list under a label."""

    start: int
    end: int
    line: int
    deeper_than: int = -1
    ends_with_list: bool = False
    #: Numbers of lines that belong to something else.
    without: frozenset[int] = frozenset()


#: Kinds of headings, found again in the next versions of their texts.
_HEADINGS: Growing[Kind] = Growing()


def labelled_lists(
    text: str, sections: Sequence[Section], skipped: frozenset[int]
) -> tuple[LabelledList, ...]:
    """Return the lists below labels of a known kind, each line in one list.

    Lists under labels in running text come first, and no heading claims their lines.
    Lines in `skipped` (fences, snapshots, managed blocks) are not read.
    """
    reader = _Reader(text, skipped)
    inner = [*reader.below_label_lines()]
    tables = LabelledList("decision", "", reader.in_tables())
    return (*inner, *reader.below_headings(sections), tables)


class _Reader:
    """Reads the lists of one text."""

    def __init__(self, text: str, skipped: frozenset[int]) -> None:
        self.text = text
        self.skipped = skipped
        #: Lines of lists under labels in running text: no heading claims them too.
        self.claimed: set[int] = set()

    def below_label_lines(self) -> Iterator[LabelledList]:
        for label in labels_in(self.text):
            if label.line not in self.skipped:
                yield self._below_label_line(label)

    def _below_label_line(self, label: Label) -> LabelledList:
        if label.behind:
            item = Listed(label.behind, "", Lines(label.line, label.line))
            inline = kind_of_inline_label(label.text)
            if inline == "open" and label.text[0] == "#":
                inline = ""
            return LabelledList(inline, label.text, [item], is_inline=True)
        below = label.line + 1
        scope = _Scope(label.end, len(self.text), below, label.deeper_than, True)
        listed = self._listed(label.kind, scope)
        self.claimed.update(item.lines.first for item in listed)
        return LabelledList(label.kind, label.text, listed)

    def below_headings(self, sections: Sequence[Section]) -> Iterator[LabelledList]:
        parts = _HEADINGS.parts_of(self.text)
        for place, section in enumerate(sections):
            if not section.level or section.first_line in self.skipped:
                continue
            part = (section.start, section.body_start)
            if kind := parts.value(part, partial(_kind_of_heading, section.title)):
                below = sections_below(sections, place)
                found = self._below_heading(kind, section, below)
                items = [item for item in found if item.lines.first not in self.claimed]
                yield LabelledList(kind, section.title, items)

    def _below_heading(
        self, kind: Kind, section: Section, below: Sequence[Section]
    ) -> list[Listed]:
        end = below[-1].end if below and kind == "open" else section.end
        scope = _Scope(section.body_start, end, section.body_line)
        if kind == "open":
            scope = scope._replace(without=_closed_lines(below))
        listed = self._listed(kind, scope)
        if kind == "open" and _is_morning(section.title, listed):
            return []
        if kind == "decision" and below:
            listed += _titles(below)
        if kind in ("open", "decision") and not listed:
            rows = self._rows(kind, [*self._written_lines(scope)])
            listed = [row for row in rows if row.lines.first not in self.claimed]
        return listed or self._paragraphs(scope)

    def _rows(self, kind: Kind, lines: list[tuple[int, str]]) -> Iterator[Listed]:
        if kind == "open":
            for number, title in stateless_rows(lines):
                yield Listed(title, "", Lines(number, number))
        else:
            yield from map(_of_row, decided_rows(lines))

    def in_tables(self) -> list[Listed]:
        """Return the rows of tables that have a column of decisions."""
        if not (rules := RULES.lines_of(self.text)):
            return []
        lines = table_lines(self.text.split("\n"), rules, self.skipped)
        return [*map(_of_row, decided_rows(lines, named=True))]

    def _listed(self, kind: Kind, scope: _Scope) -> list[Listed]:
        """Return the items of the outermost list, wrapped lines joined.

        An open item that ends with a colon heads a list of its own, whose items
        count. Among checkboxes, an item with a bold key describes one of them.
        """
        items: list[Listed] = []
        top = -1
        for number, line in self._written_lines(scope):
            found = _ITEM.match(line)
            if scope.ends_with_list and _is_after_list(scope, line, found):
                break
            if not found:
                top = -1 if line[0] == "#" else top
                _continue_last(items, number, line)
                continue
            indent = len(found[1].expandtabs())
            if 0 <= top < indent:
                if kind != "open" or not _heads_a_list(items):
                    continue
                items.pop()
            top = indent
            text = found[3].strip()
            items.append(Listed(text, found[2] or "", Lines(number, number)))
        return _without_remarks(items) if kind == "open" else items

    def _paragraphs(self, scope: _Scope) -> list[Listed]:
        paragraphs: list[Listed] = []
        for number, line in self._written_lines(scope):
            text = line.strip()
            if text.startswith(_NOT_A_PARAGRAPH):
                continue
            if paragraphs and paragraphs[-1].lines.last == number - 1:
                paragraphs[-1] = _joined(paragraphs[-1], text)
            else:
                paragraphs.append(Listed(text, "", Lines(number, number)))
        return paragraphs

    def _written_lines(self, scope: _Scope) -> Iterator[tuple[int, str]]:
        start, number = scope.start, scope.line
        last = number + _LONGEST_LIST if scope.ends_with_list else len(self.text)
        while start < scope.end and number <= last:
            after = self.text.find("\n", start, scope.end) + 1 or scope.end
            line = self.text[start:after]
            is_read = number not in self.skipped and number not in scope.without
            if is_read and line.strip():
                yield number, line
            start, number = after, number + 1


def _of_row(row: Row) -> Listed:
    return Listed(row.text, "", Lines(row.number, row.number), row.reason)


def _kind_of_heading(title: str) -> Kind:
    """Return the kind of a heading; one with a time heads open work alone."""
    if kind := kind_of_label(title):
        return kind
    bare = title_without_time(title)
    timed = kind_of_label(bare) if bare != title else ""
    return "open" if timed == "open" else ""


def _is_morning(title: str, items: Sequence[Listed]) -> bool:
    """Return whether a word for tomorrow means the morning: its items have times."""
    if normalise_label(title) not in _MORNINGS:
        return False
    return any(leading_time(item.text) for item in items)


def _closed_lines(below: Sequence[Section]) -> frozenset[int]:
    """Return the lines below headings of finished work or of no open work."""
    closed: set[int] = set()
    level = 0
    for section in below:
        if not level or section.level <= level:
            other = kind_of_label(section.title) in ("decision", "directive")
            level = section.level if other or heads_done(section.title) else 0
        if level:
            closed.update(range(section.lines.first, section.lines.last + 1))
    return frozenset(closed)


def _titles(below: Sequence[Section]) -> list[Listed]:
    """Return the headings right below a decision heading: each is a decision."""
    level = below[0].level
    titled = [s for s in below if s.level == level]
    if any(_CLOCK.search(s.title) for s in titled):
        return []
    return [
        Listed(s.title, "", Lines(s.first_line, s.first_line))
        for s in titled
        if normalise_label(s.title) not in _ABOUT_A_DECISION
        and not kind_of_label(s.title)
        and not holds_decision(s.body[:_TITLED])
    ]


def _is_after_list(scope: _Scope, line: str, found: re.Match[str] | None) -> bool:
    indent = len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs())
    if indent <= scope.deeper_than:
        return True
    return found is None and indent == 0


def _without_remarks(items: list[Listed]) -> list[Listed]:
    if not any(item.mark for item in items):
        return items
    return [item for item in items if item.mark or not _REMARK.match(item.text)]


def _heads_a_list(items: list[Listed]) -> bool:
    return bool(items) and items[-1].text.rstrip("*_ ").endswith((":", "："))


def _continue_last(items: list[Listed], number: int, line: str) -> None:
    if line[0] in " \t" and items and items[-1].lines.last == number - 1:
        items[-1] = _joined(items[-1], line.strip())


def _joined(item: Listed, text: str) -> Listed:
    lines = Lines(item.lines.first, item.lines.last + 1)
    joined = f"{item.text} {text}" if len(item.text) < _LONGEST_ITEM else item.text
    return Listed(joined, item.mark, lines)
