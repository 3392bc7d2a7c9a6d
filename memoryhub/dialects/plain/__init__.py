"""Any other text of a memory folder: stored, searched and shown by its sections."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects.daily_log.log_entries import title_of
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Entry, Facts, Topic, whole_lines
from memoryhub.dialects.file_days import day_of_note, is_report, named_day
from memoryhub.formats.base import NO_PATH, NOWHERE, Lines
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.days import is_period
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)
from memoryhub.formats.text.topic_names import in_topic_folder, is_general, spelled
from memoryhub.prose.stated import Stated, find_stated

NAME = "plain"
#: Notes about a folder or for a host, or lists of work.
_NO_TOPICS = frozenset(
    {"readme", "index", "heartbeat", "tasks", "todo", "todos"}
    | {"template", "changelog", "license", "skill"}
)

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

    def facts(self, place: PurePosixPath) -> Iterator[Topic]:
        """Yield the topic that a note in a folder of memory or topics is."""
        if name := _topic_of(place, self.title):
            lines = self.paragraph_lines or NOWHERE
            yield Topic("note", name, self.title, self.first_paragraph, lines)

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


def _topic_of(path: PurePosixPath, title: str) -> str:
    """Return the topic that an undated note is, else "".

    A note with a general name, such as ``status``, is about its folder.
    """
    stem, folder = path.stem.removeprefix("topic-"), path.parent.name
    if path.suffix.lower() != ".md" or named_day(path) or is_period(path.stem):
        return ""
    is_own_topic = path.stem != stem or in_memory_folder(path)
    if is_own_topic and path.stem.casefold() in _NO_TOPICS:
        return ""
    if not is_general(stem):
        named = spelled(stem, title)
    else:
        is_named = in_topic_folder(path.parts[:-2]) and not is_general(folder)
        named = folder if is_named else ""
    if is_own_topic:
        return named or stem or path.stem
    return named if in_topic_folder(path.parts[:-1]) else ""


DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Other files"),
    kind=gettext_noop("plain"),
    order=1000,
    matches=matches,
    parse=parse,
    at_path=True,
    role=None,
    lives_long=None,
    read_whole=True,
)
