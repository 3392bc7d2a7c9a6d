"""Links on the way to a workspace's file, and the folders they may lead into.

A link is followed into the `allowed` folders alone, past every other link on its own
way. What it leads to is then opened beneath that folder, folder by folder, never
through a link (`memoryhub.disk.places`): one that is changed meanwhile leads nowhere
else. Pure.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from memoryhub.disk.files import disk_path, text_path
from memoryhub.disk.places import Place

#: Version control and installed dependencies: never memory, often huge.
SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".jj", "node_modules", "bower_components",
        ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache",
        ".ruff_cache", ".pytest_cache", "site-packages", ".openclaw-repair",
    }
)  # fmt: skip
#: Links followed one after the other on the way to a file.
_MOST = 2


class Target(NamedTuple):
    """Where a link leads: an allowed folder, and the path on disk below it."""

    folder: Path
    path: Path

    @property
    def whole(self) -> Path:
        return self.folder / self.path


def target_of(
    link: Path, way: Sequence[Path], allowed: Sequence[Path]
) -> Target | None:
    """Return where a link leads if it may be followed, else None.

    `way`: the workspace's root, and the targets of the links before this one. What
    overlaps one of them would be a circle, or the same files twice.
    """
    if not allowed or len(way) > _MOST:
        return None
    real = Path(os.path.realpath(link))
    folder = next((one for one in allowed if real.is_relative_to(one)), None)
    if folder is None:
        return None
    target = Target(folder, real.relative_to(folder))
    if SKIPPED_FOLDERS.intersection(target.path.parts):
        return None
    overlaps = (real.is_relative_to(o) or o.is_relative_to(real) for o in way)
    return None if any(overlaps) else target


def place_past(root: Path, path: str, allowed: Sequence[Path]) -> Place:
    """Return the place of a file beneath a root, past the links that may be followed.

    Behind any other link it cannot be opened.
    """
    parts = Path(disk_path(path)).parts
    if not allowed or ".." in parts:
        return Place(root, path)
    real, way = Target(root, Path()), [Path(os.path.realpath(root))]
    for part in parts:
        real = real._replace(path=real.path / part)
        if real.whole.is_symlink():
            target = target_of(real.whole, way, allowed)
            if target is None:
                return Place(root, path)
            real = target
            way.append(target.whole)
    if len(way) == 1:
        return Place(root, path)
    return Place(root, path, (real.folder, text_path(str(real.path))))


def is_refused(root: Path, path: str, allowed: Sequence[Path]) -> bool:
    """Return whether a link that may not be followed is on the way to a file.

    Raises:
        OSError, ValueError: the system refuses, or the name is not valid.
    """
    place = place_past(root, path, allowed)
    base, inside = place.real or (root, path)
    parts = Path(disk_path(inside)).parts
    ways = (Path(*parts[: depth + 1]) for depth in range(len(parts)))
    return any((base / way).is_symlink() for way in ways)
