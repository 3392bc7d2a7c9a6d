"""Parts of task snapshots: the blocks in a text, and the values in their sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from memoryhub.formats.base import Lines
from memoryhub.formats.optimizer.decision_text import split_reason
from memoryhub.formats.text.list_items import (
    Choice,
    FileItem,
    Item,
    Labelled,
    is_none,
    list_items,
    paragraph,
    without_checkbox,
)
from memoryhub.formats.text.source import Mark, marks, split_sections

LEAD_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+Task Snapshot\b([^\n]*)", re.IGNORECASE)

_RULE = re.compile(r" {0,3}-{3,}[ \t\r]*\n?")

GOAL = "Active Goal"
STATE = "Current State"
FILES = "Files In Play"
DECISIONS = "Decisions Made"
CODE = "Code Context"
NAMES = "Key Names & Values"
BLOCKERS = "Blockers & Open Questions"
STEPS = "Next Steps"

#: All sections of a snapshot, in their order; big-memory leaves none out.
SECTIONS = (GOAL, STATE, FILES, DECISIONS, CODE, NAMES, BLOCKERS, STEPS)

_PERCENT = re.compile(r"([0-9]{1,3})(?:\.[0-9]{1,9})? ?%")
_RATIO = re.compile(r"([0-9]{1,6}) ?(?:of|/) ?([0-9]{1,6})")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_SEPARATORS = (" -- ", " — ", " – ", " - ", ": ")


class Span(NamedTuple):
    """A block in a text: its lead, its start comment, its inner text, its end."""

    lead: int
    start: int
    inner: int
    inner_end: int
    end: int
    version: int
    terminated: bool


def find_spans(text: str) -> Iterator[Span]:
    """Yield the blocks; an unterminated one ends at the next block or heading."""
    started: Mark | None = None
    for mark in marks(text):
        if mark.mark[0] != "<":
            continue
        is_end = mark.mark == "</"
        if started and is_end:
            at = started.start
            yield Span(
                _lead(text, at),
                at,
                started.end,
                mark.start,
                mark.end,
                int(started.rest),
                True,
            )
        elif started:
            yield _unterminated(text, started, _lead(text, mark.start))
        started = None if is_end else mark
    if started:
        yield _unterminated(text, started, len(text))


def _unterminated(text: str, start: Mark, limit: int) -> Span:
    parts = split_sections(text[start.end : limit])
    end = start.end + next(
        (part.start for part in parts if 0 < part.level < 3), limit - start.end
    )
    lead = _lead(text, start.start)
    return Span(lead, start.start, start.end, end, end, int(start.rest), False)


def _lead(text: str, start: int) -> int:
    """Return the offset of the rule and heading directly before a start comment."""
    at, line = _written_above(text, start)
    if not LEAD_HEADING.match(line):
        return at if _RULE.fullmatch(line) else start
    above, line = _written_above(text, at)
    return above if _RULE.fullmatch(line) else at


def _written_above(text: str, start: int) -> tuple[int, str]:
    """Return the nearest non-blank line above, within three lines, and its offset."""
    end = start
    for _ in range(3):
        if end <= 0:
            break
        at = text.rfind("\n", 0, end - 1) + 1
        line = text[at:end]
        if line.strip():
            return at, line
        end = at
    return start, ""


@dataclass(frozen=True, slots=True)
class SnapshotSection:
    """A section: its raw body, and whether its title is one of the eight."""

    title: str
    body: str
    known: bool
    lines: Lines

    @property
    def value(self) -> str:
        """The stripped body; empty where it is ``none``."""
        return "" if is_none(self.body) else self.body.strip()

    @property
    def items(self) -> tuple[Item, ...]:
        """The list items, without words for ``none``."""
        found = list_items(self.body, self.lines.first + 1)
        return tuple(item for item in found if not is_none(item.text))


class State(TypedDict):
    """The bullets of Current State; missing ones are empty or None."""

    phase: str
    branch: str
    blocked: bool | None
    blocked_by: str
    progress: str
    percent: int | None


def is_absolute(path: str) -> bool:
    """Return whether a path is absolute on any system."""
    return bool(_ABSOLUTE.match(path))


def read_state(section: SnapshotSection | None) -> State:
    """Return phase, branch, blocked and progress from the bullets of a section."""
    values = _labelled_values(section.items) if section else {}
    blocked, _, by = _cut(values.get("blocked", ""))
    progress = values.get("progress", "")
    branch = values.get("branch", "").strip("`")
    return State(
        phase=values.get("phase", "").strip("`").casefold(),
        branch="" if branch.casefold() == "n/a" else branch,
        blocked={"yes": True, "no": False}.get(blocked.strip(".`").casefold()),
        blocked_by="" if is_none(by) else by,
        progress=progress,
        percent=percent_of(progress),
    )


def _labelled_values(items: Iterable[Item]) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in items:
        label, colon, value = item.text.partition(":")
        if colon:
            cleaned = value.strip().removeprefix("**").strip()
            empty = is_none(cleaned)
            values.setdefault(label.strip("* ").casefold(), "" if empty else cleaned)
    return values


def percent_of(progress: str) -> int | None:
    """Return the percentage in ``~60%`` or ``3 of 5``; None without either."""
    if found := _PERCENT.search(progress):
        return min(100, int(found[1]))
    found = _RATIO.search(progress)
    if not found or not int(found[2]) > 0 or int(found[1]) > int(found[2]):
        return None
    return round(100 * int(found[1]) / int(found[2]))


def read_files(section: SnapshotSection | None) -> tuple[FileItem, ...]:
    """Return the files of a section, from `` `path` -- purpose`` or looser forms."""
    items = section.items if section else ()
    return tuple(FileItem(*_file_parts(item.text), item.lines) for item in items)


def _file_parts(text: str) -> tuple[str, str]:
    if text.startswith("`") and (end := text.find("`", 1)) > 0:
        return text[1:end].strip(), text[end + 1 :].strip(" -—–:")
    path, _, purpose = _cut(text)
    return path.strip("`*"), purpose


def _cut(text: str) -> tuple[str, str, str]:
    """Split at the first separator between a term and its description."""
    places = [(at, sign) for sign in _SEPARATORS if (at := text.find(sign)) > 0]
    if not places:
        return text.strip(), "", ""
    at, sign = min(places)
    return text[:at].strip(), sign, text[at + len(sign) :].strip()


def read_choices(section: SnapshotSection | None) -> tuple[Choice, ...]:
    """Return the decisions, of either of big-memory's two forms."""
    items = section.items if section else ()
    return tuple(Choice(*split_reason(item.text), item.lines) for item in items)


