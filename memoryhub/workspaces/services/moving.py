"""Moving a workspace to a new path, with its journal, marks and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from memoryhub.audit.recording import record
from memoryhub.disk.files import FileError, folder_of, locked, text_path
from memoryhub.disk.places import read_file
from memoryhub.journal.models import FileStat, Workspace
from memoryhub.sync.edit.editing import settle
from memoryhub.sync.engine import (
    known_files,
    make_current,
    scan_of,
    workspace_lock,
)
from memoryhub.sync.read.reader import place_at
from memoryhub.workspaces.services.adding import refuse_removed, usable_folder

#: Part of a workspace's files that a folder must have to match it.
_ALIKE = 0.5


class PathTaken(Exception):
    """The folder belongs to another workspace, or already to this one."""

    def __init__(self, root: str, slug: str) -> None:
        super().__init__(root, slug)
        self.root = root
        self.slug = slug

    def __str__(self) -> str:
        return f"{self.root} is the folder of the workspace {self.slug}"


@dataclass(frozen=True, slots=True)
class Match:
    """Comparison of a folder's files with a workspace's known ones."""

    root: str
    same: int
    changed: int
    missing: int
    new: int

    @property
    def known(self) -> int:
        return self.same + self.changed + self.missing

    @property
    def is_alike(self) -> bool:
        """True if at least half of the known files are there, byte for byte."""
        return self.same >= self.known * _ALIKE


def compare(workspace: Workspace, path: Path | str) -> Match:
    """Compare a folder's files with a workspace's known ones, by hash.

    Raises:
        NotAFolder: the folder does not exist, or cannot be a workspace.
        PathTaken: it is a workspace's folder.
    """
    root = _free_folder(workspace, path)
    known = known_files(workspace)
    found = {file.path: file for file in scan_of(workspace, root).found}
    there = known.keys() & found.keys()
    same = sum(_sha_of(root, path) == known[path].sha256 for path in there)
    return Match(
        root=text_path(str(root)),
        same=same,
        changed=len(there) - same,
        missing=len(known.keys() - found.keys()),
        new=len(found.keys() - known.keys()),
    )


def move_workspace(workspace: Workspace, path: Path | str) -> Workspace:
    """Set a workspace's folder; the next sync imports the differences.

    Operations that a crash left pending are settled there as far as possible.

    Raises:
        NotAFolder, PathTaken: see `compare`.
    """
    with locked(workspace_lock(workspace)):
        make_current(workspace)
        with transaction.atomic():
            workspace.refresh_from_db()
            workspace.root = text_path(str(_free_folder(workspace, path)))
            # File times and sizes are not comparable there: every file is read once.
            FileStat.objects.filter(workspace=workspace).update(recheck=True)
            workspace.save(update_fields=["root"])
            record("workspace.moved", workspace=workspace.slug, subject=workspace.root)
        settle(workspace)
    return workspace


def moved_here(root: Path) -> Workspace | None:
    """Return the workspace without a folder whose files a new folder has.

    Compares sizes only.
    """
    for workspace in Workspace.objects.all():
        if folder_of(workspace.root).is_dir():
            continue
        known = known_files(workspace)
        found = {file.path: file.size for file in scan_of(workspace, root).found}
        alike = sum(found.get(path) == file.size for path, file in known.items())
        if known and alike >= max(2, len(known) * _ALIKE):
            return workspace
    return None


def _sha_of(root: Path, path: str) -> str:
    try:
        return read_file(place_at(root, path)).sha256
    except FileError:
        return ""


def _free_folder(workspace: Workspace, path: Path | str) -> Path:
    root = usable_folder(path)
    text = text_path(str(root))
    other = Workspace.objects.filter(root=text).first()
    if other is not None:
        raise PathTaken(text, other.slug)
    refuse_removed(text)
    return root
