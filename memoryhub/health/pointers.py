"""Targets of the pointers in ``MEMORY.md``: files found, and fate of missing ones."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.db.models import Q

from memoryhub.dialects.memory_index import Pointer
from memoryhub.journal.models import Revision, Workspace

#: Limits of broken pointers explained, of targets guessed, and of candidate files.
_BROKEN = 100
_GUESSED, _CANDIDATES = 30, 40
_ALIKE = 0.6
_START = 4
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class Fate:
    """The last event of a missing target in its journal.

    `verb` is "moved", "deleted" or empty if there never was such a file.
    """

    verb: str = ""
    path: str = ""
    run_number: int | None = None


@dataclass(frozen=True, slots=True)
class BrokenPointer:
    """A pointer to nothing, the reason, and its most likely target."""

    pointer: Pointer
    fate: Fate
    likely: str

    @property
    def target(self) -> str:
        """The target as written in the file."""
        return self.pointer.target + self.pointer.anchor


@dataclass(frozen=True, slots=True)
class Pointed:
    """The targets of pointers: files, folders with a slash, and broken pointers."""

    index: str
    files: frozenset[str]
    broken: tuple[BrokenPointer, ...]
    outside: int
    total: int


def follow(
    workspace: Workspace, index: str, pointers: Sequence[Pointer], files: Iterable[str]
) -> Pointed:
    """Resolve the pointers of the file `index` among the given files.

    A path that leaves the workspace is not checked. One query if some are missing.
    """
    there = set(files)
    reached, missing, outside = _reach(index, pointers, there)
    missing = dict(list(missing.items())[:_BROKEN])
    broken = _explained(workspace, index, missing, there)
    return Pointed(index, frozenset(reached), broken, outside, len(pointers))


def count_broken(index: str, pointers: Sequence[Pointer], files: Iterable[str]) -> int:
    """Return the number of pointers `follow` would report broken, without reasons."""
    _, missing, _ = _reach(index, pointers, set(files))
    return min(len(missing), _BROKEN)


def _reach(
    index: str, pointers: Sequence[Pointer], there: set[str]
) -> tuple[set[str], dict[str, Pointer], int]:
    """Return the targets that exist, the missing ones, and how many are outside."""
    folders = {parent for path in there for parent in _parents(path)}
    reached: set[str] = set()
    missing: dict[str, Pointer] = {}
    outside = 0
    for pointer in pointers:
        places = places_of(index, pointer.target)
        found = next((p for p in places if p in there or p in folders), "")
        outside += not places
        if found:
            reached.add(found if found in there else f"{found}/")
        elif places:
            missing.setdefault(places[0], pointer)
    return reached, missing, outside


def places_of(index: str, target: str) -> list[str]:
    """Return the possible paths of a target: from the root, or from its own file.

    Empty for targets that are no path in the workspace, such as ``~/notes.md`` or an
    address.
    """
    if "://" in target or target.startswith(("~", "/", "\\")) or "\x00" in target:
        return []
    near = posixpath.join(posixpath.dirname(index), target)
    places = [posixpath.normpath(place) for place in (target, near)]
    inside = [place for place in places if place != ".." and place[:3] != "../"]
    return list(dict.fromkeys(inside))


def _parents(path: str) -> Iterable[str]:
    place = path.rfind("/")
    while place > 0:
        yield path[:place]
        place = path.rfind("/", 0, place)


def _explained(
    workspace: Workspace, index: str, missing: Mapping[str, Pointer], there: set[str]
) -> tuple[BrokenPointer, ...]:
    names = {
        p for pointer in missing.values() for p in places_of(index, pointer.target)
    }
    if not names:
        return ()
    fates = _fates(workspace, names)
    starts = by_starts(sorted(there))
    found = []
    for number, (place, pointer) in enumerate(missing.items()):
        places = places_of(index, pointer.target)
        fate = next((fates[p] for p in places if p in fates), Fate())
        to = fate.path if fate.path in there else ""
        if not to and number < _GUESSED:
            to = likely(place, starts)
        found.append(BrokenPointer(pointer, fate, to))
    return tuple(found)


def _fates(workspace: Workspace, paths: set[str]) -> dict[str, Fate]:
    """Return the last event of missing files."""
    kinds = Revision.Kind
    gone = Q(kind=kinds.DELETED, path__in=paths)
    moved = Q(kind=kinds.MOVED, moved_from__in=paths)
    rows = Revision.objects.filter(gone | moved, workspace=workspace).order_by("seq")
    columns = ("kind", "path", "moved_from", "run__number")
    found = {}
    for kind, path, moved_from, number in rows.values_list(*columns):
        if kind == Revision.Kind.MOVED:
            found[moved_from] = Fate("moved", path, number)
        else:
            found[path] = Fate("deleted", "", number)
    return found


def likely(path: str, names: Mapping[str, Sequence[str]]) -> str:
    """Return the file most similar to a path by name; empty if none is.

    `names` are files by the first letters of the words in their names.
    """
    folder, _, name = path.rpartition("/")
    shared = Counter(
        other for start in starts_of(path) for other in names.get(start, ())
    )
    best, score = "", _ALIKE
    for other, _ in shared.most_common(_CANDIDATES):
        other_folder, _, other_name = other.rpartition("/")
        alike = SequenceMatcher(None, name, other_name, autojunk=False).ratio()
        alike += 0.1 * (other_folder == folder)
        if alike > score and _ending(other_name) == _ending(name):
            best, score = other, alike
    return best


def by_starts(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return files by the first letters of the words in their names."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for start in starts_of(path):
            found[start].append(path)
    return found


def starts_of(path: str) -> set[str]:
    """Return the first letters of the words in a file's name."""
    stem = path.rpartition("/")[2].rpartition(".")[0].casefold()
    return {word[:_START] for word in _WORD.findall(stem)}


def _ending(name: str) -> str:
    return name.rpartition(".")[2]
