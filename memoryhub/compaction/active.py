"""Active entries of a session file: those the session still has in its context.

OpenClaw's files are trees: the branch of the newest entry counts, from the first entry
kept by its last compaction. Claude Code's are read in order from the last compaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]


def active_entries(form: str, entries: Sequence[Data]) -> Sequence[int]:
    """Return the indexes of the active entries, in order."""
    if form == "openclaw":
        return _after_compaction(entries, _branch(entries))
    if form == "claude-code":
        return _main_line(entries)
    return range(len(entries))


def _branch(entries: Sequence[Data]) -> list[int]:
    """Return the path to the newest entry; an unknown parent is the entry before.

    Old session files name no parents at all.
    """
    nodes = [at for at, data in enumerate(entries) if data.get("type") != "session"]
    before = dict(zip(nodes[1:], nodes, strict=False))
    places = {_id(entries[at], "id"): at for at in reversed(nodes)}
    places.pop("", None)
    way: dict[int, None] = {}
    at: int | None = nodes[-1] if nodes else None
    while at is not None and at not in way:
        way[at] = None
        data = entries[at]
        is_root = "parentId" in data and data["parentId"] is None
        parent = places.get(_id(data, "parentId"), before.get(at))
        at = None if is_root else parent
    return list(reversed(way))


def _after_compaction(entries: Sequence[Data], way: Sequence[int]) -> list[int]:
    """Return the newest compaction, the entries it kept, and those after it."""
    compactions = [
        n for n, at in enumerate(way) if entries[at].get("type") == "compaction"
    ]
    if not compactions:
        return list(way)
    last = compactions[-1]
    kept = _id(entries[way[last]], "firstKeptEntryId")
    ids = [_id(entries[at], "id") for at in way[:last]]
    first = ids.index(kept) if kept and kept in ids else last
    return [way[last], *way[first:last], *way[last + 1 :]]


def _main_line(entries: Sequence[Data]) -> list[int]:
    """Return the entries outside side chains; all, if the whole file is one."""
    starts = [
        n for n, d in enumerate(entries) if d.get("subtype") == "compact_boundary"
    ]
    start = starts[-1] if starts else 0
    said = [n for n in range(start, len(entries)) if "message" in entries[n]]
    main = [n for n in said if entries[n].get("isSidechain") is not True]
    return main or said


def _id(data: Data, key: str) -> str:
    found = data.get(key)
    return found if isinstance(found, str) else ""
