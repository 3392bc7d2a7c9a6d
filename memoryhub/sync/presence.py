"""Whether something lies at a path of a workspace; nothing outside it is looked at."""

from __future__ import annotations

import stat

from memoryhub.files import disk_path, folder_of
from memoryhub.workspaces.models import Workspace
from snapshots.recall.paths import Presence


def presence_in(workspace: Workspace) -> Presence:
    """Return what tells whether there is a file or folder at a path in a workspace."""
    root = folder_of(workspace.root)

    def there(path: str) -> bool:
        *folders, name = disk_path(path).split("/")
        place = root
        try:
            for part in folders:
                place /= part
                # A link on the way may lead anywhere, so it is not followed.
                if not stat.S_ISDIR(place.lstat().st_mode):
                    return False
            (place / name).lstat()
        except (OSError, ValueError):
            return False
        return True

    return there
