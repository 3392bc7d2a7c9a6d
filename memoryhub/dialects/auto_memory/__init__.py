"""Claude Code's auto-memory: one fact a file, with typed front matter."""

from __future__ import annotations

import re
from functools import partial
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Document, Recalled, Topic
from memoryhub.formats.base import NO_PATH, NOWHERE, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.frontmatter import FrontMatter
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.stated import Stated, StatedDirective, find_stated
from memoryhub.prose.units import bare

TYPES = ("user", "feedback", "project", "reference")
#: Types of facts about a person or how they want work done: no topics.
_ABOUT_PEOPLE = ("user", "feedback")
_PREFIX = re.compile(r"(?:project|reference)[-_ ]")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether front matter is a fact's: name, description, type or session.

    The type is one of the four. Skills have name and description too, and no type.
    """
    if not text.startswith("---"):
        return False
    matter = frontmatter.split(text)
    named = matter.get("name") and matter.get("description")
    return bool(named) and (_type(matter) in TYPES or bool(_session(matter)))


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return whose words a fact is, and the topic that it is; it never fails."""
    matter = frontmatter.split(text)
    kind = _type(matter)
    told: list[Recalled | Topic] = [Recalled(_session(matter), kind in _ABOUT_PEOPLE)]
    if kind not in _ABOUT_PEOPLE:
        told.append(topic_of(matter, path, matter.get("name") or path.stem))
    stated = partial(_stated, text, is_feedback=kind == "feedback")
    return Document(text, told=tuple(told), stated=stated, has_day=True)


def topic_of(matter: FrontMatter, path: PurePosixPath, title: str) -> Topic:
    """Return a fact as a topic: its description, else its text, is the status."""
    name = path.stem if _PREFIX.match(path.stem) else title
    name = _PREFIX.sub("", name, count=1).replace("_", "-")
    said = matter.get("description")
    lines = next((f.lines for f in matter.fields if f.key == "description"), NOWHERE)
    return Topic("fact", name, title, said or matter.body.strip(), lines)


def _stated(text: str, *, is_feedback: bool) -> Stated:
    """Return the statements of a fact; feedback is a directive."""
    stated, matter = find_stated(text), frontmatter.split(text)
    if not is_feedback:
        return stated
    for number, line in enumerate(split_lines(matter.body), matter.body_line):
        if line.strip() and not line.startswith(("#", "**", "---")):
            # Of several sentences, those that say what to do, where any does.
            said = [o for o in stated.directives if o.lines.first == number]
            text = " ".join(o.text for o in said) or bare(line)
            own = StatedDirective(text, Lines(number, number))
            others = (o for o in stated.directives if o not in said)
            return stated._replace(directives=(own, *others))
    return stated


def _type(matter: FrontMatter) -> str:
    return matter.get("type") or matter.get("metadata.type")


def _session(matter: FrontMatter) -> str:
    return matter.get("originSessionId") or matter.get("metadata.originSessionId")


DIALECT = Dialect(
    title=gettext_noop("Auto-memory facts"),
    kind=gettext_noop("auto memory"),
    order=60,
    lives_long=True,
    read_whole=True,
)
