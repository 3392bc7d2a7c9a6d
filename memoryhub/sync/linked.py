"""Places of workspaces' files, past links into MEMORYHUB_LINKED_FOLDERS.

Apart from `links`, which hooks load without Django.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from memoryhub.disk.places import Place
from memoryhub.sync.scan.links import place_past


def place_at(root: Path, path: str) -> Place:
    """Return the place of a file beneath a workspace's root."""
    return place_past(root, path, settings.MEMORYHUB_LINKED_FOLDERS)
