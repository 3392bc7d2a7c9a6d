"""Verbs on daily logs and on whole files: append, place, tick, replace, remove. Pure.

A log has many writers: an addition follows whatever is in it by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from memoryhub.dialects.task_snapshot import (
    SECTIONS,
    SnapshotDraft,
    append_block,
    find_snapshots,
    next_snapshot_id,
    render_snapshot,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb

CLOSE, REOPEN = "close_item", "reopen_item"


def _counted(text: str, payload: Payload) -> dict[str, int]:
    """Return how often the old and the new lines are in the text."""
    lines = bare_lines(text)
    blocks = sorted((payload["old"], payload["new"]))
    return {"\n".join(block): len(_places(lines, block)) for block in blocks}


def _replace_mark(text: str, payload: Payload, limits: Limits) -> str:
    """Replace the old lines nearest to their known place; line ends stay.

    Raises:
        FormatError: ``item-not-there``.
    """
    lines, old = split_lines(text), payload["old"]
    places = _places(bare_lines(text), old)
    if not places:
        raise FormatError("item-not-there", text=payload["label"])
    start = min(places, key=lambda place: abs(place + 1 - payload["line"]))
    for number, new in enumerate(payload["new"], start):
        bare = lines[number].rstrip("\r\n")
        lines[number] = new + lines[number][len(bare) :]
    return "".join(lines)


def _swapped(payload: Payload) -> Payload:
    """Return the payload of the undo of a replaced line."""
    return {**payload, "old": payload["new"], "new": payload["old"]}


def bare_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    return [line.rstrip("\r\n") for line in split_lines(text)]


def _places(lines: list[str], block: list[str]) -> list[int]:
    """Return where a block of lines begins, counted from 0."""
    first, size = block[0], len(block)
    return [
        place
        for place, line in enumerate(lines)
        if line == first and lines[place : place + size] == block
    ]


#: The verbs on open items, by name.
ITEM_VERBS: Mapping[str, Verb] = {
    CLOSE: Verb(_counted, _replace_mark, lambda t, p, _: (REOPEN, _swapped(p))),
    REOPEN: Verb(_counted, _replace_mark, lambda t, p, _: (CLOSE, _swapped(p))),
}


def joined(log: str, addition: str) -> str:
    """Return a log with a text appended, by the rule of OpenClaw's own append.

    A newline is inserted only if neither of them has one there.
    """
    has_end = not log or log.endswith("\n") or addition.startswith("\n")
    return log + ("" if has_end else "\n") + addition


def _count(log: str, payload: Payload) -> int:
    """Return the number of occurrences of a text in a log as whole lines."""
    wanted, text = payload["text"].replace("\r", "").strip("\n"), log.replace("\r", "")
    size, count, place = len(wanted), 0, 0
    if text.startswith(wanted) and text[size : size + 1] in ("", "\n"):
        count, place = 1, size
    while (found := text.find(f"\n{wanted}\n", place)) >= 0:
        # The newline behind it may be the one before the next.
        count, place = count + 1, found + size + 1
    is_last = len(text) > place + size and text.endswith(f"\n{wanted}")
    return count + is_last


def _append(log: str, payload: Payload, limits: Limits) -> str:
    return joined(log, payload["text"])


def _unappend(log: str, payload: Payload, limits: Limits) -> Inverse:
    return "remove_text", _placed(log, _append(log, payload, limits), payload)


def _placed(log: str, after: str, payload: Payload) -> Payload:
    """Return a payload with the text added to a log, and its offset."""
    return {**payload, "added": after[len(log) :], "at": len(log)}


def _remove(log: str, payload: Payload, limits: Limits) -> str:
    """Remove exactly the added text, if it is still at its offset."""
    before, rest = log[: payload["at"]], log[payload["at"] :]
    if not rest.startswith(payload["added"]):
        raise FormatError("item-not-there", text=payload["label"])
    rest = rest.removeprefix(payload["added"])
    return joined(before, rest) if rest else before


def _snapshot_id(log: str, payload: Payload) -> str:
    """Return the id of the payload's snapshot in a log; empty for none.

    Of equal ones it is the last; a payload with an id means that one alone.
    """
    draft = _draft(payload)
    equal = [
        found.snapshot_id
        for found in find_snapshots(log)
        if found.timestamp == draft.timestamp
        and _block(draft, found.snapshot_id).endswith(_ended(found.block))
    ]
    wanted = payload.get("snapshot_id", equal[-1] if equal else "")
    return wanted if wanted in equal else ""


def _ended(block: str) -> str:
    return block.replace("\r\n", "\n").rstrip("\n") + "\n"


def _draft(payload: Payload) -> SnapshotDraft:
    when = datetime.fromisoformat(payload["timestamp"])
    return SnapshotDraft(when, "", **payload["draft"])


def _block(draft: SnapshotDraft, snapshot_id: str) -> str:
    return render_snapshot(replace(draft, snapshot_id=snapshot_id))


def _append_snapshot(log: str, payload: Payload, limits: Limits) -> str:
    """Append a snapshot under the next id of its day in the current log.

    Raises FormatError ``snapshot-breaks-block`` for a value that would be parsed
    differently.
    """
    draft = _draft(payload)
    day = draft.timestamp.date()
    taken = (found.snapshot_id for found in find_snapshots(log))
    block = _block(draft, next_snapshot_id(day, taken))
    read = find_snapshots(block)
    titles = [section.title for snapshot in read for section in snapshot.sections]
    if titles != list(SECTIONS):
        odd = next((t for t in titles if titles.count(t) > 1), "")
        raise FormatError("snapshot-breaks-block", section=odd)
    return append_block(log or f"# {day.isoformat()}\n", block)


def _unappend_snapshot(log: str, payload: Payload, limits: Limits) -> Inverse:
    after = _append_snapshot(log, payload, limits)
    placed = _placed(log, after, payload)
    return "remove_snapshot", {**placed, "snapshot_id": _snapshot_id(after, payload)}


def _unremove_snapshot(log: str, payload: Payload, limits: Limits) -> Inverse:
    kept = ("draft", "timestamp", "label")
    return "append_snapshot", {k: payload[k] for k in kept}


#: The verbs on daily logs, by name.
LOG_VERBS: Mapping[str, Verb] = {
    "append_text": Verb(_count, _append, _unappend, makes_events=True, adds=True),
    "remove_text": Verb(
        _count,
        _remove,
        lambda _, p, __: ("append_text", {k: p[k] for k in ("text", "label")}),
    ),
    "append_snapshot": Verb(
        _snapshot_id, _append_snapshot, _unappend_snapshot, makes_events=True, adds=True
    ),
    "remove_snapshot": Verb(_snapshot_id, _remove, _unremove_snapshot),
}


def _identity(text: str, payload: Payload) -> str:
    """Return the hash that identifies a file's text; empty for a missing file."""
    data = text.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest() if text else ""


def _place(text: str, payload: Payload, limits: Limits) -> str:
    if text:
        raise FormatError("file-is-there")
    return str(payload["text"])


#: The verbs on whole files, by name.
FILE_VERBS: Mapping[str, Verb] = {
    "place_file": Verb(_identity, _place, lambda t, p, _: ("remove_file", p)),
    "remove_file": Verb(
        _identity,
        lambda *_: "",
        lambda t, p, _: ("place_file", {**p, "text": t}),
        removes=True,
    ),
    "replace_file": Verb(
        _identity,
        lambda _, p, __: str(p["text"]),
        lambda t, p, _: ("replace_file", {**p, "text": t}),
    ),
}
