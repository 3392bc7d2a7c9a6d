"""Comparison of a scan with the hub's known files. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memoryhub.formats.copies import original_of
from memoryhub.sync.scan.walk import FoundFile

#: Thresholds of a mass deletion: all of two or more files, or over half of five or
#: more. An unmounted folder looks the same.
_ALL_OF, _HALF_OF = 2, 5
#: Files of a sync whose rows are made at once.
FIRST_FILES = 100
#: The name of a log of a whole day.
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")


class KnownFile(NamedTuple):
    """A file's state at the last sync."""

    size: int
    mtime_ns: int
    sha256: str
    recheck: bool


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Plan of a sync: files to read, and missing files.

    `read` is in import order: files that declare agents and topics come before the logs
    assigned by them.
    """

    read: tuple[FoundFile, ...]
    gone: tuple[str, ...]


def make_plan(
    found: Iterable[FoundFile],
    known: Mapping[str, KnownFile],
    unreadable: Iterable[str] = (),
) -> SyncPlan:
    """Plan a sync.

    Files below an `unreadable` path do not count as missing.
    """
    read, seen = [], set()
    for file in found:
        seen.add(file.path)
        before = known.get(file.path)
        if before is None or before.recheck or is_other(file, before):
            read.append(file)
    hidden = tuple(unreadable)
    gone = [path for path in known if path not in seen and not _below(path, hidden)]
    return SyncPlan(tuple(sorted(read, key=import_order)), tuple(sorted(gone)))


def is_other(file: FoundFile, known: KnownFile) -> bool:
    """Return whether a file's size or time differ from those of the last sync."""
    return (known.size, known.mtime_ns) != (file.size, file.mtime_ns)


def gone_at_once(gone: int, known: int) -> bool:
    """Return whether too many known files are missing to record them as deleted."""
    return gone == known >= _ALL_OF or (known >= _HALF_OF and 2 * gone > known)


def held_back(
    gone: Collection[str], known: int, held: Collection[str], *, accepted: bool
) -> frozenset[str]:
    """Return the missing files to hold; the others are recorded as deleted.

    Files `held` before stay held until that is `accepted`. The others are judged
    together, against the `known` files that were present. Accepting covers them only if
    none was held before: otherwise no person has seen them.
    """
    still = frozenset(gone) & frozenset(held)
    fresh = frozenset(gone) - still
    is_held = gone_at_once(len(fresh), known - len(still))
    if is_held and (still or not accepted):
        return fresh if accepted else still | fresh
    return frozenset() if accepted else still


def import_order(file: FoundFile) -> tuple[int, str]:
    """Return the sort key of a file's import.

    Declarations and topics come first, logs of a whole day last: saved sessions, which
    have a time or a title behind the day, may name the agent of those logs. Copies of a
    file come behind it.
    """
    name = file.path.rpartition("/")[2].lower()
    if original_of(file.path):
        return 4, file.path
    if name in {"identity.md", "agents.md", "context-session-map.json"}:
        return 0, file.path
    if name.startswith("context-"):
        return 1, file.path
    return 3 if _DAY.fullmatch(name) else 2, file.path


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(
        folder in {".", path} or path.startswith(folder + "/") for folder in folders
    )
