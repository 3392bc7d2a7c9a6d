"""A transcript written back in its original form, with fewer or shorter messages.

Unchanged entries keep their characters. Links to the previous entry are updated where
entries are gone, so that hosts can continue from the file.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memoryhub.compaction.bodies import with_outputs
from memoryhub.compaction.messages import NEW, Message, session_tokens
from memoryhub.compaction.transcript import Entry, Form, Transcript

#: The keys of an entry's id and of its parent's id.
_CHAINS: Mapping[Form, tuple[str, str]] = {
    "openclaw": ("id", "parentId"),
    "claude-code": ("uuid", "parentUuid"),
}
#: Fields a new entry of Claude Code shares with its neighbours.
_SHARED = ("userType", "cwd", "sessionId", "version", "gitBranch", "timestamp")

Data = dict[str, Any]


def render(transcript: Transcript, messages: Sequence[Message]) -> str:
    """Return the text of a transcript with these messages instead of its session's."""
    if tuple(messages) == transcript.messages:
        return transcript.text
    sources = [message.source for message in messages]
    if sources == [message.source for message in transcript.messages]:
        changed = _changed(transcript, messages)
        entries = enumerate(transcript.entries)
        return _joined(transcript, (changed.get(at, entry) for at, entry in entries))
    return _joined(transcript, _linked(transcript.form, _left(transcript, messages)))


def _left(transcript: Transcript, messages: Sequence[Message]) -> Iterator[Entry]:
    """Yield the entries before the first message, and those of the remaining messages.

    Other entries stay with the message before them.
    """
    changed = _changed(transcript, messages)
    yield from _others(transcript.entries, 0)
    for message, follower in zip(messages, [*messages[1:], None], strict=True):
        if message.source == NEW:
            yield _new_entry(transcript, message, follower)
        else:
            yield changed[message.source]
            yield from _others(transcript.entries, message.source + 1)


def _others(entries: Sequence[Entry], start: int) -> Iterator[Entry]:
    """Yield the entries from an index up to the next message."""
    for at in range(start, len(entries)):
        if entries[at].body is not None:
            return
        yield entries[at]


def _changed(transcript: Transcript, messages: Iterable[Message]) -> dict[int, Entry]:
    before = {message.source: message for message in transcript.messages}
    entries = transcript.entries
    return {
        at: _entry(entries[at], before[at], message)
        for message in messages
        if (at := message.source) != NEW
    }


def _entry(entry: Entry, before: Message, after: Message) -> Entry:
    """Return an entry with a message's outputs; unchanged if they are equal."""
    if before == after or entry.data is None:
        return entry
    inner = entry.data.get("message")
    if isinstance(inner, dict):
        return _made({**entry.data, "message": with_outputs(inner, before, after)})
    return _made(with_outputs(entry.data, before, after))


def _made(data: Data) -> Entry:
    return Entry("", data, data)


def _new_entry(
    transcript: Transcript, message: Message, follower: Message | None
) -> Entry:
    """Return an entry for a message of the hub's own, in the host's form."""
    original = transcript.entries[follower.source].data if follower else None
    text = message.text
    match transcript.form:
        case "openclaw":
            data = _openclaw(text, original or {}, session_tokens(transcript.messages))
        case "claude-code":
            data = _claude_code(text, original or {})
        case "compact-rs":
            blocks = [{"type": "text", "text": text}]
            data = {"role": "system", "blocks": blocks}
        case "messages":
            role = "user" if message.role == "summary" else message.role
            data = {"role": role, "content": text}
    return _made(data)


def _openclaw(text: str, original: Data, tokens: int) -> Data:
    return {
        "type": "compaction",
        "id": _derived(text).hex[:8],
        "parentId": None,
        "timestamp": original.get("timestamp"),
        "summary": text,
        "firstKeptEntryId": original.get("id"),
        "tokensBefore": tokens,
    }


def _claude_code(text: str, original: Data) -> Data:
    return {
        "parentUuid": None,
        "isSidechain": False,
        **{key: original[key] for key in _SHARED if key in original},
        "type": "user",
        "isCompactSummary": True,
        "message": {"role": "user", "content": text},
        "uuid": str(_derived(text)),
    }


def _derived(text: str) -> uuid.UUID:
    """Return an id derived from a text: the same text always has the same id."""
    return uuid.uuid5(uuid.NAMESPACE_OID, text)


def _linked(form: Form, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries with each parent link set to the entry before it."""
    if form not in _CHAINS:
        yield from entries
        return
    own, parent = _CHAINS[form]
    last = None
    for entry in entries:
        data = entry.data or {}
        if parent in data and data[parent] != last:
            yield _made({**data, parent: last})
        else:
            yield entry
        last = data.get(own, last) if parent in data else last


def _joined(transcript: Transcript, entries: Iterable[Entry]) -> str:
    """Return entries as lines, or in their original list or object."""
    around = transcript.around
    if around is None:
        return "".join(f"{entry.raw or _json(entry.data)}\n" for entry in entries)
    items = [entry.data for entry in entries]
    whole = items if isinstance(around, list) else {**around, "messages": items}
    return _json(whole, indent=2 if "\n" in transcript.text.strip() else None)


def _json(value: Any, *, indent: int | None = None) -> str:
    """Return readable JSON, escaped if it has characters that cannot be encoded."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text
