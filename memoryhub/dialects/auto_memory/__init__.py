"""Claude Code's auto-memory: one fact a file, with typed front matter."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Facts, Recalled, Topic
from memoryhub.dialects.file_days import day_of_note
from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.stated import Stated, StatedDirective, find_stated
from memoryhub.prose.units import bare

NAME = "auto_memory"

TYPES = ("user", "feedback", "project", "reference")
#: Types of facts about a person or how they want work done: no topics.
_ABOUT_PEOPLE = ("user", "feedback")
_PREFIX = re.compile(r"(?:project|reference)[-_ ]")


@dataclass(frozen=True, slots=True)
class AutoMemory(Facts):
    """A fact: its name and its text."""

    text: str
    name: str
    description: str
    description_lines: Lines | None
    type: str
    session_id: str
    body: str
    body_line: int

    def facts(self, place: PurePosixPath) -> Iterator[Recalled | Topic]:
        """Yield whose words the fact is, and the topic that it is."""
        is_about_people = self.type in _ABOUT_PEOPLE
        yield Recalled(self.session_id, is_about_people)
        if not is_about_people:
            named = self.name or place.stem
            name = place.stem if _PREFIX.match(place.stem) else named
            yield Topic(
                "fact",
                _PREFIX.sub("", name, count=1).replace("_", "-"),
                named,
                self.description or self.body.strip(),
                self.description_lines or NOWHERE,
            )

    def day_of(self, place: PurePosixPath) -> datetime.date | None:
        """Return the day that its name or its first lines give it."""
        return day_of_note(place, self.text)

    def statements(self, place: PurePosixPath) -> Stated:
        """Return what it states; one of the type feedback is a directive."""
        stated = find_stated(self.text)
        if self.type != "feedback":
            return stated
        for number, line in enumerate(split_lines(self.body), self.body_line):
            if line.strip() and not line.startswith(("#", "**", "---")):
                # Of several sentences, those that say what to do, where any does.
                said = [o for o in stated.directives if o.lines.first == number]
                text = " ".join(o.text for o in said) or bare(line)
                own = StatedDirective(text, Lines(number, number))
                others = (o for o in stated.directives if o not in said)
                return stated._replace(directives=(own, *others))
        return stated


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether front matter is a fact's: name, description, type or session.

    The type is one of the four. Skills have name and description too, and no type.
    """
    if not text.startswith("---"):
        return False
    matter = frontmatter.split(text)
    named = matter.get("name") and matter.get("description")
    return bool(named) and (_type(matter) in TYPES or bool(_session(matter)))


def parse(text: str) -> AutoMemory:
    """Return the fact of any text; it never fails."""
    matter = frontmatter.split(text)
    said = (f.lines for f in matter.fields if f.key == "description")
    return AutoMemory(
        text=text,
        name=matter.get("name"),
        description=matter.get("description"),
        description_lines=next(said, None),
        type=_type(matter),
        session_id=_session(matter),
        body=matter.body,
        body_line=matter.body_line,
    )


def _type(matter: frontmatter.FrontMatter) -> str:
    return matter.get("type") or matter.get("metadata.type")


def _session(matter: frontmatter.FrontMatter) -> str:
    return matter.get("originSessionId") or matter.get("metadata.originSessionId")


DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Auto-memory facts"),
    kind=gettext_noop("auto memory"),
    order=60,
    matches=matches,
    parse=parse,
    lives_long=True,
    read_whole=True,
)
