"""The hub's data folder: no workspace, nor part of one that holds it.

What the hub made from an upload or a sample are workspaces inside it.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from memoryhub.disk.files import text_path
from memoryhub.sync.uploads import samples_folder, uploads_folder


def is_closed(root: Path) -> bool:
    """Tell whether a folder cannot be a workspace: the whole disk, or the hub's own."""
    if root == root.parent:
        return True
    return root.is_relative_to(_data()) and not _is_made(root)


def data_within(root: Path) -> frozenset[str]:
    """Return the path of the data folder below a workspace's, if it is there."""
    data = _data()
    if data == root or not data.is_relative_to(root):
        return frozenset()
    return frozenset({text_path(data.relative_to(root).as_posix())})


def is_data(root: Path, path: str) -> bool:
    """Tell whether a path of a workspace leads into the data folder."""
    return any(
        path == data or path.startswith(f"{data}/") for data in data_within(root)
    )


def _is_made(root: Path) -> bool:
    """Tell whether a folder is one that the hub made to be a workspace."""
    homes = (uploads_folder().resolve(), samples_folder().resolve())
    return root.parent in homes and not root.name.startswith(".")


def _data() -> Path:
    return Path(settings.MEMORYHUB_DATA).resolve()
