"""New task snapshots: from values to big-memory's stored form, appended to a log."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memoryhub.formats.base import FormatError, Problem
from memoryhub.formats.big_memory.snapshot_parts import (
    BLOCKERS,
    CODE,
    DECISIONS,
    FILES,
    GOAL,
    NAMES,
    SECTIONS,
    STATE,
    STEPS,
    is_absolute,
    missing_titles,
)
from memoryhub.formats.big_memory.task_snapshot import CODE_LIMIT, PHASES, code_size
from memoryhub.formats.text.list_items import is_none
from memoryhub.formats.text.source import MARKER, newline_of, open_fence

NONE = "none"

_BREAKING = re.compile(
    rf"\n[ \t]*(?:<!-- /?{MARKER}(?: v[0-9]+)? -->|#{{2,4}}[ \t]+\[SNAPSHOT\])"
)


@dataclass(frozen=True, slots=True)
class SnapshotHeader:
    """The header comments of a snapshot; `timestamp` is wall-clock time.

    `timestamp` is ignored where `timed` is False.
    """

    timestamp: datetime.datetime
    snapshot_id: str
    agent: str = ""
    topic: str = ""
    timed: bool = True


@dataclass(frozen=True, slots=True)
class SnapshotDraft:
    """The values of a new snapshot; `blocked_by` is the blocker, empty without one.

    Pairs are (path, purpose), (decision, rationale) and (kind, value).
    """

    header: SnapshotHeader
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
    return render_block(draft.header, bodies_of(draft))


def render_block(header: SnapshotHeader, bodies: Mapping[str, str]) -> str:
    """Return the stored form of a header and section bodies, keyed by their titles.

    An empty or missing body is written ``none``; titles that are not of the eight
    come last. Raises `FormatError`: ``snapshot-breaks-block`` for a body that would
    end the block or a section, ``comment-not-a-line`` for such a header value.
    """
    titles = [*SECTIONS, *(title for title in bodies if title not in SECTIONS)]
    parts = [_opening(header)]
    for title in titles:
        body = bodies.get(title, "").strip("\r\n") or NONE
        if found := _BREAKING.search("\n" + body):
            line = body.count("\n", 0, found.start()) + 1
            raise FormatError("snapshot-breaks-block", line, section=title)
        parts.append(f"### [SNAPSHOT] {_comment_value(title)}\n{body}\n")
    return "\n".join([*parts, f"<!-- /{MARKER} -->\n"])


def _opening(header: SnapshotHeader) -> str:
    when = header.timestamp if header.timed else None
    comments = {
        "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S") if when else "",
        "snapshot-id": header.snapshot_id,
        "agent": header.agent,
        "topic": header.topic,
    }
    lines = [f"<!-- {k}: {_comment_value(v)} -->" for k, v in comments.items() if v]
    top = f"{_lead(when)}<!-- {MARKER} v1 -->\n"
    return top + "\n".join(lines) + "\n"


def _lead(when: datetime.datetime | None) -> str:
    clock = f" -- {when:%H:%M}" if when else ""
    return f"---\n\n## Task Snapshot{clock}\n\n"


def led(block: str, when: datetime.datetime | None, *, terminated: bool) -> str:
    """Return a block below rule and heading; a missing end comment is added."""
    block = block.rstrip("\n")
    if not terminated:
        end = f"<!-- /{MARKER} -->"
        fence = open_fence(block)
        block += f"\n{fence}\n\n{end}" if fence else f"\n\n{end}"
    return f"{_lead(when)}{block}\n"


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
    empty = [title for title in SECTIONS if is_none(bodies[title])]
    filled = {title: body for title, body in bodies.items() if title not in empty}
    for title in missing_titles(filled):
        if title in (GOAL, STEPS):
            yield Problem("section-empty", 0, {"title": title})
    if draft.phase not in PHASES:
        yield Problem("phase-unknown", 0, {"phase": draft.phase})
    for path, _ in draft.files:
        if not is_absolute(path):
            yield Problem("path-relative", 0, {"path": path})
    if (size := code_size(draft.code)) > CODE_LIMIT:
        yield Problem("code-too-long", 0, {"lines": size})
