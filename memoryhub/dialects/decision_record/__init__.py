"""Architecture decision records: a numbered file each, ``docs/adr/0001-*.md``.

Nygard's form and MADR's are read: a status, a date, and sections such as Context,
Decision or Decision Outcome, and Consequences.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath

from memoryhub.dialects.decision_log import (
    STATUSES,
    Decision,
    Status,
    part_in,
    part_name,
    stated_in,
    status_of,
)
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import DecisionText, Document, dated
from memoryhub.dialects.plain import first_heading
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)
from memoryhub.prose.labels import kind_of_label, says_nothing
from memoryhub.prose.stated import (
    Stated,
    StatedDecision,
    decides,
    doubts,
    find_stated,
    reason_in,
)
from memoryhub.prose.units import bare, blocks_of, units_of

_FOLDERS = frozenset(
    {"adr", "adrs", "decisions", "decision-records", "decision_records"}
)
_NUMBERED = re.compile(
    r"(?:adr[-_ ]?)?\d{1,5}(?:[-_. ]|\Z)(?!\d\d[-_.])", re.IGNORECASE
)
_HEAD_LINES = 40
_NUMBER = re.compile(r"(?:ADR[- ]?)?\d{1,5}[ \t]*[:：.—–-]?[ \t]+(?=\S)", re.IGNORECASE)
_CHOSEN = re.compile(r"\**Chosen option\**[ \t]*[:：]\**[ \t]*", re.IGNORECASE)
#: The option as MADR quotes it.
_OPTION = re.compile(
    r"[\"“”„«'‘]([^\"“”„»\n]{2,300})[\"“”»'’](?=[ \t]*(?:[,.;:(—–-]|\Z))"
)
_LISTED = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
_LONGEST = 300
_MARKS = ("|", "<!--", "---", "***", "![")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a numbered Markdown file lies in a folder of records."""
    if path.suffix.casefold() != ".md" or not _NUMBERED.match(path.stem):
        return False
    return any(part.casefold() in _FOLDERS for part in path.parts[:-1])


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the decision of a record, if there is one yet; it never fails."""
    sections = split_sections(text)
    fields = _fields(text, sections)
    state, day = status_of(fields.get("status", "")), parse_date(fields.get("date", ""))
    title = _NUMBER.sub("", first_heading(sections), count=1)
    text_of, lines = _decided(sections, fenced_lines(text), title)
    is_template = _is_template(fields)
    found = []
    if state != "proposed" and text_of and not is_template:
        said = _decision(text_of, state, day, sections)
        found = [Decision(said, lines, state)]
    return Document(
        text,
        title,
        told=(*stated_in(text, found, path, of_topic=False),),
        stated=Stated() if is_template else _stated(text, sections, found),
        time=dated(day, path),
        names_people=True,
    )


def _stated(
    text: str, sections: Sequence[Section], found: Sequence[Decision]
) -> Stated:
    """Return the open items, and the further decisions of the paragraphs.

    The rest of a record argues for its decision.
    """
    open_items = find_stated(text, asked=()).open_items
    further = [*_further(sections, fenced_lines(text))] if found else []
    judged = doubts(text, ((one.lines, False) for one in further), "decision")
    decisions = (
        one._replace(confidence=sure, why=why)
        for one, (sure, why) in zip(further, judged, strict=True)
        if sure
    )
    return Stated(tuple(decisions), open_items=open_items)


def _further(
    sections: Sequence[Section], fenced: frozenset[int]
) -> Iterator[StatedDecision]:
    """Yield the paragraphs of the decision behind the first, but no lists."""
    section = next(filter(_decides, sections), None)
    if section is None:
        return
    written = enumerate(split_lines(section.body), section.body_line)
    listed = {number for number, line in written if _LISTED.match(line)}
    for text, lines in islice(_paragraphs(section, fenced), 1, None):
        if (
            lines.first not in listed
            and decides(text)
            and kind_of_label(text.partition(":")[0]) != "reason"
        ):
            yield StatedDecision(text, "", lines)


def _fields(text: str, sections: Sequence[Section]) -> dict[str, str]:
    """Return status and date: of front matter, of lines, of the section Status."""
    matter = frontmatter.split(text)
    found = {"status": matter.get("status"), "date": matter.get("date")[:10]}
    for line in split_lines(text[:10_000])[:_HEAD_LINES]:
        name, said = part_in(line) or ("", "")
        if name in found:
            found[name] = found[name] or said.strip(" *")
    for section in sections:
        if part_name(section.title) == "status" and not found["status"]:
            lines = (line.strip() for line in section.body[:2000].split("\n"))
            found["status"] = next(filter(None, lines), "")
    return found


def _is_template(fields: dict[str, str]) -> bool:
    """Return whether a status is the template's list of all states."""
    listed = {found.lastgroup for found in STATUSES.finditer(fields["status"])}
    return len(listed) > 2


def _decides(section: Section) -> bool:
    """Return whether a section holds the decision by its title."""
    named = kind_of_label(section.title), part_name(section.title)
    return section.level > 1 and "decision" in named


def _decided(
    sections: Sequence[Section], fenced: frozenset[int], title: str
) -> tuple[str, Lines]:
    """Return the first paragraph of the decision and its lines, else the title."""
    for section in sections:
        if _decides(section):
            for paragraph, lines in _paragraphs(section, fenced):
                if not says_nothing(paragraph):
                    return paragraph, lines
            return "", section.lines
    head = next((s for s in sections if s.title), None)
    return title, Lines(head.first_line, head.first_line) if head else Lines(1, 1)


def _paragraphs(
    section: Section, fenced: frozenset[int]
) -> Iterator[tuple[str, Lines]]:
    """Yield the paragraphs and list items of a section, without marks."""
    parts: list[str] = []
    first = last = section.body_line
    for number, line in enumerate(split_lines(section.body), section.body_line):
        content = line.strip()
        is_text = number not in fenced and not content.startswith(_MARKS)
        begins = content[:2] in ("- ", "* ")
        if parts and (not content or not is_text or begins):
            yield bare(" ".join(parts)), Lines(first, last)
            parts = []
        if content and is_text:
            first, last = first if parts else number, number
            parts.append(content.removeprefix("- ").removeprefix("* "))
    if parts:
        yield bare(" ".join(parts)), Lines(first, last)


def _decision(
    paragraph: str,
    state: Status,
    day: datetime.date | None,
    sections: Sequence[Section],
) -> DecisionText:
    chosen = _CHOSEN.split(paragraph, maxsplit=1)
    option = _OPTION.match(chosen[-1]) if not chosen[0].strip() else None
    text = chosen[0].strip() or chosen[-1]
    if option:
        text = option[1] + text[option.end() :]
    if len(text) > _LONGEST:
        sentences = (one.text for block in blocks_of(text) for one in units_of(block))
        text = next(sentences, text[:_LONGEST])
    reason = reason_in(chosen[-1])
    return DecisionText(
        day,
        text,
        reason or _stated_reason(sections),
        rejected=state == "rejected",
        lapsed="superseded" if state == "superseded" else "",
    )


def _stated_reason(sections: Sequence[Section]) -> str:
    """Return the first paragraph of a section such as Rationale."""
    for section in sections:
        if kind_of_label(section.title) == "reason":
            return next((text for text, _ in _paragraphs(section, frozenset())), "")
    return ""


DIALECT = Dialect(
    title=gettext_noop("Decision records"),
    kind=gettext_noop("decision record"),
    order=250,
    role=Role.RECORD,
    is_record=True,
)
