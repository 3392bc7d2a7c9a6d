"""Find folders below home by pattern, without following links out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from memoryhub.discovery.allowance import Allowance

#: Most steps on the way to one folder: links may lead in a circle.
_STEPS = 400


def matching(
    home: Path, pattern: str, allowance: Allowance
) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the folders beneath `home` whose path matches a pattern with ``*``.

    With each comes the path that matched, which a link may have led away from.
    """
    places = [(PurePosixPath(), home)]
    for part in pattern.split("/"):
        places = [
            (way / name, folder)
            for way, place in places
            for name in _names(place, part, allowance)
            if (folder := folder_in(place, name, home))
        ]
    yield from places


def folder_in(place: Path, name: str, home: Path) -> Path | None:
    """Return a named subfolder, or None.

    A link is followed as long as it stays beneath `home`; what lies outside is not
    looked at.
    """
    here, names = place, [name]
    for _ in range(_STEPS):
        if not names:
            return here
        part = names.pop()
        if part == "..":
            if here == home:
                return None
            here = here.parent
        elif _is_folder(here / part):
            here /= part
        elif start := _start_of_link(here / part, home):
            here, parts = start
            names += reversed(parts)
        else:
            return None
    return None


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _start_of_link(path: Path, home: Path) -> tuple[Path, tuple[str, ...]] | None:
    """Return the folder that a link's target starts from, and the target's parts.

    None if it is no link, or leads out of `home` by its first part.
    """
    try:
        target = path.readlink()
    except (OSError, ValueError):
        return None
    if not target.is_absolute():
        return path.parent, target.parts
    if not target.is_relative_to(home):
        return None
    return home, target.relative_to(home).parts


def _names(place: Path, part: str, allowance: Allowance) -> list[str]:
    """Return the names in a folder that match one part of a pattern."""
    if "*" not in part:
        return [part]
    try:
        entries = allowance.listing(os.fspath(place))
        return sorted(entry.name for entry in entries if fnmatchcase(entry.name, part))
    except OSError:
        return []
