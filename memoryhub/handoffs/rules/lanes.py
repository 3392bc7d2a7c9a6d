"""Overlap of writes by repository and paths; overlapping ones share a lane. Pure.

A write that names neither a repository nor paths can touch the whole workspace.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

from memoryhub.formats.hub.handoff_blocks import listed_in


class Touching(Protocol):
    """Fields of a task that limit the files its write touches."""

    @property
    def repository(self) -> str: ...
    @property
    def paths(self) -> str: ...


class Scope(NamedTuple):
    """A repository, or "" for any, and folders or files in it, or () for all."""

    repository: str = ""
    paths: tuple[tuple[str, ...], ...] = ()


def can_meet(one: Touching, other: Touching) -> bool:
    """Return whether two writes can touch the same file."""
    first = scope_of(one.repository, one.paths)
    second = scope_of(other.repository, other.paths)
    if first.repository != second.repository:
        return not (first.repository and second.repository)
    if not (first.paths and second.paths):
        return True
    return any(_meet(here, there) for here in first.paths for there in second.paths)


@lru_cache(maxsize=4096)
def scope_of(repository: str, paths: str) -> Scope:
    """Parse the repository and paths of a task into a scope; cached.

    Names are compared without case, as some file systems do. A path that leads out of
    the repository, is absolute, or begins with a pattern can be anywhere.
    """
    found = [_parts(path) for path in listed_in(paths)]
    name = repository.strip().casefold()
    known = tuple(parts for parts in found if parts)
    return Scope(name, known if len(known) == len(found) else ())


def _parts(path: str) -> tuple[str, ...]:
    """Return the folders of a path up to a pattern; () if it can be anywhere."""
    whole = path.replace("\\", "/").strip().casefold()
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    if whole.startswith("/") or ".." in parts or ":" in whole:
        return ()
    plain = []
    for part in parts:
        if any(mark in part for mark in "*?["):
            break
        plain.append(part)
    return tuple(plain)


def _meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]
