"""Whether something lies at a path of a workspace; nothing outside it is looked at."""

from __future__ import annotations

from memoryhub.disk.files import UnreadableFile, folder_of
from memoryhub.disk.places import Place, Presence
from memoryhub.journal.models import Workspace


def presence_in(workspace: Workspace) -> Presence:
    """Return what tells whether there is a file or folder at a path in a workspace."""
    root = folder_of(workspace.root)

    def there(path: str) -> bool:
        try:
            return Place(root, path).status() is not None
        except UnreadableFile:
            return False

    return there
