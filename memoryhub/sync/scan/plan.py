"""Comparison of a scan with the hub's known files. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memoryhub.sync.scan.walk import FoundFile

#: Thresholds of a mass deletion: all of two or more files, or over half of twenty or
#: more. An unmounted folder looks the same.
_ALL_OF, _HALF_OF = 2, 20


class KnownFile(NamedTuple):
    """A file's state at the last sync."""

    size: int
    mtime_ns: int
    sha256: str
    recheck: bool


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Plan of a sync: files to read, missing files, number of unchanged ones.

    `read` is in import order: files that declare agents and topics come before the logs
    assigned by them.
    """

    read: tuple[FoundFile, ...]
    gone: tuple[str, ...]
    kept: int


def make_plan(
    found: Iterable[FoundFile],
    known: Mapping[str, KnownFile],
    unreadable: Iterable[str] = (),
) -> SyncPlan:
    """Plan a sync.

    Files below an `unreadable` path do not count as missing.
    """
    read, seen, kept = [], set(), 0
    for file in found:
        seen.add(file.path)
        before = known.get(file.path)
        if (
            before is not None
            and before.mtime_ns == file.mtime_ns
            and before.size == file.size
            and not before.recheck
        ):
            kept += 1
        else:
            read.append(file)
    hidden = tuple(unreadable)
    gone = [path for path in known if path not in seen and not _below(path, hidden)]
    return SyncPlan(tuple(sorted(read, key=import_order)), tuple(sorted(gone)), kept)


def gone_at_once(gone: int, known: int) -> bool:
    """Return whether too many known files are missing to record them as deleted."""
    return gone == known >= _ALL_OF or (known >= _HALF_OF and 2 * gone > known)


class Gone(NamedTuple):
    """Missing files: recorded as deleted, or held."""

    deleted: frozenset[str]
    held: frozenset[str]


def parted(
    gone: Collection[str], known: int, held: Collection[str], *, accepted: bool
) -> Gone:
    """Split the missing files into deleted and held ones.

    Files `held` before stay held until that is `accepted`. The others are judged
    together, against the `known` files that were present. Accepting covers them only if
    none was held before: otherwise no person has seen them.
    """
    still = frozenset(gone) & frozenset(held)
    fresh = frozenset(gone) - still
    is_held = gone_at_once(len(fresh), known - len(still))
    if is_held and (still or not accepted):
        return Gone(still, fresh) if accepted else Gone(frozenset(), still | fresh)
    return Gone(still | fresh, frozenset()) if accepted else Gone(fresh, still)


def import_order(file: FoundFile) -> tuple[int, str]:
    """Return the sort key of a file's import: declarations, topics, then the rest."""
    name = file.path.rpartition("/")[2].lower()
    if name in {"identity.md", "agents.md", "context-session-map.json"}:
        return 0, file.path
    if name.startswith("context-"):
        return 1, file.path
    return 2, file.path


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(
        folder in {".", path} or path.startswith(folder + "/") for folder in folders
    )
