"""ExecPlans: living plans of one piece of work, with Progress and a Decision Log.

Steps are checkboxes with a time; a decision has its rationale, date and author in the
lines below it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Document, Entry, dated, of_page
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.list_items import list_items
from memoryhub.formats.text.source import Section, split_sections
from memoryhub.prose.labels import says_nothing
from memoryhub.prose.stated import OpenItem, Stated, StatedDecision, find_stated
from memoryhub.prose.units import bare

_PROGRESS, _DECISIONS = "progress", "decision log"
_STEP = re.compile(
    r"\[([ xX])\][ \t]+(?:[(\[]([0-9Y]{4}-[^)\]\n]{0,30})[)\]]"
    r"[ \t:—-]*)?(\S.*)",
    re.DOTALL,
)
#: The parts of a decision; each ends where the next one begins.
_PART = re.compile(
    r"(?<!\*)\**(Decision|Rationale|Reason|Date/Author|Date|Author)\**[:：]\**[ \t]*"
)
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)"
    r"[ ]?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?"
)
#: The name of an agent: one word.
_NAME = re.compile(r"[\w.@-]{1,60}")
#: Start of the heading that "Purpose / Big Picture" is, also in a short form.
_PURPOSE = "purpose"
_PLACEHOLDERS = ("…", "...", "<", "[")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text has both headings, outside of code fences."""
    if path.suffix.casefold() != ".md" or "Decision Log" not in text:
        return False
    titles = {s.title.casefold() for s in split_sections(text) if s.level}
    return {_PROGRESS, _DECISIONS} <= titles


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the topic that a plan is, its steps and its decisions; never fails."""
    sections = split_sections(text)
    steps, decided = [*_steps(sections, path)], [*_decisions(sections, path)]
    status, lines = _purpose(sections) or first_paragraph(text)
    title = first_heading(sections)
    return Document(
        text,
        title,
        told=(of_page(text, path, title, status, lines),),
        stated=_stated(find_stated(text), steps, sections, decided),
        parts=tuple(part for _, part in (*steps, *decided)),
        time=dated(None, path),
        names_people=True,
    )


def _purpose(sections: Sequence[Section]) -> tuple[str, Lines] | None:
    """Return the first paragraph of the purpose: the form's own words precede it."""
    for section in sections:
        if section.level and section.title.casefold().startswith(_PURPOSE):
            said, lines = first_paragraph(section.body, section.body_line)
            if said and lines:
                return said, lines
    return None


def _named(sections: Sequence[Section], title: str) -> Iterator[Section]:
    return (s for s in sections if s.level and s.title.casefold() == title)


def _steps(
    sections: Sequence[Section], path: PurePosixPath
) -> Iterator[tuple[OpenItem, Entry]]:
    """Yield the steps: items, and parts that are entries if finished and timed."""
    for section in _named(sections, _PROGRESS):
        for item in list_items(section.body, section.body_line):
            found = _STEP.fullmatch(item.text)
            if not found or _is_empty(found[3]):
                continue
            text, at = bare(found[3].strip()), _moment(found[2] or "")
            is_done = found[1] in "xX"
            kind: Literal["entry", ""] = "entry" if is_done and at else ""
            part = Entry(text, "", item.lines, dated(at, path), kind=kind)
            yield OpenItem(text, is_done, "x" if is_done else " ", item.lines), part


def _moment(said: str) -> datetime.date | None:
    """Return the moment or the day that a text begins with."""
    found = _TIME.match(said.strip())
    if not found:
        return None
    zone = "Z" if found[3] == "UTC" else found[3] or ""
    whole = parse_timestamp(f"{found[1]}T{found[2]}{zone}") if found[2] else None
    return whole or parse_date(found[1])


def _is_empty(text: str) -> bool:
    return says_nothing(text) or text.lstrip("*_ ").startswith(_PLACEHOLDERS)


def _decisions(
    sections: Sequence[Section], path: PurePosixPath
) -> Iterator[tuple[StatedDecision, Entry]]:
    """Yield the decisions of the log, each with when it was made and by whom."""
    for section in _named(sections, _DECISIONS):
        for item in list_items(section.body, section.body_line):
            parts = dict(_parts(item.text))
            text = parts.get("Decision", "")
            if text and not _is_empty(text):
                reason = parts.get("Rationale") or parts.get("Reason", "")
                said = parts.get("Date/Author") or parts.get("Date", "")
                author = _name(said.partition("/")[2] or parts.get("Author", ""))
                time = dated(_moment(said), path)
                stated = StatedDecision(text, "Decision Log", item.lines, reason)
                yield stated, Entry("", "", item.lines, time, agent=author, kind="")


def _name(said: str) -> str:
    """Return the name of an author; empty for several words, and for a placeholder."""
    name = said.strip(" \t.*`")
    return "" if _is_empty(name) or not _NAME.fullmatch(name) else name


def _parts(text: str) -> Iterator[tuple[str, str]]:
    found = list(_PART.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    for one, end in zip(found, ends, strict=False):
        yield one[1], bare(text[one.end() : end].strip(" \t*"))


def _stated(
    stated: Stated,
    steps: Iterable[tuple[OpenItem, Entry]],
    sections: Sequence[Section],
    decided: Iterable[tuple[StatedDecision, Entry]],
) -> Stated:
    """Return the statements of a plan: steps without times, decisions with reasons."""
    own: set[int] = set()
    for title in (_PROGRESS, _DECISIONS):
        for section in _named(sections, title):
            own.update(range(section.lines.first, section.lines.last + 1))
    items = [one for one in stated.open_items if one.lines.first not in own]
    items += [item for item, _ in steps]
    decisions = [one for one in stated.decisions if one.lines.first not in own]
    decisions += [one for one, _ in decided]
    return Stated(
        tuple(sorted(decisions, key=lambda one: one.lines)),
        stated.directives,
        tuple(sorted(items, key=lambda one: one.lines)),
    )


DIALECT = Dialect(
    title=gettext_noop("Execution plans"),
    kind=gettext_noop("exec plan"),
    order=260,
    is_record=True,
)
