"""big-memory's task snapshots: blocks between two comments, mostly in daily logs.

A file with nothing but snapshots is a document of this dialect.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.formats.base import FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.list_items import (
    Choice,
    FileItem,
    Item,
    Labelled,
    is_none,
    list_items,
    paragraph,
    split_reason,
    without_checkbox,
)
from memoryhub.formats.text.source import (
    MARKER,
    Mark,
    lines_between,
    marks,
    newline_of,
    next_fence,
    open_fence,
    split_sections,
)
from memoryhub.prose.stated import DONE_BOXES, OpenItem, is_done, is_empty
from memoryhub.prose.units import Block, bare, read_marks

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


def is_absolute(path: str) -> bool:
    """Return whether a path is absolute on any system."""
    return bool(_ABSOLUTE.match(path))


def read_state(section: SnapshotSection | None) -> dict[str, Any]:
    """Return phase, branch, blocked and progress from the bullets of a section."""
    values = _labelled_values(_items_of(section))
    blocked, _, by = _cut(values.get("blocked", ""))
    progress = values.get("progress", "")
    branch = values.get("branch", "").strip("`")
    return {
        "phase": values.get("phase", "").strip("`").casefold(),
        "branch": "" if branch.casefold() == "n/a" else branch,
        "blocked": {"yes": True, "no": False}.get(blocked.strip(".`").casefold()),
        "blocked_by": "" if is_none(by) else by,
        "progress": progress,
        "percent": percent_of(progress),
    }


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
    return tuple(FileItem(*_file_parts(i.text), i.lines) for i in _items_of(section))


def _items_of(section: SnapshotSection | None) -> tuple[Item, ...]:
    return section.items if section else ()


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


def _name_parts(text: str) -> tuple[str, str]:
    """Split a name and its value; a line without a kind is a value."""
    kind, colon, value = text.partition(": ")
    if not colon or kind.startswith("`"):
        kind, value = "", text
    value = value.strip()
    bare = value[1:-1]
    quoted = len(value) > 2 and value[0] == value[-1] == "`" and "`" not in bare
    return kind.strip("* "), bare if quoted else value


def _point(item: Item) -> Labelled:
    """Return a blocker or a question, with its kind if it is labelled."""
    mark, bare = without_checkbox(item.text)
    label, colon, text = bare.partition(":")
    kind = label.strip("* ").casefold()
    if colon and kind in ("blocker", "question"):
        box = f"[{mark}] " if mark else ""
        said = text.strip().removeprefix("**").strip()
        return Labelled(kind, box + said, item.lines)
    return Labelled("", item.text, item.lines)


def _items_or_prose(section: SnapshotSection | None) -> tuple[Item, ...]:
    """Return the items of a section, or its text as one item."""
    if section is None or not section.value:
        return ()
    return section.items or paragraph(section.body, section.lines.first + 1)


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

    @property
    def open_items(self) -> Iterator[OpenItem]:
        """What blocks the work, and the next steps."""
        return listed_items((*self.blockers, *self.next_steps))

    def section(self, title: str) -> SnapshotSection | None:
        """Return the first section of this title."""
        return next((part for part in self.sections if part.title == title), None)


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


def problems_in(text: str) -> Iterator[Problem]:
    """Yield the problems of all snapshots of a text."""
    for found in find_snapshots(text):
        yield from found.problems


def find_snapshots(text: str) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots of a text in its order, without templates.

    A start comment in a code fence that was opened outside a snapshot is a quote.
    A snapshot without an end comment is closed by the next snapshot or heading.
    """
    return _found_in(text) if MARKER in text else ()


