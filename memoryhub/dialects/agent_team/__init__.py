"""Agent teams of Claude Code: tasks, members and inboxes, as JSON.

``tasks/<list>/<n>.json``, ``teams/<team>/config.json`` and
``teams/<team>/inboxes/<agent>.json`` in ``~/.claude``. What a file is, its content
says. Messages can be added to an inbox; its other bytes stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from memoryhub.dialects import facts
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Entry, Time, WorkNote
from memoryhub.formats.base import FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json, stringify
from memoryhub.formats.text.source import first_sentence
from memoryhub.prose.stated import OpenItem, Stated

NAME = "agent_team"

_MARKS = {"pending": " ", "in_progress": "/", "completed": "x"}
_INBOXES, _CONFIG = "inboxes", "config.json"
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
#: So much of a file is looked at to tell a task.
_HEAD = 20_000
_LONGEST, _TITLE, _MEMBERS = 4_000, 200, 200
_INBOX = re.compile(r"(?:[\w.-]+/)*teams/[\w.-]+/inboxes/[\w.-]+\.json")
#: A message that an agent reads, as Claude Code writes it; its program messages have
#: another type.
_MESSAGE = {"type": "message", "read": False}
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class TeamFile(WorkNote):
    """A parsed file; only a team's has roles, only a task a `subject`."""

    subject: str = ""
    roles: tuple[facts.Agent, ...] = ()
    problems: tuple[Problem, ...] = ()

    def facts(self, place: PurePosixPath) -> Iterator[facts.Agent]:
        """Yield the members of a team."""
        yield from self.roles

    @property
    def title(self) -> str:
        """Label in lists of files."""
        return self.subject

    def written_by(self, place: PurePosixPath) -> Sequence[str]:
        """Return the owner, and the agent of the list; it may be of nobody."""
        return [name for name in (self.author, agent_of_list(place)) if name]


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a JSON file is a task, a team or an inbox, by name and keys."""
    if path.suffix.casefold() != ".json":
        return False
    head = text[:_HEAD]
    if path.parent.name == _INBOXES:
        return text.lstrip("\ufeff \t\r\n").startswith("[")
    if path.name == _CONFIG:
        return '"members"' in head and '"name"' in head
    is_numbered = path.stem.isascii() and path.stem.isdecimal()
    return is_numbered and '"subject"' in head and '"status"' in head


def parse(text: str) -> TeamFile:
    """Return tasks, members or messages of any text; it never fails."""
    try:
        held = parse_json(text) if text.strip("\ufeff \t\r\n") else None
    except FormatError as error:
        problem = Problem(error.code, error.line, error.parameters)
        return TeamFile(text, (), Stated(), problems=(problem,))
    if isinstance(held, list):
        return TeamFile(text, (), Stated(), parts=tuple(_messages(text)))
    if isinstance(held, dict) and "subject" in held:
        return _task(text, held)
    members = held.get("members") if isinstance(held, dict) else None
    return TeamFile(text, (), Stated(), roles=tuple(_members(members)))


def is_inbox(path: str) -> bool:
    """Return whether a path is that of an agent's inbox in a team."""
    return bool(_INBOX.fullmatch(path)) and ".." not in path.split("/")


def with_message(text: str, said: Mapping[str, str]) -> str:
    """Add an unread message to an inbox: `from`, `text`, `summary`, `timestamp`.

    Raises:
        FormatError: ``json-invalid``, the inbox is no array of messages.
    """
    known = list(_spans(_array(text)))
    begin = text[: known[-1].end] if known else text[: text.find("[") + 1] or "["
    rest = text[len(begin) :].lstrip(_SPACE) or "]\n"
    message = stringify({**said, **_MESSAGE}).replace("\n", "\n  ")
    return f"{begin}{',' if known else ''}\n  {message}\n{rest}"


def without_message(text: str, said: Mapping[str, str]) -> str:
    """Take the newest such message out of an inbox.

    Raises:
        FormatError: ``json-invalid``; ``item-not-there``, it has no such message.
    """
    known = list(_spans(_array(text)))
    places = [place for place, span in enumerate(known) if _is_same(span.held, said)]
    if not places:
        raise FormatError("item-not-there", text=said["summary"])
    place = places[-1]
    if place:
        return text[: known[place - 1].end] + text[known[place].end :]
    if len(known) > 1:
        return text[: known[0].start] + text[known[1].start :]
    return text[: known[0].start].rstrip(_SPACE) + text[known[0].end :].lstrip(_SPACE)


