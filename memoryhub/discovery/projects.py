"""Names of Claude Code's project folders, decoded to the paths of projects.

Every UTF-16 unit of a path that is no ASCII letter or digit became a hyphen:
``/home/ann/code/my.shop`` is ``-home-ann-code-my-shop``. That cannot be reversed, so a
name is compared with the folders that exist.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from memoryhub.discovery.allowance import Allowance

_REPLACED = re.compile(r"[^a-zA-Z0-9]")


def encoded(path: str) -> str:
    """Return a path as Claude Code writes it into the name of a folder."""
    return _REPLACED.sub(lambda found: "--" if found[0] > "\uffff" else "-", path)


class Projects:
    """Folders beneath a home folder, to compare names with; each is listed once."""

    def __init__(self, home: Path, allowance: Allowance) -> None:
        self._home = home
        self._allowance = allowance
        self._listed: dict[Path, list[tuple[str, Path]]] = {}

    def path_of(self, name: str) -> str:
        """Return the path of the one project of a name; the name itself if unclear."""
        start = encoded(str(self._home))
        if name == start:
            return str(self._home)
        if not name.startswith(f"{start}-"):
            return name
        found = self._matches(name[len(start) + 1 :])
        return str(found[0]) if len(found) == 1 else name

    def _matches(self, rest: str) -> list[Path]:
        """Return up to two folders whose encoded path below home is `rest`."""
        found: list[Path] = []
        places = [(self._home, rest)]
        while places and len(found) < 2:
            place, rest = places.pop()
            for name, folder in self._folders(place):
                if name == rest:
                    found.append(folder)
                elif rest.startswith(f"{name}-"):
                    places.append((folder, rest[len(name) + 1 :]))
        return found

    def _folders(self, place: Path) -> list[tuple[str, Path]]:
        """Return a folder's folders with their encoded names."""
        if place not in self._listed:
            self._listed[place] = [
                (encoded(name), place / name) for name in self._names(place)
            ]
        return self._listed[place]

    def _names(self, place: Path) -> list[str]:
        try:
            return [
                entry.name
                for entry in self._allowance.listing(os.fspath(place))
                if entry.is_dir(follow_symlinks=False)
            ]
        except OSError:
            return []
