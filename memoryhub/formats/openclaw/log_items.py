"""Decisions and open items that a daily log states explicitly.

They are read from checkboxes, from lists under labels and from labelled lines;
implications of prose are not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.labels import (
    Kind,
    kind_of_inline_label,
    kind_of_label,
    normalise_label,
    says_nothing,
)
from memoryhub.formats.text.source import Section, sections_below

_DONE_MARKS = frozenset("xX✅✔☑✓-")

_BULLET = r"(?:[-*+•]|\d{1,3}[.)、])[ \t]+"
_CHECKBOX = re.compile(
    rf"\n[ \t]*+{_BULLET}\[([ xX!?~/>\-✅✔☑✓❌⏳🔄])?\ufe0f?\][ \t]+(\S[^\n]*)"
)
#: A line with a colon after a label, or a line that is bold as a whole.
_LABEL_LINE = re.compile(
    rf"\n([ \t]{{0,40}}+)({_BULLET})?+(?:([^\n:：|]{{2,60}}+)[:：]([^\n]*)"
    r"|\*\*([^*\n:：]{2,60}+)\*\*[ \t\r]*(?=\n|\Z))"
)
_ITEM = re.compile(rf"([ \t]*+){_BULLET}(?:\[([^\]\n]{{0,4}})\][ \t]+)?(\S[^\n]*)")
_DONE_ITEM = re.compile(r"[*_]{0,2}(?:✅|✔|☑|~~|\[[xX]\])")
_REMARK = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*[ \t]*:)")
_NOT_A_PARAGRAPH = ("|", "<!--", "---", "***", "___", "```", "~~~", "#", ">")
#: A list under a label in running text is read this many lines far.
_LONGEST_LIST = 500
#: Limit of characters up to which the lines of an item are joined.
_LONGEST_ITEM = 4000
#: Headings below a decision that describe it and are not decisions themselves.
_ABOUT_A_DECISION = {
    *("context", "background", "rationale", "reason", "reasons", "why", "options"),
    *("alternatives", "consequences", "impact", "status", "details", "notes"),
}


class LogDecision(NamedTuple):
    """A decision, and the label it was filed under."""

    text: str
    label: str
    lines: Lines


class OpenItem(NamedTuple):
    """An open item; `mark` is the character in its checkbox, empty without one."""

    text: str
    done: bool
    mark: str
    lines: Lines


class _Listed(NamedTuple):
    """A list item or a paragraph under a label."""

    text: str
    mark: str
    lines: Lines


class _Scope(NamedTuple):
    """The search range of a list under a label."""

    start: int
    end: int
    line: int
    deeper_than: int = -1
    ends_with_list: bool = False


def find_items(
    text: str, sections: Sequence[Section], skipped: frozenset[int]
) -> tuple[tuple[LogDecision, ...], tuple[OpenItem, ...]]:
    """Return the decisions and open items of a log, each line once.

    Lines in `skipped` (fences, snapshots, managed blocks) are not read. Items without
    content are dropped, and done ones too unless they have a checkbox.
    """
    finder = _Finder(text, skipped)
    finder.read_checkboxes()
    finder.read_label_lines()
    finder.read_sections(sections)
    return (
        tuple(decision for _, decision in sorted(finder.decisions.items())),
        tuple(item for _, item in sorted(finder.open_items.items())),
    )


class _Finder:
    """Collects items by their first line; the first rule to find one names it."""

    def __init__(self, text: str, skipped: frozenset[int]) -> None:
        self.text = text
        self.skipped = skipped
        self.decisions: dict[int, LogDecision] = {}
        self.open_items: dict[int, OpenItem] = {}
        #: Lines of lists under labels in running text: no heading claims them too.
        self.labelled: set[int] = set()

    def read_checkboxes(self) -> None:
        if "] " not in self.text and "]\t" not in self.text:
            return
        padded, line, counted = "\n" + self.text, 0, 0
        for found in _CHECKBOX.finditer(padded):
            line += padded.count("\n", counted, found.start() + 1)
            counted = found.start() + 1
            mark = found[1] or " "
            self._add_open(_Listed(found[2].strip(), mark, Lines(line, line)))

    def read_label_lines(self) -> None:
        padded, line, counted = "\n" + self.text, 0, 0
        for found in _LABEL_LINE.finditer(padded):
            label = found[3] or found[5]
            kind = kind_of_label(label)
            if kind:
                line += padded.count("\n", counted, found.start() + 1)
                counted = found.start() + 1
                if line not in self.skipped:
                    self._read_label_line(kind, found, line)

    def _read_label_line(self, kind: Kind, found: re.Match[str], line: int) -> None:
        label = found[3] or found[5]
        behind = _behind(label, found[4] or "")
        if behind:
            item = _Listed(behind, "", Lines(line, line))
            self._add(kind_of_inline_label(label), label, [item])
            return
        deeper_than = len(found[1].expandtabs()) if found[2] else -1
        # An end in the padded text is the place after the newline in the text.
        scope = _Scope(found.end(), len(self.text), line + 1, deeper_than, True)
        listed = self._listed(kind, scope)
        self._add(kind, label, listed)
        self.labelled.update(item.lines.first for item in listed)

    def read_sections(self, sections: Sequence[Section]) -> None:
        for place, section in enumerate(sections):
            kind = kind_of_label(section.title) if section.level else ""
            if kind and section.first_line not in self.skipped:
                below = sections_below(sections, place)
                self._read_section(kind, section, below)

    def _read_section(
        self, kind: Kind, section: Section, below: Sequence[Section]
    ) -> None:
        end = below[-1].end if below and kind == "open" else section.end
        scope = _Scope(section.body_start, end, section.body_line)
        listed = self._listed(kind, scope)
        if kind == "decision" and below:
            listed += _titles(below)
        found = listed or self._paragraphs(scope)
        others = [item for item in found if item.lines.first not in self.labelled]
        self._add(kind, section.title, others)

    def _add(self, kind: Kind, label: str, listed: list[_Listed]) -> None:
        for item in listed:
            if kind == "open":
                self._add_open(item)
            elif kind == "decision":
                self._add_decision(item, label.strip("*_# \t"))

    def _add_open(self, item: _Listed) -> None:
        looks_done = _DONE_ITEM.match(item.text) is not None
        if (looks_done and not item.mark) or self._is_unfit(item):
            return
        done = looks_done or item.mark in _DONE_MARKS
        known = OpenItem(item.text, done, item.mark, item.lines)
        self.open_items.setdefault(item.lines.first, known)

    def _add_decision(self, item: _Listed, label: str) -> None:
        if not self._is_unfit(item):
            known = LogDecision(item.text, label, item.lines)
            self.decisions.setdefault(item.lines.first, known)

    def _is_unfit(self, item: _Listed) -> bool:
        return item.lines.first in self.skipped or says_nothing(item.text)

    def _listed(self, kind: Kind, scope: _Scope) -> list[_Listed]:
        """Return the items of the outermost list, wrapped lines joined.

        An open item that ends with a colon heads a list of its own, whose items
        count. Among checkboxes, an item with a bold key describes one of them.
        """
        items: list[_Listed] = []
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
            items.append(_Listed(text, found[2] or "", Lines(number, number)))
        return _without_remarks(items) if kind == "open" else items

    def _paragraphs(self, scope: _Scope) -> list[_Listed]:
        paragraphs: list[_Listed] = []
        for number, line in self._written_lines(scope):
            text = line.strip()
            if text.startswith(_NOT_A_PARAGRAPH):
                continue
            if paragraphs and paragraphs[-1].lines.last == number - 1:
                paragraphs[-1] = _joined(paragraphs[-1], text)
            else:
                paragraphs.append(_Listed(text, "", Lines(number, number)))
        return paragraphs

    def _written_lines(self, scope: _Scope) -> Iterator[tuple[int, str]]:
        start, number = scope.start, scope.line
        last = number + _LONGEST_LIST if scope.ends_with_list else len(self.text)
        while start < scope.end and number <= last:
            after = self.text.find("\n", start, scope.end) + 1 or scope.end
            line = self.text[start:after]
            if number not in self.skipped and line.strip():
                yield number, line
            start, number = after, number + 1


def _behind(label: str, rest: str) -> str:
    """Return the text after a label, without the closing marks of a bold label."""
    text, mark = rest.strip(), label[:2]
    if mark not in ("**", "__"):
        return text
    if text.startswith(mark):
        return text[2:].strip()
    if text.endswith(mark) and mark not in text[:-2] + label[2:]:
        return text[:-2].strip()
    return text


def _titles(below: Sequence[Section]) -> list[_Listed]:
    """Return the headings right below a decision heading: each is a decision."""
    level = below[0].level
    return [
        _Listed(s.title, "", Lines(s.first_line, s.first_line))
        for s in below
        if s.level == level and normalise_label(s.title) not in _ABOUT_A_DECISION
    ]


def _is_after_list(scope: _Scope, line: str, found: re.Match[str] | None) -> bool:
    indent = len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs())
    if indent <= scope.deeper_than:
        return True
    return found is None and indent == 0


def _without_remarks(items: list[_Listed]) -> list[_Listed]:
    if not any(item.mark for item in items):
        return items
    return [item for item in items if item.mark or not _REMARK.match(item.text)]


def _heads_a_list(items: list[_Listed]) -> bool:
    return bool(items) and items[-1].text.rstrip("*_ ").endswith((":", "："))


def _continue_last(items: list[_Listed], number: int, line: str) -> None:
    if line[0] in " \t" and items and items[-1].lines.last == number - 1:
        items[-1] = _joined(items[-1], line.strip())


def _joined(item: _Listed, text: str) -> _Listed:
    lines = Lines(item.lines.first, item.lines.last + 1)
    joined = f"{item.text} {text}" if len(item.text) < _LONGEST_ITEM else item.text
    return _Listed(joined, item.mark, lines)
