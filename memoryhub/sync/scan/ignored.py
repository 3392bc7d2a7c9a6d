"""What the settings of a workspace leave out of a scan.

Hooks read it without the hub: it needs no model and no dialect.
"""

from __future__ import annotations

from fnmatch import fnmatchcase


def is_left_out(path: str, ignore: tuple[str, ...]) -> bool:
    """Return whether a scan ignores a path or a folder above it."""
    return any(is_ignored(way, ignore) for way in ways(path)) if ignore else False


def is_ignored(path: str, ignore: tuple[str, ...]) -> bool:
    """Return whether a pattern matches a path or a part of it."""
    parts = path.split("/")
    return any(
        fnmatchcase(path, pattern)
        or any(fnmatchcase(part, pattern.rstrip("/")) for part in parts)
        for pattern in ignore
    )


def ways(path: str) -> list[str]:
    """Return the path's parent folders and the path itself."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
