"""Logs of decisions: a heading, a table row or a dated line for each.

No system defines the form; agents write architecture records, tables, dated bullets
and Roo's ``[timestamp] - text`` lines, often several of them in one file.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePosixPath

from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.optimizer.decision_parts import (
    BULLET,
    COLUMN_NAMES,
    Fields,
    part_in,
    part_name,
    read_fields,
    status_of,
)
from memoryhub.formats.optimizer.decision_text import (
    DecisionText,
    parse_decision,
    render_decision,
)
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.days import leading_day
from memoryhub.formats.text.line_edits import append_lines, one_line
from memoryhub.formats.text.list_items import section_bullets
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    sections_below,
    split_lines,
    split_sections,
)
from memoryhub.prose.labels import kind_of_label, says_nothing
from memoryhub.prose.stated import decides

_RULE_MARKS = "|:- \t"

NAME = "decision_log"
#: context-memory-optimizer's log of a workspace.
PATH = "memories/decisions.md"

_TITLE = "# Decisions\n"
_LIST_TITLE = "Decisions"
_DATED_NAME = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_CLOCK = r"(?:[T ][0-9]{2}:[0-9:.]{2,12}Z?)?"
_DAY = re.compile(rf"[(\[]?\b([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\b{_CLOCK}[)\]]?")
_RECORD = re.compile(
    r"(?:(?:ADR|Decision|D)[- #]?[0-9]{1,5}|Decision|决策|決定)"
    r"[ \t]*[:.：—–-][ \t]*(?=\S)"
)
_DATED = re.compile(
    rf"[*_`\[(]{{0,4}}([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\b{_CLOCK}[\])`*_:：]{{0,6}}"
    r"[ \t]*(?:(?:--?|[:：—–|])[ \t]*)?(\S.*)"
)
_BRACKETED = re.compile(r"\([^()]*\)")
_SEPARATORS = " \t:：-–—|.,"


def _table_rows(
    section: Section, fenced: frozenset[int]
) -> Iterator[tuple[Fields, Lines]]:
    """Yield the rows of a section's tables that have a column of decisions."""
    header: list[str] = []
    lines = split_lines(section.body)
    for number, line in enumerate(lines, section.body_line):
        content = line.strip()
        if not content.startswith("|") or number in fenced:
            header = []
        elif not header:
            header = [COLUMN_NAMES.get(cell.casefold(), "") for cell in _cells(content)]
            header = header if "decision" in header else ["other"]
        elif "decision" in header and content.strip(_RULE_MARKS):
            pairs = zip(header, _cells(content), strict=False)
            fields = tuple((name, cell) for name, cell in pairs if name and cell)
            yield fields, Lines(number, number)


def _cells(line: str) -> list[str]:
    cells = line.replace("\\|", "\0").split("|")
    return [cell.strip(" \t*").replace("\0", "|") for cell in cells]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a log; `fields` are the named parts it was read from, if any."""

    content: DecisionText
    lines: Lines
    status: str = ""
    fields: Fields = ()


@dataclass(frozen=True, slots=True)
class DecisionLog:
    """A parsed log."""

    text: str
    sections: tuple[Section, ...]
    decisions: tuple[Decision, ...]

    def with_decision(self, decision: DecisionText) -> DecisionLog:
        """Return a copy with this decision as a dated line at the end.

        A file that ends with a decision under a heading gets a heading for the list
        first. Raises FormatError for a value with a line end.
        """
        line = f"- {one_line(render_decision(decision))}"
        heading = _list_heading(self)
        last = split_lines(self.text)[-1:] or ["\n"]
        in_list = not heading and last[0].lstrip().startswith(("- ", "* "))
        gap = [] if in_list or not self.text or not last[0].strip() else [""]
        return parse(append_lines(self.text, *gap, *heading, line))


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the file name is a decision log's; a dated name is a day's."""
    name = path.name.casefold()
    named = "decision" in name and name.endswith(".md")
    return named and not _DATED_NAME.match(name)


def parse(text: str) -> DecisionLog:
    """Return the decisions of any text; it never fails."""
    sections = split_sections(text)
    return DecisionLog(text, sections, tuple(_decisions(text, sections)))


def find_decisions(text: str) -> tuple[Decision, ...]:
    """Return the decisions of a text on decisions."""
    return parse(text).decisions


