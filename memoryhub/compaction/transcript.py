"""Parser of session transcripts in JSON or JSONL; never fails on entries.

OpenClaw's and Clawdbot's session files, Claude Code's, plain lists of messages and
compact.rs's sessions. An unreadable entry is a problem with its line.

OpenClaw's files are trees: the branch of the newest entry is active, from the first
entry kept by its last compaction. Claude Code's are read from the last compaction on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from memoryhub.compaction.bodies import Body, message_of
from memoryhub.compaction.messages import Message
from memoryhub.formats.base import FormatError, Problem
from memoryhub.formats.text.javascript import parse_json

#: Type of an entry, in the words of the program that wrote it.
Form = Literal["openclaw", "claude-code", "messages", "compact-rs"]

_OPENCLAW = ("session", "message", "compaction", "branch_summary")

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A raw line of JSONL, or an item of a JSON list.

    `data` is None if it cannot be parsed; `body` is the message in it, if any.
    """

    raw: str
    data: dict[str, Any] | None
    body: Body | None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript's entries, and the messages still in its session's context.

    `around` is the JSON object that holds the list of messages, or the list itself;
    None for JSONL.
    """

    text: str
    form: Form
    entries: tuple[Entry, ...]
    messages: tuple[Message, ...]
    problems: tuple[Problem, ...]
    around: dict[str, Any] | list[Any] | None

    @property
    def folder(self) -> str:
        """The working folder that the newest entry with one names; else empty."""
        said = (entry.data.get("cwd") for entry in reversed(self.entries) if entry.data)
        return next((cwd for cwd in said if cwd and isinstance(cwd, str)), "")


def read(text: str) -> Transcript:
    """Return the transcript of a text; for any other text one without messages."""
    problems: list[Problem] = []
    try:
        whole = _whole(text)
    except FormatError as error:
        problems.append(Problem(error.code, error.line, error.parameters))
        return _transcript(text, [], problems, None)
    if whole is None:
        entries = list(_lines(text, problems))
    else:
        items = whole if isinstance(whole, list) else whole["messages"]
        entries = [_entry("", item, 0, problems) for item in items]
    return _transcript(text, entries, problems, whole)


def _whole(text: str) -> dict[str, Any] | list[Any] | None:
    """Parse a text as one JSON value; None for JSON Lines.

    Raises `FormatError` for a list that is not valid.
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start not in ("[", "{"):
        return None
    try:
        value: Any = parse_json(text)
    except FormatError:
        if start == "[":
            raise
        return None
    is_whole = isinstance(value, list) or isinstance(value.get("messages"), list)
    return cast("dict[str, Any] | list[Any]", value) if is_whole else None


def _lines(text: str, problems: list[Problem]) -> Iterator[Entry]:
    """Yield the entry of each non-blank line."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        raw = line.rstrip("\r")
        if raw.strip():
            try:
                yield _entry(raw, parse_json(raw), number, problems)
            except FormatError as error:
                problems.append(Problem(error.code, number, error.parameters))
                yield Entry(raw, None, None)


def _entry(raw: str, data: Any, line: int, problems: list[Problem]) -> Entry:
    if isinstance(data, dict):
        return Entry(raw, data, _body(data))
    problems.append(Problem("message-not-an-object", line, {}))
    return Entry(raw, None, None)


def _body(data: dict[str, Any]) -> Body | None:
    """Return the message an entry is or holds; a summary counts as one."""
    kind = data.get("type")
    if kind in ("compaction", "branch_summary"):
        return {"role": "compactionSummary", "content": data.get("summary", "")}
    inner = data.get("message")
    if isinstance(inner, dict):
        is_summary = data.get("isCompactSummary") is True
        role = "compactionSummary" if is_summary else inner.get("role") or kind
        return {**inner, "role": role}
    return data if isinstance(data.get("role"), str) else None


def _transcript(
    text: str, entries: Sequence[Entry], problems: Sequence[Problem], around: Any
) -> Transcript:
    forms = (_form_of(entry.data) for entry in entries if entry.data)
    form: Form = next((form for form in forms if form), "messages")
    active = active_entries(form, [entry.data or {} for entry in entries])
    messages = tuple(_messages(entries, active))
    return Transcript(text, form, tuple(entries), messages, tuple(problems), around)


def _messages(entries: Sequence[Entry], active: Iterable[int]) -> Iterator[Message]:
    names: dict[str, str] = {}
    for source in active:
        body = entries[source].body
        if body is not None:
            message = message_of(body, source, names)
            names |= {use.id: use.name for use in message.uses if use.id}
            yield message


def _form_of(data: dict[str, Any]) -> Form | None:
    if "role" in data:
        return "compact-rs" if "blocks" in data else "messages"
    if "message" in data and data.get("type") in ("user", "assistant"):
        return "claude-code"
    return "openclaw" if data.get("type") in _OPENCLAW else None


def active_entries(form: str, entries: Sequence[Data]) -> Sequence[int]:
    """Return the indexes of the active entries, in order."""
    if form == "openclaw":
        way = _branch(entries)
        compactions = [
            n for n, at in enumerate(way) if entries[at].get("type") == "compaction"
        ]
        if not compactions:
            return list(way)
        last = compactions[-1]
        kept = _id_in(entries[way[last]], "firstKeptEntryId")
        ids = [_id_in(entries[at], "id") for at in way[:last]]
        first = ids.index(kept) if kept and kept in ids else last
        return [way[last], *way[first:last], *way[last + 1 :]]
    if form == "claude-code":
        starts = [
            n for n, d in enumerate(entries) if d.get("subtype") == "compact_boundary"
        ]
        start = starts[-1] if starts else 0
        said = [n for n in range(start, len(entries)) if "message" in entries[n]]
        main = [n for n in said if entries[n].get("isSidechain") is not True]
        return main or said
    return range(len(entries))


def _branch(entries: Sequence[Data]) -> list[int]:
    """Return the path to the newest entry; an unknown parent is the entry before.

    Old session files name no parents at all.
    """
    nodes = [at for at, data in enumerate(entries) if data.get("type") != "session"]
    before = dict(zip(nodes[1:], nodes, strict=False))
    places = {_id_in(entries[at], "id"): at for at in reversed(nodes)}
    places.pop("", None)
    way: dict[int, None] = {}
    at: int | None = nodes[-1] if nodes else None
    while at is not None and at not in way:
        way[at] = None
        data = entries[at]
        is_root = "parentId" in data and data["parentId"] is None
        parent = places.get(_id_in(data, "parentId"), before.get(at))
        at = None if is_root else parent
    return list(reversed(way))


def _id_in(data: Data, key: str) -> str:
    found = data.get(key)
    return found if isinstance(found, str) else ""
