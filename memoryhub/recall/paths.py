"""Files named in recalled text, and which of them are missing from the workspace."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from memoryhub.disk.places import Presence
from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.text.mentions import find_mentions
from memoryhub.health.pointers import places_of

#: Limit of paths checked in one recall.
_LOOKED_FOR = 100
_LINK = re.compile(r"\]\(<?([^()<>\s#]{1,300})")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """Paths named in a text: dangling ones, and unchecked ones elsewhere."""

    gone: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


def named_paths(
    texts: Iterable[tuple[str, str]], root: str, there: Presence
) -> NamedPaths:
    """Return the dangling paths in texts, each with the path of its own file.

    Paths outside the workspace are never checked, nor more than a hundred.
    """
    gone: dict[str, None] = {}
    outside: dict[str, None] = {}
    named = [(path, target) for path, text in texts for target in _targets(text)]
    for path, target in dict.fromkeys(named[:_LOOKED_FOR]):
        places = _places(path, target, root)
        if not places:
            outside[target] = None
        elif not any(map(there, places)):
            gone[target] = None
    return NamedPaths(tuple(gone), tuple(outside))


def _targets(text: str) -> list[str]:
    """Return the files named in a text: paths, pointers, and links except addresses."""
    pointers = (pointer.target for pointer in memory_index.parse(text).pointers)
    found = (*find_mentions(text).files, *pointers, *_LINK.findall(text))
    return [name for name in dict.fromkeys(found) if not _ADDRESS.match(name)]


def _places(path: str, target: str, root: str) -> list[str]:
    """Return possible paths of a target in the workspace; absolute ones below root."""
    if _DRIVE.match(target):
        return []
    if target.startswith("/"):
        inside = posixpath.relpath(posixpath.normpath(target), root)
        return [] if inside == ".." or inside.startswith("../") else [inside]
    return places_of(path, target)