def render_log(decisions: Sequence[DecisionText]) -> str:
    """Return the text of a new log, in the order given."""
    lines = (f"- {one_line(render_decision(decision))}\n" for decision in decisions)
    return f"{_TITLE}\n" + "".join(lines)


def _decisions(text: str, sections: tuple[Section, ...]) -> Iterator[Decision]:
    """Yield the decisions of a text, without proposals and open questions."""
    return filter(_is_decided, _stamped(text) or _filed(text, sections))


def _stamped(text: str) -> list[Decision]:
    """Return the decisions of a log whose stamped lines are titles, as Roo's are.

    Empty where no stamped line has a part with the decision: there each line is one.
    """
    fenced, lines = fenced_lines(text), split_lines(text)
    titles = [
        title
        for number, line in enumerate(lines, 1)
        if line[0] == "[" and number not in fenced
        if (title := _dated(line.strip(), Lines(number, number)))
    ]
    starts = [title.lines.first for title in titles]
    found: list[Decision] = []
    has_parts = False
    for title, end in zip(titles, [*starts[1:], len(lines) + 1], strict=False):
        record, rest = _stamped_record(lines, title, end)
        has_parts = has_parts or "decision" in dict(record.fields)
        found += [record, *_filed_from("".join(lines[rest - 1 : end - 1]), rest)]
    head = _filed_from("".join(lines[: starts[0] - 1]), 1) if has_parts else []
    return [*head, *found] if has_parts else []


def _stamped_record(
    lines: Sequence[str], line: Decision, end: int
) -> tuple[Decision, int]:
    """Return the record of a stamped line, and the line where its parts end."""
    start = line.lines.first
    block = "".join(lines[start - 1 : end - 1])
    sections = split_sections(block)
    parts = [*takewhile(lambda s: not s.level or part_name(s.title), sections)]
    rest = start + parts[-1].lines.last
    fields = read_fields(parts, fenced_lines(block))
    decided = dict(fields).get("decision", "")
    if says_nothing(decided):
        return line, start + 1
    title = line.content.text.strip("*_ ")
    return _from_fields(fields, title, line.content.date, Lines(start, rest - 1)), rest


def _filed_from(text: str, first_line: int) -> list[Decision]:
    """Return the decisions of a part of a file that begins at a line."""
    by = first_line - 1
    found = _filed(text, split_sections(text))
    return [
        replace(one, lines=Lines(one.lines.first + by, one.lines.last + by))
        for one in found
    ]


def _is_decided(one: Decision) -> bool:
    """Return whether a decision has a text, and no word that leaves it open."""
    return (
        status_of(one.status) != "proposed"
        and decides(one.content.text)
        and _BRACKETED.fullmatch(one.content.text) is None
    )


def _filed(text: str, sections: tuple[Section, ...]) -> Iterator[Decision]:
    fenced = fenced_lines(text)
    place, day, day_level = 0, None, 0
    while place < len(sections):
        section = sections[place]
        if section.level <= day_level:
            day, day_level = None, 0
        block = (section, *sections_below(sections, place))
        found = _record(block, fenced, day)
        if found:
            yield found
            place += len(block)
            continue
        if _is_day(section):
            day, day_level = _day_of(section.title), section.level
        found_here = _listed(section, fenced, day)
        yield from sorted(found_here, key=lambda one: one.lines)
        place += 1


def _is_day(section: Section) -> bool:
    """Return whether a heading is a day with several decisions below it."""
    bare = _bare(section.title)
    dated = section.level > 0 and _day_of(section.title) is not None
    return dated and (not bare or kind_of_label(bare) == "decision")


def _day_of(title: str) -> datetime.date | None:
    found = _DAY.search(title)
    if found:
        return parse_date(found[1])
    worded = leading_day(title)
    return worded[0] if worded else None


def _undated(title: str) -> str:
    """Return a heading without its day."""
    worded = None if _DAY.search(title) else leading_day(title)
    rest = worded[1] if worded else _DAY.sub("", title, count=1)
    return rest.strip(_SEPARATORS)


def _bare(title: str) -> str:
    """Return a heading without its day and its record number."""
    undated = _undated(title)
    return _RECORD.sub("", undated, count=1).strip(_SEPARATORS)


