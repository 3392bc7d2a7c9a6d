"""Labels in running text: ``**Next steps:** paint``, ``Decisions:`` above a list."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryhub.formats.text.growing import WHOLE, Growing
from memoryhub.formats.text.labels import Kind, kind_of_label

BULLET = r"(?:[-*+•–—→]|\d{1,3}[.)、])[ \t]+"
#: A line with a colon after a label, one that is bold as a whole, or one above a list.
_LABEL_LINE = re.compile(
    rf"\n([ \t]{{0,40}}+)({BULLET})?+(?:([^\n:：|]{{2,60}}+)[:：]([^\n]*)"
    r"|\*\*([^*\n:：]{2,60}+)\*\*[ \t\r]*(?=\n|\Z)"
    r"|(?(2)(?!)|(?![#>|])([^\n:：|]{2,60}+)"
    rf"(?=\n[ \t]*{BULLET}|\n[ \t\r]*\n[ \t]*{BULLET})))"
)
#: The last lines of a text: of a label and of two more, which may make it one.
_NOT_FINAL = 3
#: How lines of data begin that look like labels.
_DATA = ("{", '"', "'", "$", "<", "(")


class Label(NamedTuple):
    """A label of a known kind, its line, and the text behind it.

    `end` is the offset of the next line; items below it are indented further than
    `deeper_than`.
    """

    text: str
    kind: Kind
    line: int
    behind: str
    end: int
    deeper_than: int


class _Read(NamedTuple):
    """The labels above a line, the number of that line and the newline before it.

    Its offset is the one behind a newline that would stand before the text.
    """

    found: tuple[Label, ...] = ()
    line: int = 1
    newline: int = 0


#: Labels, continued in the next versions of their texts.
_READ: Growing[_Read] = Growing()


def labels_in(text: str) -> list[Label]:
    """Return the labels of a known kind, in order.

    Lines of a text that this one continues are not searched again, but for the last.
    """
    parts, padded = _READ.parts_of(text), "\n" + text
    known = parts.before(WHOLE) or _Read()
    found, line, counted = [*known.found], known.line, known.newline + 1
    for match in _LABEL_LINE.finditer(padded, known.newline):
        label = _label_of(match)
        if (kind := kind_of_label(label)) and not label.count("`") % 2:
            line += padded.count("\n", counted, match.start() + 1)
            counted = match.start() + 1
            found.append(_labelled(label, kind, line, match))
    parts.note(WHOLE, _final(found, known, padded))
    return found


def _final(found: list[Label], known: _Read, padded: str) -> _Read:
    """Return the labels that no continuation of a text changes."""
    newline = len(padded)
    for _ in range(_NOT_FINAL):
        newline = max(padded.rfind("\n", 0, newline), 0)
    line = known.line + padded.count("\n", known.newline + 1, newline + 1)
    return _Read(tuple(one for one in found if one.line < line), line, newline)


def _labelled(label: str, kind: Kind, line: int, match: re.Match[str]) -> Label:
    indent = len(match[1].expandtabs()) if match[2] else -1
    # An end in the padded text is the place after the newline in the text.
    return Label(label, kind, line, _behind(label, match[4] or ""), match.end(), indent)


def holds_decision(text: str) -> bool:
    """Return whether a label of decisions is in running text."""
    found = _LABEL_LINE.finditer("\n" + text)
    return any(kind_of_label(_label_of(one)) == "decision" for one in found)


def _label_of(found: re.Match[str]) -> str:
    """Return the label of a line: of a paragraph that ends with one, its last part."""
    label = found[3] or found[5] or found[6] or ""
    if not (found[4] or "").strip():
        label = label.rpartition(". ")[2].rpartition("。")[2]
    return "" if label.lstrip()[:1] in _DATA else label


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