@lru_cache(maxsize=4)
def _found_in(text: str) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots of a text.

    Results of the newest texts are cached: an edit of a log needs the same two texts
    repeatedly.
    """
    found: list[TaskSnapshot] = []
    line, counted = 1, 0
    for span in find_spans(text):
        line += text.count("\n", counted, span.lead)
        counted = span.lead
        if snapshot := _read(text, span, line):
            found.append(snapshot)
    return tuple(found)


def newest(snapshots: Iterable[TaskSnapshot]) -> TaskSnapshot | None:
    """Return the snapshot with the latest timestamp comment; of equal ones the last.

    Zones are ignored: big-memory writes wall-clock times.
    """
    earliest = datetime.datetime.min
    return max(
        reversed([*snapshots]),
        key=lambda found: (found.timestamp or earliest).replace(tzinfo=None),
        default=None,
    )


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
        decisions=tuple(
            Choice(*split_reason(item.text), item.lines)
            for item in _items_of(known.get(DECISIONS))
        ),
        code=known[CODE].value if CODE in known else "",
        key_names=tuple(
            Labelled(*_name_parts(item.text), item.lines)
            for item in _items_of(known.get(NAMES))
        ),
        blockers=tuple(map(_point, _items_or_prose(known.get(BLOCKERS)))),
        next_steps=_items_or_prose(known.get(STEPS)),
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
    for title in (title for title in SECTIONS if title not in known):
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


NONE = "none"

_BREAKING = re.compile(
    rf"\n[ \t]*(?:<!-- /?{MARKER}(?: v[0-9]+)? -->|#{{2,4}}[ \t]+\[SNAPSHOT\])"
)


@dataclass(frozen=True, slots=True)
class SnapshotDraft:
    """The values of a new snapshot; `blocked_by` is the blocker, empty without one.

    `timestamp` is wall-clock time, and ignored where `timed` is False. Pairs are
    (path, purpose), (decision, rationale) and (kind, value).
    """

    timestamp: datetime.datetime
    snapshot_id: str
    agent: str = ""
    topic: str = ""
    timed: bool = True
    goal: str = ""
    phase: str = ""
    branch: str = ""
    blocked: bool = False
    blocked_by: str = ""
    progress: str = ""
    files: tuple[tuple[str, str], ...] = ()
    decisions: tuple[tuple[str, str], ...] = ()
    code: str = ""
    key_names: tuple[tuple[str, str], ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


def render_snapshot(draft: SnapshotDraft) -> str:
    """Return the stored form of a draft: rule, heading, comments, eight sections.

    Raises `FormatError` as `render_block` does.
    """
    return render_block(draft, bodies_of(draft))


def render_block(draft: SnapshotDraft, bodies: Mapping[str, str]) -> str:
    """Return the stored form of a draft's header and bodies, keyed by their titles.

    An empty or missing body is written ``none``; titles that are not of the eight
    come last. Raises `FormatError`: ``snapshot-breaks-block`` for a body that would
    end the block or a section, ``comment-not-a-line`` for such a header value.
    """
    titles = [*SECTIONS, *(title for title in bodies if title not in SECTIONS)]
    parts = [_opening(draft)]
    for title in titles:
        body = bodies.get(title, "").strip("\r\n") or NONE
        if found := _BREAKING.search("\n" + body):
            line = body.count("\n", 0, found.start()) + 1
            raise FormatError("snapshot-breaks-block", line, section=title)
        parts.append(f"### [SNAPSHOT] {_comment_value(title)}\n{body}\n")
    return "\n".join([*parts, f"<!-- /{MARKER} -->\n"])


def _opening(draft: SnapshotDraft) -> str:
    when = draft.timestamp if draft.timed else None
    comments = {
        "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S") if when else "",
        "snapshot-id": draft.snapshot_id,
        "agent": draft.agent,
        "topic": draft.topic,
    }
    lines = [f"<!-- {k}: {_comment_value(v)} -->" for k, v in comments.items() if v]
    top = f"{_opening_of(when)}<!-- {MARKER} v1 -->\n"
    return top + "\n".join(lines) + "\n"


def _opening_of(when: datetime.datetime | None) -> str:
    clock = f" -- {when:%H:%M}" if when else ""
    return f"---\n\n## Task Snapshot{clock}\n\n"


def led(block: str, when: datetime.datetime | None, *, terminated: bool) -> str:
    """Return a block below rule and heading; a missing end comment is added."""
    block = block.rstrip("\n")
    if not terminated:
        end = f"<!-- /{MARKER} -->"
        fence = open_fence(block)
        block += f"\n{fence}\n\n{end}" if fence else f"\n\n{end}"
    return f"{_opening_of(when)}{block}\n"


def _comment_value(value: str) -> str:
    if "\n" in value or "\r" in value or "-->" in value:
        raise FormatError("comment-not-a-line", value=value)
    return value


def bodies_of(draft: SnapshotDraft) -> dict[str, str]:
    """Return the section bodies of a draft, in the form of big-memory's skill."""
    blocked = f"yes -- {draft.blocked_by}".rstrip(" -") if draft.blocked else "no"
    state = [
        f"- Phase: {draft.phase or NONE}",
        f"- Branch: {draft.branch or 'n/a'}",
        f"- Blocked: {blocked}",
        f"- Progress: {draft.progress or NONE}",
    ]
    files = [_with_words(f"`{path}`", purpose) for path, purpose in draft.files]
    choices = [_with_words(text, reason) for text, reason in draft.decisions]
    names = [f"{kind or 'Value'}: `{value}`" for kind, value in draft.key_names]
    return {
        GOAL: draft.goal,
        STATE: "\n".join(map(_continued, state)),
        FILES: _bullets(files),
        DECISIONS: _numbers(choices),
        CODE: draft.code,
        NAMES: _bullets(names),
        BLOCKERS: _bullets(draft.blockers),
        STEPS: _numbers(draft.next_steps),
    }


