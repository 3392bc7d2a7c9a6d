"""Compare what a scan found with what the hub knows. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memoryhub.sync.scan.walk import FoundFile

#: So many files, all gone together, or more than half of so many: a folder that is not
#: mounted looks the same.
_ALL_OF, _HALF_OF = 2, 20


class KnownFile(NamedTuple):
    """What the last sync saw of a file."""

    size: int
    mtime_ns: int
    sha256: str
    recheck: bool


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Which files to read, which are gone, and how many are as they were.

    `read` is in the order of import: files that say who and what there is come
    before the logs that are told apart by them.
    """

    read: tuple[FoundFile, ...]
    gone: tuple[str, ...]
    kept: int


def make_plan(
    found: Iterable[FoundFile],
    known: Mapping[str, KnownFile],
    unreadable: Iterable[str] = (),
) -> SyncPlan:
    """Return what a sync has to do.

    A file below an `unreadable` path is not gone: it was only not seen.
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
    """Tell whether too many of the known files are gone to be deleted unasked."""
    return gone == known >= _ALL_OF or (known >= _HALF_OF and 2 * gone > known)


class Gone(NamedTuple):
    """What becomes of files that are gone: some were deleted, others are held."""

    deleted: frozenset[str]
    held: frozenset[str]


def parted(
    gone: Collection[str], known: int, held: Collection[str], *, accepted: bool
) -> Gone:
    """Return which of the files that are gone were deleted, and which are held.

    Those `held` before are held until that is `accepted`. Any other is judged with
    those that went with it, among the `known` files that were there; accepted are they
    only where none was held before: nobody has seen them.
    """
    still = frozenset(gone) & frozenset(held)
    fresh = frozenset(gone) - still
    is_held = gone_at_once(len(fresh), known - len(still))
    if is_held and (still or not accepted):
        return Gone(still, fresh) if accepted else Gone(frozenset(), still | fresh)
    return Gone(still | fresh, frozenset()) if accepted else Gone(fresh, still)


def import_order(file: FoundFile) -> tuple[int, str]:
    """Return the place of a file in an import: declarations, topics, then the rest."""
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
