"""The named parts of a decision record and the rows of a decision table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryhub.formats.base import Lines
from memoryhub.formats.text.source import Section, split_lines

#: Common names of parts and columns, by the names in use.
_NAMES = {
    "context": "context",
    "background": "context",
    "problem": "context",
    "背景": "context",
    "decision": "decision",
    "decided": "decision",
    "what": "decision",
    "choice": "decision",
    "决策": "decision",
    "決定": "decision",
    "rationale": "reason",
    "reason": "reason",
    "reasoning": "reason",
    "why": "reason",
    "because": "reason",
    "原因": "reason",
    "理由": "reason",
    "consequences": "consequences",
    "consequence": "consequences",
    "impact": "consequences",
    "implications": "consequences",
    "alternatives": "alternatives",
    "alternatives considered": "alternatives",
    "options": "alternatives",
    "status": "status",
    "状态": "status",
    "date": "date",
    "日期": "date",
    "when": "date",
    "supersedes": "supersedes",
    "replaces": "supersedes",
    "superseded by": "superseded by",
    "deciders": "deciders",
    "decided by": "deciders",
    "owner": "deciders",
    "by": "deciders",
}
_FIELD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:(\*\*|__)([^*_:：\n]{1,40})(?:[:：]\1|\1[ \t]*[:：])"
    r"|([^\W\d][^*_:：|\n]{0,30})[:：](?=[ \t\r\n]))[ \t]*([^\n]*)"
)
_RULE_MARKS = "|:- \t"


@dataclass(frozen=True, slots=True)
class Fields:
    """The parts of a decision record, by their common names, in file order."""

    pairs: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        return next((value for key, value in self.pairs if key == name), "")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, by the common names of its columns."""

    fields: Fields
    lines: Lines


def read_fields(sections: Sequence[Section], fenced: frozenset[int]) -> Fields:
    """Return the parts of a record: bold names, plain names, and headings below it."""
    found: list[tuple[str, list[str]]] = []
    for place, section in enumerate(sections):
        title = _NAMES.get(section.title.strip(" *:：").casefold(), "")
        if place and title:
            found.append((title, []))
        open_part = bool(place and title)
        for number, line in enumerate(split_lines(section.body), section.body_line):
            part = None if number in fenced else _part(line)
            if part:
                found.append((part[0], [part[1]]))
                open_part = True
            elif open_part:
                found[-1][1].append(line.strip())
                open_part = bool(line.strip()) or bool(place and title)
    pairs = ((name, " ".join(filter(None, lines))) for name, lines in found)
    return Fields(tuple((name, value) for name, value in pairs if value))


def is_named_part(title: str) -> bool:
    """Return whether a heading is a part of a record, such as ``Context``."""
    return title.strip(" *:：").casefold() in _NAMES


def is_decision_part(title: str) -> bool:
    """Return whether a heading is the part of a record that holds the decision."""
    return _NAMES.get(title.strip(" *:：").casefold()) == "decision"


def _part(line: str) -> tuple[str, str] | None:
    found = _FIELD.match(line)
    if not found:
        return None
    name = _NAMES.get((found[2] or found[3]).strip().casefold(), "")
    return (name, found[4].strip()) if name else None


def table_rows(section: Section, fenced: frozenset[int]) -> Iterator[Row]:
    """Yield the rows of a section's tables that have a column of decisions."""
    header: list[str] = []
    lines = split_lines(section.body)
    for number, line in enumerate(lines, section.body_line):
        content = line.strip()
        if not content.startswith("|") or number in fenced:
            header = []
        elif not header:
            header = [_NAMES.get(cell.casefold(), "") for cell in _cells(content)]
            header = header if "decision" in header else ["other"]
        elif "decision" in header and content.strip(_RULE_MARKS):
            pairs = zip(header, _cells(content), strict=False)
            fields = Fields(
                tuple((name, cell) for name, cell in pairs if name and cell)
            )
            yield Row(fields, Lines(number, number))


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|").removesuffix("|").replace("\\|", "\0")
    return [cell.strip(" \t*").replace("\0", "|") for cell in inner.split("|")]
