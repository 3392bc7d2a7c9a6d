"""Presence of a file or folder at a path of a workspace; paths outside are not read."""

from __future__ import annotations

from memoryhub.disk.files import UnreadableFile, folder_of
from memoryhub.disk.places import Place, Presence
from memoryhub.journal.models import Workspace


def presence_in(workspace: Workspace) -> Presence:
    """Return a function that checks whether a path of a workspace exists."""
    root = folder_of(workspace.root)

    def there(path: str) -> bool:
        try:
            return Place(root, path).status() is not None
        except UnreadableFile:
            return False

    return there
