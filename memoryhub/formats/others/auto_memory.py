"""Claude Code's auto-memory: one fact a file, with typed front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats.base import Lines
from memoryhub.formats.text import frontmatter

NAME = "auto_memory"

TYPES = ("user", "feedback", "project", "reference")

_PART = re.compile(r"(?:\A|\n)[ \t]*\*\*(Why|How to apply):?\*\*:?[ \t]*")
_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class AutoMemory:
    """A fact: its name, its text, and the reason for recording it."""

    text: str
    name: str
    description: str
    description_lines: Lines | None
    type: str
    session_id: str
    body: str
    body_line: int
    why: str
    how_to_apply: str

    def render(self) -> str:
        return self.text


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
    parts = dict(_parts(matter.body))
    return AutoMemory(
        text=text,
        name=matter.get("name"),
        description=matter.get("description"),
        description_lines=next(said, None),
        type=_type(matter),
        session_id=_session(matter),
        body=matter.body,
        body_line=matter.body_line,
        why=parts.get("Why", ""),
        how_to_apply=parts.get("How to apply", ""),
    )


def _type(matter: frontmatter.FrontMatter) -> str:
    return matter.get("type") or matter.get("metadata.type")


def _session(matter: frontmatter.FrontMatter) -> str:
    return matter.get("originSessionId") or matter.get("metadata.originSessionId")


def _parts(body: str) -> list[tuple[str, str]]:
    """Read the bold parts; each ends with its paragraph or at the next part."""
    found = list(_PART.finditer(body))
    limits = [*(part.start() for part in found[1:]), len(body)]
    parts = []
    for part, limit in zip(found, limits, strict=False):
        said = body[part.end() : limit]
        end = _PARAGRAPH_END.search(said)
        parts.append((part[1], said[: end.start() if end else len(said)].strip()))
    return parts
