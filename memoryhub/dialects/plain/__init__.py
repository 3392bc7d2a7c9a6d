"""Any other text of a memory folder: stored, searched and shown by its sections."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects.daily_log.log_entries import title_of
from memoryhub.dialects.facts import Entry, Facts, whole_lines
from memoryhub.dialects.file_days import day_of_note, is_report
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)
from memoryhub.prose.stated import Stated, find_stated

NAME = "plain"

#: Starts of lines that are not prose.
_MARKS = ("#", "---", "***", "___", "<!--", "|", "```", "~~~", "![", "<")
_BULLETS = ("- ", "* ", "+ ", "• ")


@dataclass(frozen=True, slots=True)
class Plain(Facts):
    """A text with its title and its first paragraph, used as its status."""

    text: str
    title: str
    first_paragraph: str
    paragraph_lines: Lines | None
    sections: tuple[Section, ...]

    def day_of(self, place: PurePosixPath) -> datetime.date | None:
        """Return the day that its name or its first lines give it."""
        return day_of_note(place, self.text)

    def entries_from(self, place: PurePosixPath, start: int = 0) -> Iterator[Entry]:
        """Yield the note, if it is of a day."""
        if not is_report(place, self.text):
            return
        body = frontmatter.split(self.text).body
        before = self.text[: len(self.text) - len(body.lstrip())]
        first = before.count("\n") + 1 if body.strip() else 1
        yield Entry(
            title_of(self.title),
            " ".join(self.first_paragraph[:1200].split()),
            Lines(first, max(first, whole_lines(self.text).last)),
            kind="entry",
            source=self.text,
            is_file=True,
        )

    def statements(self, place: PurePosixPath) -> Stated:
        """Return those of a note; other plain files are data or code."""
        is_note = place.suffix.casefold() in (".md", ".markdown")
        return find_stated(self.text) if is_note else Stated()


def is_data(path: PurePosixPath) -> bool:
    """Return whether a file is not Markdown, but JSON, YAML or a program's log."""
    return not path.name.casefold().endswith((".md", ".markdown", ".mdc"))


def matches(path: PurePosixPath, text: str) -> bool:
    """Every text can be read as plain."""
    return True


def parse(text: str, path: PurePosixPath = NO_PATH) -> Plain:
    """Return title, first paragraph and sections of any text; it never fails.

    Data is one section: its ``#`` are not headings.
    """
    if is_data(path):
        whole = Section(text, 0, 0, len(text), 0, "", 1)
        return Plain(text, "", "", None, (whole,) if text else ())
    sections = split_sections(text)
    paragraph, lines = first_paragraph(text)
    return Plain(text, _title(text, sections), paragraph, lines, sections)


def _title(text: str, sections: tuple[Section, ...]) -> str:
    """Return the first heading of the highest level, else the front matter's title."""
    level = min((s.level for s in sections if s.level), default=0)
    if level:
        return next(s.title for s in sections if s.level == level)
    matter = frontmatter.split(text)
    return matter.get("title") or matter.get("name")


def first_paragraph(text: str) -> tuple[str, Lines | None]:
    """Return the first lines of prose, joined by blanks, and their line range.

    A text of lists only gives its first item; one without prose gives an empty text.
    """
    matter = frontmatter.split(text)
    fenced = fenced_lines(text)
    item: tuple[str, Lines | None] = ("", None)
    parts: list[str] = []
    first = matter.body_line
    for number, line in enumerate(split_lines(matter.body), matter.body_line):
        content = line.strip()
        prose = (
            bool(content) and number not in fenced and not content.startswith(_MARKS)
        )
        if prose and not content.startswith(_BULLETS):
            first = first if parts else number
            parts.append(content)
        elif parts:
            break
        elif prose and not item[0]:
            item = content[2:].strip(), Lines(number, number)
    if not parts:
        return item
    return " ".join(parts), Lines(first, first + len(parts) - 1)
