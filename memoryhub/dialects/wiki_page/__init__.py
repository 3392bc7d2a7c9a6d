"""Pages of OpenClaw's memory wiki: claims with status, confidence and evidence.

Claims are in the front matter, nested deeper than `frontmatter` reads: they are read
here line by line, by their indents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Document, History, dated, of_page
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.source import split_lines, split_sections
from memoryhub.prose.stated import OpenItem, Stated, find_stated

_TYPE = re.compile(r"\npageType:[ \t]*[\"']?\w")
_FIELD = re.compile(r"([ ]{0,40})(-[ ]+)?(?:([A-Za-z]\w{0,40}):(?:[ ]+([^\n]*))?)?")
_CLAIMS, _QUESTIONS = "claims", ("questions", "openQuestions", "contradictions")
_LONGEST = 2_000


class _Line(NamedTuple):
    """A line of front matter: where its key starts, and whether it opens an item."""

    number: int
    indent: int
    opens: bool
    key: str
    value: str


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether front matter has a page type and claims, or an id with a type."""
    if not text.startswith("---") or path.suffix.casefold() not in (".md", ".markdown"):
        return False
    matter = frontmatter.split(text[:200_000])
    return bool(_TYPE.search(matter.source)) and (
        f"\n{_CLAIMS}:" in matter.source or bool(matter.get("id"))
    )


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the topic that a page is, its claims as its history; never fails."""
    matter = frontmatter.split(text)
    lines = tuple(_lines(matter.source))
    status, place = first_paragraph(text)
    claims = [*_claims(tuple(_block(lines, _CLAIMS)))]
    if not status and claims:
        status, place = claims[0][0], claims[0][1].lines
    title = matter.get("title") or first_heading(split_sections(text))
    return Document(
        text,
        title,
        told=(of_page(text, path, title, status, place), *(told for _, told in claims)),
        stated=_with_questions(find_stated(text), lines),
        time=dated(None, path),
        names_people=True,
    )


def _lines(source: str) -> Iterator[_Line]:
    for number, line in enumerate(split_lines(source), 1):
        bare = line.rstrip()
        found = _FIELD.match(bare)
        if not bare or bare == "---" or found is None:
            continue
        opens = found[2] is not None
        indent = len(found[1]) + len(found[2] or "")
        value = (found[4] or "") if found[3] else bare[found.end() :]
        said = value.strip().strip("\"'")[:_LONGEST]
        yield _Line(number, indent, opens, found[3] or "", said)


def _block(lines: Sequence[_Line], key: str) -> Iterator[_Line]:
    """Yield the lines of a list below a key at the left edge."""
    inside = False
    for line in lines:
        if line.indent == 0:
            inside = line.key == key and not line.opens
        elif inside:
            yield line


def _claims(lines: Sequence[_Line]) -> Iterator[tuple[str, History]]:
    """Yield the text of each claim, and the claim as a line of a history.

    That has its day in front if known, and the places of evidence behind it, such as
    ``memory/2026-04-20.md:12-14``.
    """
    indent = min((line.indent for line in lines if line.opens), default=0)
    starts = [n for n, line in enumerate(lines) if line.opens and line.indent == indent]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        some = lines[start:end]
        own = {one.key: one.value for one in some if one.indent == indent and one.key}
        text = own.get("text", "")
        if text in (">", ">-", "|", "|-", ""):
            text = _folded(some, "text", indent)
        said = filter(None, (own.get("status"), own.get("confidence")))
        found = [*said, *_evidence([line for line in some if line.indent > indent])]
        told = f"{text} ({', '.join(found)})" if found else text
        day = parse_date(own.get("updatedAt", "")[:10])
        if text:
            told = f"{day.isoformat()}: {told}" if day else told
            yield text, History(told, Lines(some[0].number, some[-1].number))


def _folded(lines: Sequence[_Line], key: str, indent: int) -> str:
    """Return a text from the indented lines below its key."""
    start = next((n for n, line in enumerate(lines) if line.key == key), len(lines))
    parts = []
    for line in lines[start + 1 :]:
        if line.indent <= indent:
            break
        parts.append(f"{line.key}: {line.value}" if line.key else line.value)
    return " ".join(parts)


def _evidence(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield the place of each piece of evidence: path with lines, else its source."""
    found: dict[str, str] = {}
    for line in (*lines, _Line(0, 0, True, "", "")):
        if line.opens and found:
            place = ":".join(filter(None, (found.get("path"), found.get("lines"))))
            if said := place or found.get("sourceId", ""):
                yield said
            found = {}
        if line.key:
            found[line.key] = line.value


def _with_questions(stated: Stated, lines: Sequence[_Line]) -> Stated:
    """Return decisions, directives and open items; questions are open items."""
    asked = [
        OpenItem(line.value, False, "", Lines(line.number, line.number))
        for key in _QUESTIONS
        for line in _block(lines, key)
        if line.opens and line.value and line.key in ("", "text", "note")
    ]
    items = sorted((*stated.open_items, *asked), key=lambda item: item.lines)
    return stated._replace(open_items=tuple(items))


DIALECT = Dialect(
    title=gettext_noop("Wiki pages of OpenClaw"),
    kind=gettext_noop("wiki page"),
    order=80,
    lives_long=True,
    read_whole=True,
    is_read_only=True,
)
