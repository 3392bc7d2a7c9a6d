"""big-memory's task snapshots: blocks between two comments, mostly in daily logs.

A file with nothing but snapshots is a document of this dialect. The writer is
`memoryhub.formats.big_memory.snapshot_draft`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import PurePosixPath

from memoryhub.formats.base import Lines, Problem
from memoryhub.formats.big_memory.snapshot_parts import (
    BLOCKERS,
    CODE,
    DECISIONS,
    FILES,
    GOAL,
    LEAD_HEADING,
    NAMES,
    SECTIONS,
    STATE,
    STEPS,
    SnapshotSection,
    Span,
    find_spans,
    is_absolute,
    items_or_prose,
    missing_titles,
    read_choices,
    read_files,
    read_names,
    read_points,
    read_state,
)
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.list_items import Choice, FileItem, Item, Labelled
from memoryhub.formats.text.source import MARKER, lines_between, next_fence

NAME = "task_snapshot"

PHASES = (
    "planning",
    "implementing",
    "debugging",
    "testing",
    "reviewing",
    "deploying",
)

#: Lines of code a snapshot should hold at most.
CODE_LIMIT = 50

_PART = re.compile(
    r"\n(?: {0,3}(`{3,}|~{3,})([^\n]*)|"
    r" {0,3}(#{2,4})[ \t]+(\[SNAPSHOT\])?[ \t]*([^\n]*))"
)
_CLOCK = re.compile(r"(?<![0-9:])([0-9]{1,2}):([0-9]{2})(?![0-9])")
_PLACEHOLDER = re.compile(r"\s*(?:YYYY|\{)")
_TITLES = {title.casefold(): title for title in SECTIONS}


@dataclass(frozen=True, slots=True)
class TaskSnapshot:
    """A snapshot: the values of its comments and sections, and its position.

    `block` is the text from the start comment to the end comment; `text` and
    `lines` begin at the rule and heading, where they stand directly before.
    """

    text: str
    block: str
    version: int
    snapshot_id: str
    timestamp: datetime.datetime | None
    clock: str | None
    agent: str
    topic: str
    trigger: str
    sections: tuple[SnapshotSection, ...]
    goal: str
    phase: str
    branch: str
    blocked: bool | None
    blocked_by: str
    progress: str
    percent: int | None
    files: tuple[FileItem, ...]
    decisions: tuple[Choice, ...]
    code: str
    key_names: tuple[Labelled, ...]
    blockers: tuple[Labelled, ...]
    next_steps: tuple[Item, ...]
    terminated: bool
    problems: tuple[Problem, ...]
    lines: Lines

    def section(self, title: str) -> SnapshotSection | None:
        """Return the first section of this title."""
        return next((part for part in self.sections if part.title == title), None)


@dataclass(frozen=True, slots=True)
class TaskSnapshotDocument:
    """A text and the snapshots in it."""

    text: str
    snapshots: tuple[TaskSnapshot, ...]


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a file holds nothing but snapshots and a title.

    A file named after a day is always a log.
    """
    if MARKER not in text or parse_date(path.name[:10]):
        return False
    spans = list(find_spans(text))
    rest, at = [], 0
    for span in spans:
        rest.append(text[at : span.lead])
        at = span.end
    rest.append(text[at:])
    return bool(spans) and all(_is_frame(line) for line in "".join(rest).split("\n"))


def _is_frame(line: str) -> bool:
    bare = line.strip(" \t\r\ufeff")
    return not bare or bare.startswith("# ") or not bare.strip("-")


def parse(text: str) -> TaskSnapshotDocument:
    """Return the snapshots of any text; never fails."""
    return TaskSnapshotDocument(text, find_snapshots(text))


def find_snapshots(text: str) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots of a text in its order, without templates.

    A start comment in a code fence that was opened outside a snapshot is a quote.
    A snapshot without an end comment is closed by the next snapshot or heading.
    """
    return _found_in(text) if MARKER in text else ()


#: Blocks as read, found again in the next versions of their texts.
_READ: Growing[TaskSnapshot | None] = Growing()


@lru_cache(maxsize=4)
def _found_in(text: str) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots of a text.

    Results of the newest texts are cached: an edit of a log needs the same two texts
    repeatedly.
    """
    found: list[TaskSnapshot] = []
    line, counted, parts = 1, 0, _READ.parts_of(text)
    for span in find_spans(text):
        line += text.count("\n", counted, span.lead)
        counted = span.lead
        snapshot = parts.value((*span, line), partial(_read, text, span, line))
        if snapshot:
            found.append(snapshot)
    return tuple(found)


def newest(snapshots: Iterable[TaskSnapshot]) -> TaskSnapshot | None:
    """Return the snapshot with the latest timestamp comment; of equal ones the last.

    Zones are ignored: big-memory writes wall-clock times.
    """
    listed = list(snapshots)
    earliest = datetime.datetime.min
    ordered = sorted(
        enumerate(listed),
        key=lambda pair: (
            (pair[1].timestamp or earliest).replace(tzinfo=None),
            pair[0],
        ),
    )
    return ordered[-1][1] if ordered else None


