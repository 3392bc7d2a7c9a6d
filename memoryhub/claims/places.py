"""Names under which claims can have a file on disk."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Named(NamedTuple):
    """A repository, "" for the workspace's folder, and a path in it."""

    repository: str
    path: str


def names_of_file(file: Path, root: Path) -> list[Named]:
    """Return the names of a file: in the workspace at `root`, and in its repository.

    A file that is in neither has none, nor has one whose path no system can have.
    """
    found = []
    try:
        place, base = file.resolve(), root.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL
        return []
    if place.is_relative_to(base) and place != base:
        found.append(Named("", place.relative_to(base).as_posix()))
    if (top := repository_of(place)) is not None:
        path = place.relative_to(top).as_posix()
        found += [Named(name, path) for name in names_of_repository(top)]
    return found


def names_of_repository(top: Path) -> list[str]:
    """Return the name of a repository's folder; of a worktree also its repository's."""
    mark = top / ".git"
    if mark.is_dir():
        return [top.name]
    try:
        where = mark.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return [top.name]
    main, middle, _ = (
        where.removeprefix("gitdir:").strip().partition("/.git/worktrees/")
    )
    return list(dict.fromkeys([top.name, Path(main).name])) if middle else [top.name]


def repository_of(place: Path) -> Path | None:
    """Return the top folder of the git repository around a path; None if none is."""
    around = (folder for folder in place.parents if (folder / ".git").exists())
    return next(around, None)
