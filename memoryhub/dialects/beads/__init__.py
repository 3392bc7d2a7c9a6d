"""Issues of beads, ``.beads/issues.jsonl``: a JSON object a line, written by ``bd``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import Document, Entry, dated
from memoryhub.formats.base import NO_PATH, FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json, text_of
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.stated import OpenItem, Stated

_FOLDER = ".beads"
_FILES = frozenset({"issues.jsonl", "beads.jsonl", "issues.base.jsonl"})
_MARKS = {"open": " ", "closed": "x", "in_progress": "/", "blocked": "!"}
_GONE = frozenset({"tombstone", "deleted"})
_PROBLEMS = 50


#: An issue, and its line.
_Issue = tuple[dict[str, Any], Lines]


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether beads keeps a file of this name in its folder."""
    return path.name in _FILES and path.parent.name == _FOLDER


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the issues of any text; other lines are problems. It never fails."""
    found = [*_read(text)]
    issues = [one for one in found if not isinstance(one, Problem)]
    known = {text_of(held, "id"): _status(held) for held, _ in issues}
    items = (_item(one, known) for one in issues if _status(one[0]) not in _GONE)
    problems = (one for one in found if isinstance(one, Problem))
    return Document(
        text,
        stated=Stated(open_items=tuple(items)),
        parts=tuple(_part(issue, path) for issue in issues),
        time=dated(None, path),
        names_people=True,
        problems=tuple(islice(problems, _PROBLEMS)),
    )


def _read(text: str) -> Iterator[_Issue | Problem]:
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip("\ufeff \t\r\n"):
            continue
        try:
            held = parse_json(line)
        except FormatError as error:
            yield Problem(error.code, number, error.parameters)
            continue
        if isinstance(held, dict) and text_of(held, "id") and text_of(held, "title"):
            yield held, Lines(number, number)
        else:
            reason = "no issue with an id and a title"
            yield Problem("json-invalid", number, {"reason": reason})


def _status(held: dict[str, Any]) -> str:
    return text_of(held, "status") or "open"


def _named(held: dict[str, Any]) -> tuple[str, str]:
    """Return the issue in one line, and who has it."""
    told = f"{text_of(held, 'id')} {text_of(held, 'title')}"
    return told, text_of(held, "assignee") or text_of(held, "owner")


def _item(issue: _Issue, known: dict[str, str]) -> OpenItem:
    """Return an issue as an item that names the issues it still waits for."""
    held, lines = issue
    blockers = held.get("dependencies")
    waits = [
        blocker
        for one in (blockers if isinstance(blockers, list) else ())
        if isinstance(one, dict) and one.get("type") == "blocks"
        if (blocker := text_of(one, "depends_on_id"))
        if known.get(blocker, "open") != "closed"
    ]
    tail = f" (blocked by {', '.join(waits)})" if waits else ""
    (told, agent), status = _named(held), _status(held)
    mark = _MARKS.get(status, " ")
    return OpenItem(told + tail, status == "closed", mark, lines, agent)


def _part(issue: _Issue, path: PurePosixPath) -> Entry:
    """Return an issue at its creation, or as an entry at its closing."""
    held, lines = issue
    told, agent = _named(held)
    closed = parse_timestamp(text_of(held, "closed_at"))
    if _status(held) != "closed" or closed is None:
        created = parse_timestamp(text_of(held, "created_at"))
        return Entry(told, "", lines, dated(created, path), kind="")
    reason, at = text_of(held, "close_reason"), dated(closed, path)
    return Entry(told, reason, lines, at, agent=agent, kind="entry")


DIALECT = Dialect(
    title=gettext_noop("Issues of beads"),
    kind=gettext_noop("beads"),
    order=20,
    is_data=True,
    role=Role.WORK,
    program=gettext_noop("beads"),
    is_read_only=True,
)