def read_names(section: SnapshotSection | None) -> tuple[Labelled, ...]:
    """Return the names and values; a line without a kind is a value."""
    items = section.items if section else ()
    return tuple(Labelled(*_name_parts(item.text), item.lines) for item in items)


def _name_parts(text: str) -> tuple[str, str]:
    kind, colon, value = text.partition(": ")
    if not colon or kind.startswith("`"):
        kind, value = "", text
    value = value.strip()
    bare = value[1:-1]
    quoted = len(value) > 2 and value[0] == value[-1] == "`" and "`" not in bare
    return kind.strip("* "), bare if quoted else value


def read_points(section: SnapshotSection | None) -> tuple[Labelled, ...]:
    """Return blockers and questions; prose without a list is one of them."""
    return tuple(_point(item) for item in items_or_prose(section))


def _point(item: Item) -> Labelled:
    mark, bare = without_checkbox(item.text)
    label, colon, text = bare.partition(":")
    kind = label.strip("* ").casefold()
    if colon and kind in ("blocker", "question"):
        box = f"[{mark}] " if mark else ""
        said = text.strip().removeprefix("**").strip()
        return Labelled(kind, box + said, item.lines)
    return Labelled("", item.text, item.lines)


def items_or_prose(section: SnapshotSection | None) -> tuple[Item, ...]:
    """Return the items of a section, or its text as one item."""
    if section is None or not section.value:
        return ()
    return section.items or paragraph(section.body, section.lines.first + 1)


def missing_titles(sections: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(title for title in SECTIONS if title not in sections)