def messages_like(text: str, said: Mapping[str, str]) -> int:
    """Count the messages of an inbox with this sender and text; read ones too."""
    return sum(_is_same(span.held, said) for span in _spans(_array(text)))


def _is_same(held: object, said: Mapping[str, str]) -> bool:
    return isinstance(held, dict) and all(
        held.get(name) == said[name] for name in ("from", "text")
    )


def _array(text: str) -> str:
    """Return the text of an inbox; an empty file is an empty inbox.

    Raises:
        FormatError: ``json-invalid``, it is no array.
    """
    if not text.strip("\ufeff" + _SPACE):
        return "[]"
    if not isinstance(parse_json(text), list):
        raise FormatError("json-invalid", 1, reason="not an array")
    return text


def agent_of_list(path: PurePosixPath) -> str:
    """Return the agent of the tasks in a list that name no owner; empty if unknown.

    The list of a session is called by its id, and is Claude's own.
    """
    return "claude" if _SESSION.fullmatch(path.parent.name) else ""


def _task(text: str, held: dict[str, Any]) -> TeamFile:
    """Return a task as an open item of its owner; a deleted one is none."""
    subject, status = _text(held, "subject"), _text(held, "status")
    waits = held.get("blockedBy")
    ids = [str(one)[:20] for one in waits[:20]] if isinstance(waits, list) else []
    tail = f" (blocked by {', '.join(ids)})" if ids and status != "completed" else ""
    mark = _MARKS.get(status, " ")
    item = OpenItem(subject + tail, status == "completed", mark, _whole(text))
    is_there = bool(subject) and status != "deleted"
    stated = Stated(open_items=(item,)) if is_there else Stated()
    return TeamFile(text, (), stated, subject, author=_text(held, "owner"))


def _members(held: object) -> Iterator[facts.Agent]:
    for one in held[:_MEMBERS] if isinstance(held, list) else ():
        if isinstance(one, dict) and (name := _text(one, "name")):
            yield facts.Agent(name, Lines(1, 1), _text(one, "agentType"))


def _messages(text: str) -> Iterator[Entry]:
    """Yield the messages of an inbox that an agent wrote, not the program's own."""
    for held, lines in _elements(text):
        said = held.get("text") if isinstance(held, dict) else None
        if not isinstance(said, str) or (
            not said.strip() or (said.lstrip().startswith("{") and '"type"' in said)
        ):
            continue
        body = said[:_LONGEST].strip()
        title = _text(held, "summary") or first_sentence(said[:_LONGEST])
        sender = _text(held, "from")
        named = f"{sender}: {title}" if sender else title
        at = Time(parse_timestamp(_text(held, "timestamp")))
        yield Entry(named[:_TITLE], body, lines, at, agent=sender, kind="entry")


class _Span(NamedTuple):
    """An element of an array, and where it stands in the text."""

    held: Any
    start: int
    end: int


def _spans(text: str) -> Iterator[_Span]:
    """Yield the elements of an array; the text is valid."""
    decoder = json.JSONDecoder()
    end = text.find("[") + 1
    while True:
        start = end
        while start < len(text) and text[start] in _SPACE + ",":
            start += 1
        if start >= len(text) or text[start] == "]":
            return
        held, end = decoder.raw_decode(text, start)
        yield _Span(held, start, end)


def _elements(text: str) -> Iterator[tuple[Any, Lines]]:
    """Yield the elements of an array, each with its lines; the text is valid."""
    line, place = 1, 0
    for held, start, end in _spans(text):
        line += text.count("\n", place, start)
        last = line + text.count("\n", start, end)
        yield held, Lines(line, last)
        line, place = last, end


def _text(held: dict[str, Any], key: str) -> str:
    said = held.get(key)
    return " ".join(said[:_LONGEST].split()) if isinstance(said, str) else ""


def _whole(text: str) -> Lines:
    return Lines(1, max(1, text.rstrip().count("\n") + 1))


DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Teams and tasks of Claude Code"),
    kind=gettext_noop("agent team"),
    order=30,
    matches=matches,
    parse=parse,
    is_data=True,
    declares_agents=True,
    hands_over=lambda path: is_inbox(str(path)),
    program=gettext_noop("Claude Code task"),
    is_read_only=True,
)
