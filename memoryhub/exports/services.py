"""Writing what a person has seen in a preview, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoryhub.exports.preview import WRITTEN, FilePreview, resolve
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.staging import Written, write_staged

#: The files of a preview as somebody has seen them: hash on disk by path.
Seen = Mapping[str, str]


class PreviewStale(Exception):
    """Files are no longer what the preview was made from; nothing was written."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self.paths = tuple(paths)


def write_previewed(
    workspace: Workspace, found: Sequence[FilePreview], seen: Seen
) -> Written:
    """Write the files that are in no conflict; those that are stay as they are.

    Raises:
        PreviewStale: a file changed on disk, or others wait now, since it was seen.
        ExternallyChanged: the same, in the very moment of writing.
        FormatError: a dialect cannot hold what was chosen.
    """
    check_seen(found, seen)
    ready = [preview for preview in found if preview.state in WRITTEN]
    for preview in ready:
        if preview.restaged:
            resolve(workspace, preview)
    return write_staged(workspace, only={preview.path for preview in ready})


def resolve_previewed(
    workspace: Workspace, found: Sequence[FilePreview], seen: Seen, path: str
) -> bool:
    """Stage what was chosen for one file; tell whether all of it was chosen.

    Raises:
        PreviewStale: the file changed on disk since it was seen.
        ExternallyChanged: the same, in the very moment of staging.
        FormatError: its dialect cannot hold what was chosen.
    """
    mine = [preview for preview in found if preview.path == path]
    check_seen(mine, {name: sha for name, sha in seen.items() if name == path})
    for preview in mine:
        if preview.state not in WRITTEN:
            return False
        resolve(workspace, preview)
    return True


def check_seen(found: Sequence[FilePreview], seen: Seen) -> None:
    """Raise `PreviewStale` where the previews are not those that were seen."""
    now = {preview.path: preview.sha256 for preview in found}
    if stale := [path for path in {**now, **seen} if now.get(path) != seen.get(path)]:
        raise PreviewStale(stale)