def _with_words(thing: str, words: str) -> str:
    return f"{thing} -- {words}" if words else thing


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {_continued(item)}" for item in items)


def _numbers(items: Iterable[str]) -> str:
    return "\n".join(f"{n}. {_continued(item)}" for n, item in enumerate(items, 1))


def _continued(text: str) -> str:
    """Indent the lines after the first, so that they stay with their item."""
    return "\n   ".join(line.strip("\r") for line in text.split("\n"))


def append_block(text: str, block: str) -> str:
    """Return a log with a block at its end; nothing before it is changed.

    OpenClaw's append puts a newline only after a text without one. A blank line
    follows here, or the rule would make a heading of the line above it; a code
    fence the log leaves open is closed, or it would hide the block.
    """
    newline = newline_of(text)
    lead = ""
    if text and not text.endswith("\n"):
        lead = newline
    if fence := open_fence(text):
        lead += fence + newline
    if text and (lead or not text.endswith(("\n\n", "\n\r\n"))):
        lead += newline
    return text + lead + block.replace("\r\n", "\n").replace("\n", newline)


def next_snapshot_id(day: datetime.date, existing_ids: Iterable[str]) -> str:
    """Return the day's next id, ``YYYY-MM-DD-NN`` from 01."""
    start = f"{day.isoformat()}-"
    numbers = [
        _counter(found[len(start) :])
        for found in existing_ids
        if found.startswith(start)
    ]
    return f"{start}{max(numbers, default=0) + 1:02d}"


def _counter(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def validate(draft: SnapshotDraft) -> tuple[Problem, ...]:
    """Return the violations of big-memory's reference in a draft."""
    return tuple(_problems(draft))


def _problems(draft: SnapshotDraft) -> Iterator[Problem]:
    bodies = bodies_of(draft)
    for title in (GOAL, STEPS):
        if is_none(bodies[title]):
            yield Problem("section-empty", 0, {"title": title})
    if draft.phase not in PHASES:
        yield Problem("phase-unknown", 0, {"phase": draft.phase})
    for path, _ in draft.files:
        if not is_absolute(path):
            yield Problem("path-relative", 0, {"path": path})
    if (size := code_size(draft.code)) > CODE_LIMIT:
        yield Problem("code-too-long", 0, {"lines": size})


def listed_items(listed: Iterable[Item | Labelled]) -> Iterator[OpenItem]:
    """Yield those of a list of open work that are open, or have a ticked box."""
    for one in listed:
        block = Block("item", 1, 1, " ".join(one.text.split()))
        read_marks(block)
        text, ticked = block.whole.strip(), (block.box or " ") in DONE_BOXES
        if not is_empty(bare(text)) and (ticked or not is_done(text)):
            yield OpenItem(text, ticked, block.box or "", one.lines)


DIALECT = Dialect(
    title=gettext_noop("Files of snapshots"),
    kind=gettext_noop("task snapshot"),
    order=240,
    problems_in=problems_in,
    is_found=True,
    in_rows=always,
)
