"""Names under which claims can have a file on disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Named(NamedTuple):
    """A repository, "" for the workspace's folder, and a path in it."""

    repository: str
    path: str


def names_of_file(file: Path, root: Path) -> list[list[Named]]:
    """Return the names of a file: in the workspace at `root`, and in its repository.

    A list for each of its places: where it is, and where its links lead to. Outside of
    both a place has no names, nor has a path that no system can have.
    """
    try:
        places = dict.fromkeys((file.resolve(), file.absolute()))
        bases = dict.fromkeys((root.resolve(), root.absolute()))
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL
        return []
    return [_names_of_place(place, bases) for place in places]


def _names_of_place(place: Path, bases: Iterable[Path]) -> list[Named]:
    if ".." in place.parts:  # only where links lead to is known
        return []
    found = [
        Named("", place.relative_to(base).as_posix())
        for base in bases
        if place.is_relative_to(base) and place != base
    ]
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