def _read(text: str, span: Span, line: int) -> TaskSnapshot | None:
    inner_line = line + text.count("\n", span.lead, span.inner)
    header, sections = _split(text[span.inner : span.inner_end], inner_line)
    comments = _comments(header)
    known = {part.title: part for part in reversed(sections) if part.known}
    if _is_template(comments, known):
        return None
    state = read_state(known.get(STATE))
    files = read_files(known.get(FILES))
    start_line = line + text.count("\n", span.lead, span.start)
    return TaskSnapshot(
        text=text[span.lead : span.end],
        block=text[span.start : span.end],
        version=span.version,
        snapshot_id=comments.get("snapshot-id", ""),
        timestamp=parse_timestamp(comments.get("timestamp", "")),
        clock=_clock(text[span.lead : span.start]),
        agent=comments.get("agent", ""),
        topic=comments.get("topic", ""),
        trigger=comments.get("trigger", ""),
        sections=sections,
        goal=known[GOAL].value if GOAL in known else "",
        files=files,
        decisions=read_choices(known.get(DECISIONS)),
        code=known[CODE].value if CODE in known else "",
        key_names=read_names(known.get(NAMES)),
        blockers=read_points(known.get(BLOCKERS)),
        next_steps=items_or_prose(known.get(STEPS)),
        terminated=span.terminated,
        problems=(
            *([] if span.terminated else [Problem("unterminated", start_line, {})]),
            *_comment_problems(comments, start_line),
            *_section_problems(known, start_line),
            *_value_problems(known, state["phase"], files),
        ),
        lines=lines_between(text, span.lead, span.end, line),
        **state,
    )


def _clock(lead: str) -> str | None:
    """Return the time in the heading before a block, as ``HH:MM``."""
    found = LEAD_HEADING.search(lead)
    clock = _CLOCK.search(found[1]) if found else None
    if not clock or int(clock[1]) > 23 or int(clock[2]) > 59:
        return None
    return f"{int(clock[1]):02d}:{clock[2]}"


def _comments(header: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in header.split("\n"):
        bare = line.strip()
        if bare.startswith("<!--") and bare.endswith("-->"):
            key, colon, value = bare[4:-3].partition(":")
            if colon:
                found.setdefault(key.strip().casefold(), value.strip())
    return found


def _is_template(comments: dict[str, str], known: dict[str, SnapshotSection]) -> bool:
    values = [comments.get(key, "") for key in ("timestamp", "snapshot-id")]
    if not any(values):
        values = [known[GOAL].body if GOAL in known else ""]
    return any(_PLACEHOLDER.match(value) for value in values)


def _split(inner: str, line: int) -> tuple[str, tuple[SnapshotSection, ...]]:
    """Cut the text between the comments at its section headings."""
    headings = list(_headings(inner))
    if not headings:
        return inner, ()
    ends = [*(found.start() for found in headings[1:]), len(inner)]
    sections: list[SnapshotSection] = []
    counted = 0
    for found, end in zip(headings, ends, strict=True):
        line += inner.count("\n", counted, found.start())
        counted = found.start()
        body = inner[min(found.end(), len(inner)) : end]
        written = inner[found.start() : end].rstrip()
        last = line + written.count("\n")
        title = _title(found[5])
        known = title in SECTIONS
        sections.append(SnapshotSection(title, body, known, Lines(line, last)))
    return inner[: headings[0].start()], tuple(sections)


def _headings(inner: str) -> Iterator[re.Match[str]]:
    """Yield the section headings, including those in an unclosed code fence."""
    fence = ""
    hidden: list[re.Match[str]] = []
    for mark in _PART.finditer("\n" + inner):
        if mark[1]:
            after = next_fence(fence, mark[1], mark[2])
            hidden = hidden if after == fence else []
            fence = after
        elif not mark[4] and _title(mark[5]) not in SECTIONS:
            continue
        elif fence:
            hidden.append(mark)
        else:
            yield mark
    yield from hidden if fence else ()


def _title(rest: str) -> str:
    bare = " ".join(rest.strip(" \t\r#:").split())
    return _TITLES.get(bare.casefold().replace(" and ", " & "), bare)


def _comment_problems(comments: dict[str, str], line: int) -> Iterator[Problem]:
    if not parse_timestamp(comments.get("timestamp", "")):
        said = comments.get("timestamp", "")
        yield Problem("timestamp-missing", line, {"timestamp": said})
    if not comments.get("snapshot-id"):
        yield Problem("snapshot-id-missing", line, {})


def _section_problems(
    known: dict[str, SnapshotSection], line: int
) -> Iterator[Problem]:
    for title in missing_titles(known):
        yield Problem("section-missing", line, {"title": title})
    order = [SECTIONS.index(t) for t in sorted(known, key=lambda t: known[t].lines)]
    if order != sorted(order):
        yield Problem("sections-out-of-order", line, {})


def _value_problems(
    known: dict[str, SnapshotSection], phase: str, files: tuple[FileItem, ...]
) -> Iterator[Problem]:
    if STATE in known and phase not in PHASES:
        line = known[STATE].lines.first
        yield Problem("phase-unknown", line, {"phase": phase})
    for file in files:
        if not is_absolute(file.path):
            yield Problem("path-relative", file.lines.first, {"path": file.path})
    if CODE in known:
        size = code_size(known[CODE].value)
        if size > CODE_LIMIT:
            yield Problem("code-too-long", known[CODE].lines.first, {"lines": size})


def code_size(code: str) -> int:
    """Return the number of lines of a code section, its fence lines not counted."""
    lines = code.split("\n") if code else []
    return sum(not line.lstrip().startswith(("```", "~~~")) for line in lines)
