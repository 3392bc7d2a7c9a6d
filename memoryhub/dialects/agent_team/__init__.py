"""Agent teams of Claude Code: tasks, members and inboxes, as JSON.

``tasks/<list>/<n>.json``, ``teams/<team>/config.json`` and
``teams/<team>/inboxes/<agent>.json`` in ``~/.claude``. What a file is, its content
says. Messages can be added to an inbox; its other bytes stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from memoryhub.dialects import facts
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Document, Entry, dated, whole_lines
from memoryhub.formats.base import NO_PATH, FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json, stringify, text_of
from memoryhub.formats.text.source import first_sentence
from memoryhub.prose.stated import OpenItem, Stated

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


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the task, the members or the messages of any text; it never fails."""
    try:
        held = parse_json(text) if text.strip("\ufeff \t\r\n") else None
    except FormatError as error:
        problem = Problem(error.code, error.line, error.parameters)
        return of_team(text, path, problems=(problem,))
    if isinstance(held, list):
        return of_team(text, path, parts=tuple(_messages(text, path)))
    if isinstance(held, dict) and "subject" in held:
        return _task(text, path, held)
    members = held.get("members") if isinstance(held, dict) else None
    return of_team(text, path, told=tuple(_members(members)))


def of_team(
    text: str, path: PurePosixPath, title: str = "", author: str = "", **said: Any
) -> Document:
    """Return a document of its owner, and of the agent of its list, or of nobody."""
    authors = tuple(filter(None, (author, agent_of_list(path))))
    return Document(
        text, title, authors=authors, time=dated(None, path), names_people=True, **said
    )


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


def _task(text: str, path: PurePosixPath, held: dict[str, Any]) -> Document:
    """Return a task as an open item of its owner; a deleted one is none."""
    subject, status = text_of(held, "subject", _LONGEST), text_of(held, "status")
    waits = held.get("blockedBy")
    ids = [str(one)[:20] for one in waits[:20]] if isinstance(waits, list) else []
    tail = f" (blocked by {', '.join(ids)})" if ids and status != "completed" else ""
    mark, lines = _MARKS.get(status, " "), whole_lines(text)
    item = OpenItem(subject + tail, status == "completed", mark, lines)
    is_there = bool(subject) and status != "deleted"
    stated = Stated(open_items=(item,)) if is_there else Stated()
    return of_team(text, path, subject, text_of(held, "owner"), stated=stated)


def _members(held: object) -> Iterator[facts.Agent]:
    for one in held[:_MEMBERS] if isinstance(held, list) else ():
        if isinstance(one, dict) and (name := text_of(one, "name")):
            yield facts.Agent(name, Lines(1, 1), text_of(one, "agentType"))


def _messages(text: str, path: PurePosixPath) -> Iterator[Entry]:
    """Yield the messages of an inbox that an agent wrote, not the program's own."""
    line, place = 1, 0
    for held, start, end in _spans(text):
        line += text.count("\n", place, start)
        lines = Lines(line, line + text.count("\n", start, end))
        line, place = lines.last, end
        said = held.get("text") if isinstance(held, dict) else None
        if not isinstance(said, str) or (
            not said.strip() or (said.lstrip().startswith("{") and '"type"' in said)
        ):
            continue
        body = said[:_LONGEST].strip()
        title = text_of(held, "summary", _LONGEST) or first_sentence(said[:_LONGEST])
        sender = text_of(held, "from")
        named = f"{sender}: {title}" if sender else title
        at = dated(parse_timestamp(text_of(held, "timestamp")), path)
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


DIALECT = Dialect(
    title=gettext_noop("Teams and tasks of Claude Code"),
    kind=gettext_noop("agent team"),
    order=30,
    is_data=True,
    declares_agents=True,
    hands_over=lambda path: is_inbox(str(path)),
    program=gettext_noop("Claude Code task"),
    is_read_only=True,
)