def _record(
    block: tuple[Section, ...], fenced: frozenset[int], day: datetime.date | None
) -> Decision | None:
    """Return the decision a heading and all below it are about, if they are."""
    section = block[0]
    if not section.level or part_name(section.title):
        return None
    own_day, bare = _day_of(section.title), _bare(section.title)
    if not _is_record(block, fenced, own_day or day):
        return None
    lines = Lines(section.lines.first, block[-1].lines.last)
    return _from_fields(read_fields(block, fenced), bare, own_day or day, lines)


def _is_record(
    block: tuple[Section, ...], fenced: frozenset[int], day: datetime.date | None
) -> bool:
    section, bare = block[0], _bare(block[0].title)
    if _RECORD.match(_undated(section.title)):
        return True
    labelled = not bare or kind_of_label(bare) == "decision"
    if not labelled and any(part_name(s.title) == "decision" for s in block[1:]):
        return section.level == 1 or block[0].level + 1 == block[1].level
    if section.level == 1:
        return False
    has_own = "decision" in dict(read_fields(block[:1], fenced))
    return has_own or (bool(day) and not labelled)


def _from_fields(
    fields: Fields, title: str, day: datetime.date | None, lines: Lines
) -> Decision:
    first = dict(reversed(fields))
    text = first.get("decision") or title
    found, status = parse_decision(text), status_of(first.get("status", ""))
    is_replaced = not says_nothing(first.get("superseded by", ""))
    content = replace(
        found,
        rejected=found.rejected or status == "rejected",
        lapsed="superseded" if is_replaced or status == "superseded" else "",
        reason=first.get("reason") or found.reason,
        date=day or _day_of(first.get("date", "")) or found.date,
        supersedes=first.get("supersedes") or found.supersedes,
    )
    named = (("title", title),) if title and title != text else ()
    return Decision(content, lines, first.get("status", ""), (*named, *fields))


def _listed(
    section: Section, fenced: frozenset[int], day: datetime.date | None
) -> Iterator[Decision]:
    """Yield the decisions in a section's bullets, stamped lines and tables."""
    for fields, lines in _table_rows(section, fenced):
        yield _from_fields(fields, "", day, lines)
    is_list = (
        bool(day) or section.level < 2 or kind_of_label(section.title) == "decision"
    )
    is_list = is_list and part_name(section.title) in ("", "decision")
    of_parts = _lines_of_parts(section)
    for bullet in section_bullets(section, fenced):
        found = _dated(bullet.text, bullet.lines)
        if found:
            yield found
        elif is_list and not bullet.depth and bullet.lines.first not in of_parts:
            content = parse_decision(bullet.text)
            if content.rejected or decides(bullet.text):
                dated = replace(content, date=content.date or day)
                yield Decision(dated, bullet.lines)
    written = split_lines(section.body)
    for place, line in enumerate(written):
        number = section.body_line + place
        found = _dated(line.strip(), Lines(number, number)) if line[0] == "[" else None
        if found and number not in fenced:
            yield _with_reason(found, "".join(written[place + 1 : place + 2]))


def _lines_of_parts(section: Section) -> frozenset[int]:
    """Return the lines of bullets below ``Rationale:`` and parts alike."""
    found, inside = set[int](), False
    for number, line in enumerate(split_lines(section.body), section.body_line):
        if part := part_in(line):
            inside = part[0] != "decision" and not part[1]
        elif line.strip() and not BULLET.match(line.lstrip()):
            inside = inside and line[0] in " \t"
        if inside and not part:
            found.add(number)
    return frozenset(found)


def _with_reason(one: Decision, behind: str) -> Decision:
    """Return a decision with the reason that the line behind it states."""
    name, reason = part_in(behind) or ("", "")
    if name != "reason" or one.content.reason:
        return one
    return replace(one, content=replace(one.content, reason=reason))


def _dated(text: str, lines: Lines) -> Decision | None:
    """Read ``YYYY-MM-DD: text`` and ``[YYYY-MM-DD HH:MM:SS] - text``."""
    found = _DATED.match(text)
    day = parse_date(found[1]) if found else None
    if not found or day is None:
        return None
    return Decision(replace(parse_decision(found[2]), date=day), lines)


def _list_heading(log: DecisionLog) -> list[str]:
    """Return the heading for a dated line if the last section is a single decision."""
    last = log.decisions[-1].lines if log.decisions else NOWHERE
    heads = (s for s in log.sections if s.level and s.first_line == last.first)
    record = next(heads, None)
    if record is None or last.last < log.sections[-1].first_line:
        return []
    return [f"{'#' * record.level} {_LIST_TITLE}", ""]
