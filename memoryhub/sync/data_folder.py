"""The hub's data folder: excluded from workspaces, also from one around it.

The exception are workspaces inside it that the hub made from an upload or a sample.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from memoryhub.disk.files import text_path
from memoryhub.sync.uploads import samples_folder, uploads_folder


def is_closed(root: Path) -> bool:
    """Return whether a folder cannot be a workspace: the whole disk, or hub data."""
    if root == root.parent:
        return True
    return root.is_relative_to(_data()) and not _is_made(root)


def data_within(root: Path) -> frozenset[str]:
    """Return the data folder's path relative to the root; empty if outside."""
    data = _data()
    if data == root or not data.is_relative_to(root):
        return frozenset()
    return frozenset({text_path(data.relative_to(root).as_posix())})


def _is_made(root: Path) -> bool:
    """Return whether the hub made a folder as a workspace (upload or sample)."""
    homes = (uploads_folder().resolve(), samples_folder().resolve())
    return root.parent in homes and not root.name.startswith(".")


def _data() -> Path:
    return _resolved(str(settings.MEMORYHUB_DATA))


@lru_cache(maxsize=8)
def _resolved(folder: str) -> Path:
    return Path(folder).resolve()
