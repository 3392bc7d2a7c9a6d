"""Any other text of a memory folder: stored, searched and shown by its sections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath

from memoryhub.dialects.daily_log.log_entries import title_of
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Document, Entry, Topic, whole_lines
from memoryhub.dialects.file_days import is_report, named_day
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


def is_data(path: PurePosixPath) -> bool:
    """Return whether a file is not Markdown, but JSON, YAML or a program's log."""
    return not path.name.casefold().endswith((".md", ".markdown", ".mdc"))


def matches(path: PurePosixPath, text: str) -> bool:
    """Every text can be read as plain."""
    return True


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return any text, and the topic that a note of memory or of topics is.

    Of data nothing is read: its ``#`` are not headings.
    """
    if is_data(path):
        return Document(text, has_day=True)
    title, (paragraph, lines) = title_in(text), first_paragraph(text)
    name = _topic_of(path, title)
    topic = Topic("note", name, title, paragraph, lines or NOWHERE)
    is_note = path.suffix.casefold() in (".md", ".markdown")
    return Document(
        text,
        title,
        told=(topic,) if name else (),
        stated=partial(find_stated, text) if is_note else Stated(),
        parts=_report(text, path, title, paragraph),
        has_day=True,
    )


def _report(
    text: str, path: PurePosixPath, title: str, paragraph: str
) -> tuple[Entry, ...]:
    """Return a note that is of a day as an entry."""
    if not is_report(path, text):
        return ()
    body = frontmatter.split(text).body
    before = text[: len(text) - len(body.lstrip())]
    first = before.count("\n") + 1 if body.strip() else 1
    lines = Lines(first, max(first, whole_lines(text).last))
    named, said = title_of(title), " ".join(paragraph[:1200].split())
    return (Entry(named, said, lines, kind="entry", source=text, is_file=True),)


def title_in(text: str) -> str:
    """Return the first heading of the highest level, else the front matter's title."""
    sections = split_sections(text)
    level = min((s.level for s in sections if s.level), default=0)
    if level:
        return next(s.title for s in sections if s.level == level)
    matter = frontmatter.split(text)
    return matter.get("title") or matter.get("name")


def first_heading(sections: Sequence[Section]) -> str:
    """Return the title of the first section that has one."""
    return next((section.title for section in sections if section.title), "")


def first_paragraph(text: str, first_line: int = 1) -> tuple[str, Lines | None]:
    """Return the first lines of prose, joined by blanks, and their line range.

    A text of lists only gives its first item; one without prose gives an empty text.
    """
    matter = frontmatter.split(text)
    fenced = fenced_lines(text)
    item: tuple[str, Lines | None] = ("", None)
    parts: list[str] = []
    above, first = first_line - 1, matter.body_line
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
            item = content[2:].strip(), Lines(number + above, number + above)
    if not parts:
        return item
    first += above
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
    title=gettext_noop("Other files"),
    kind=gettext_noop("plain"),
    order=1000,
    role=None,
    lives_long=None,
    read_whole=True,
)
