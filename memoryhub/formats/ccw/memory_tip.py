"""ccw's memory tips: one remembered hint, with tags and a link to its session."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats.ccw.sections import KnownSection, loose_text, split_known
from memoryhub.formats.text.dates import parse_timestamp

NAME = "memory_tip"

TITLES = (
    "Tip ID",
    "Timestamp",
    "Project Root",
    "Content",
    "Tags",
    "Context",
    "Session Link",
    "Auto-Detected Context",
)

_TIP_ID = re.compile(r"TIP-[0-9]{8}-[0-9]{6}")


@dataclass(frozen=True, slots=True)
class MemoryTip:
    """A tip; missing values are empty."""

    text: str
    sections: tuple[KnownSection, ...]
    tip_id: str
    timestamp: datetime.datetime | None
    project_root: str
    content: str
    tags: tuple[str, ...]
    context: str
    session_link: str
    detected_context: str

    def render(self) -> str:
        return self.text


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text has a tip id below its heading, and another heading."""
    if "Tip ID" not in text:
        return False
    parts = split_known(text, TITLES)
    return len(parts) > 1 and any(
        part.title == "Tip ID" and _id(part) for part in parts
    )


def parse(text: str) -> MemoryTip:
    """Return the values of any text; never fails."""
    parts = split_known(text, TITLES)
    values = {part.title: loose_text(part) for part in parts}
    held = {part.title: part for part in parts}
    tags = (tag.strip(" `#\r\n") for tag in values.get("Tags", "").split(","))
    return MemoryTip(
        text=text,
        sections=parts,
        tip_id=_id(held["Tip ID"]) if "Tip ID" in held else "",
        timestamp=parse_timestamp(values.get("Timestamp", "")),
        project_root=values.get("Project Root", ""),
        content=values.get("Content", ""),
        tags=tuple(tag for tag in tags if tag),
        context=values.get("Context", ""),
        session_link=values.get("Session Link", ""),
        detected_context=values.get("Auto-Detected Context", ""),
    )


def _id(section: KnownSection) -> str:
    found = _TIP_ID.search(section.body)
    return found[0] if found else ""
