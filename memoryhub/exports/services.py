"""Writing of exactly the changes a person has seen in a preview."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoryhub.exports.preview import WRITTEN, FilePreview, resolve
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.staging import Written, write_staged

#: The files of a preview as somebody has seen them: hash on disk by path.
Seen = Mapping[str, str]


class PreviewStale(Exception):
    """Files differ from those of the preview; nothing was written."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self.paths = tuple(paths)


def write_previewed(
    workspace: Workspace, found: Sequence[FilePreview], seen: Seen
) -> Written:
    """Write the files without conflicts; those in conflict stay as they are.

    Raises:
        PreviewStale: since the preview, a file changed on disk or others were staged.
        ExternallyChanged: the same, at the moment of writing.
        FormatError: a dialect cannot hold the choice.
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
    """Stage the choices for one file; return whether all clashes had one.

    Raises:
        PreviewStale: the file changed on disk since the preview.
        ExternallyChanged: the same, at the moment of staging.
        FormatError: its dialect cannot hold the choice.
    """
    mine = [preview for preview in found if preview.path == path]
    check_seen(mine, {name: sha for name, sha in seen.items() if name == path})
    for preview in mine:
        if preview.state not in WRITTEN:
            return False
        resolve(workspace, preview)
    return True


def check_seen(found: Sequence[FilePreview], seen: Seen) -> None:
    """Raise `PreviewStale` if the previews differ from those seen."""
    now = {preview.path: preview.sha256 for preview in found}
    if stale := [path for path in {**now, **seen} if now.get(path) != seen.get(path)]:
        raise PreviewStale(stale)
