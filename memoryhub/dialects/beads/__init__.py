"""Issues of beads, ``.beads/issues.jsonl``: a JSON object a line, written by ``bd``."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import Document, Entry, dated
from memoryhub.formats.base import NO_PATH, FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json, text_of
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.stated import OpenItem, Stated

NAME = "beads"

_FOLDER = ".beads"
_FILES = frozenset({"issues.jsonl", "beads.jsonl", "issues.base.jsonl"})
_MARKS = {"open": " ", "closed": "x", "in_progress": "/", "blocked": "!"}
_GONE = frozenset({"tombstone", "deleted"})
_PROBLEMS = 50


class Issue(NamedTuple):
    """An issue; `blocked_by` are the ids of issues that it waits for."""

    issue_id: str
    title: str
    status: str
    assignee: str
    reason: str
    created: datetime.datetime | None
    closed: datetime.datetime | None
    blocked_by: tuple[str, ...]
    lines: Lines

    @property
    def told(self) -> str:
        """Return the issue in one line."""
        return f"{self.issue_id} {self.title}"


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether beads keeps a file of this name in its folder."""
    return path.name in _FILES and path.parent.name == _FOLDER


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the issues of any text; other lines are problems. It never fails."""
    found = [*_read(text)]
    issues = [one for one in found if isinstance(one, Issue)]
    known = {issue.issue_id: issue.status for issue in issues}
    items = (_item(issue, known) for issue in issues if issue.status not in _GONE)
    problems = (one for one in found if isinstance(one, Problem))
    return Document(
        text,
        stated=Stated(open_items=tuple(items)),
        parts=tuple(_part(issue, path) for issue in issues),
        time=dated(None, path),
        names_people=True,
        problems=tuple(islice(problems, _PROBLEMS)),
    )


def _read(text: str) -> Iterator[Issue | Problem]:
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip("\ufeff \t\r\n"):
            continue
        try:
            held = parse_json(line)
        except FormatError as error:
            yield Problem(error.code, number, error.parameters)
            continue
        issue = _issue(held, number)
        if issue is None:
            reason = "no issue with an id and a title"
            yield Problem("json-invalid", number, {"reason": reason})
        else:
            yield issue


def _issue(held: object, number: int) -> Issue | None:
    if not isinstance(held, dict) or not (
        text_of(held, "id") and text_of(held, "title")
    ):
        return None
    return Issue(
        text_of(held, "id"),
        text_of(held, "title"),
        text_of(held, "status") or "open",
        text_of(held, "assignee") or text_of(held, "owner"),
        text_of(held, "close_reason"),
        parse_timestamp(text_of(held, "created_at")),
        parse_timestamp(text_of(held, "closed_at")),
        tuple(_blockers(held.get("dependencies"))),
        Lines(number, number),
    )


def _blockers(held: object) -> Iterator[str]:
    for one in held if isinstance(held, list) else ():
        is_blocker = isinstance(one, dict) and one.get("type") == "blocks"
        if is_blocker and (blocker := text_of(one, "depends_on_id")):
            yield blocker


def _item(issue: Issue, known: dict[str, str]) -> OpenItem:
    """Return an issue as an item that names the issues it still waits for."""
    waits = [one for one in issue.blocked_by if known.get(one, "open") != "closed"]
    tail = f" (blocked by {', '.join(waits)})" if waits else ""
    mark = _MARKS.get(issue.status, " ")
    is_done = issue.status == "closed"
    return OpenItem(issue.told + tail, is_done, mark, issue.lines, issue.assignee)


def _part(issue: Issue, path: PurePosixPath) -> Entry:
    """Return an issue at its creation, or as an entry at its closing."""
    if issue.status != "closed" or issue.closed is None:
        at = dated(issue.created, path)
        return Entry(issue.told, "", issue.lines, at, kind="")
    told, at = (issue.told, issue.reason), dated(issue.closed, path)
    return Entry(*told, issue.lines, at, agent=issue.assignee, kind="entry")


DIALECT = Dialect(
    title=gettext_noop("Issues of beads"),
    kind=gettext_noop("beads"),
    order=20,
    is_data=True,
    role=Role.WORK,
    program=gettext_noop("beads"),
    is_read_only=True,
)
