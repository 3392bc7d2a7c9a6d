"""Leftover drafts in a workspace: from killed writers, or old versions still open.

Drafts lie next to a file while it is replaced; only their maker reads them. After its
death the next sync, or the next edit of the file, finishes them as described in
`memoryhub.disk.replacing`. What another program has written is in the file or the
journal before its draft is removed.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256

from django.utils import timezone

from memoryhub.disk.files import FileError, disk_path, read_stable, text_path
from memoryhub.disk.places import Folder, Place
from memoryhub.disk.replacing import (
    Draft,
    Fate,
    State,
    accept,
    draft_named,
    drafts_of,
    finish,
    stem_of,
)
from memoryhub.journal.models import FileStat, Operation, Revision, Workspace
from memoryhub.sync.edit.writing import file_lock, place_of, read_newest, record_seen
from memoryhub.sync.scan.walk import ScanProblem

#: Problem code: a program has the old version of a file open and may write to it.
STILL_OPEN = "old-version-open"
#: Problem code: a draft that the hub cannot finish, or does not understand.
DRAFT_LEFT = "draft-left"


def finish_all_drafts(workspace: Workspace, drafts: Iterable[str]) -> list[ScanProblem]:
    """Finish the drafts at these paths; return the problems of those that remain."""
    problems, targets = [], set()
    folders = _known_by_folder(workspace)
    for path in drafts:
        folder, slash, name = path.rpartition("/")
        draft = draft_named(disk_path(name))
        target = _target(draft, folders[folder]) if draft else None
        if target is None:
            reason = "it is not known of which file"
            problems.append(ScanProblem(path, DRAFT_LEFT, reason))
        else:
            targets.add(f"{folder}{slash}{target}")
    for target in sorted(targets):
        with file_lock(workspace, target):
            problems += finish_drafts(workspace, target)
    return problems


def finish_drafts(workspace: Workspace, path: str) -> list[ScanProblem]:
    """Finish the drafts of a file; return the problems of those that remain.

    The caller holds the file's lock.
    """
    place = place_of(workspace, path)
    try:
        with place.folder() as folder:
            found = drafts_of(place.name, folder.names())
            return [
                problem
                for draft in found
                for problem in _finished(workspace, place, folder, draft)
            ]
    except (FileError, OSError):
        # No folder, no draft; unreadable ones are reported by the scan.
        return []


def _finished(
    workspace: Workspace, place: Place, folder: Folder, draft: Draft
) -> list[ScanProblem]:
    """Finish one draft; return the problem if it remains."""
    try:
        if draft.state is State.UNKNOWN:
            draft = _understood(workspace, place, folder, draft)
        fate, data = finish(folder, place.name, draft)
        if fate is Fate.DISPLACED:
            _record(workspace, place, data)
            draft = accept(folder, draft, data)
            fate, _ = finish(folder, place.name, draft)
    except FileNotFoundError:
        return []
    except (FileError, OSError) as error:
        reason = error.reason if isinstance(error, FileError) else error.strerror
        return [ScanProblem(place.path, DRAFT_LEFT, f"{draft.name}: {reason}")]
    if fate is Fate.HELD:
        return [ScanProblem(place.path, STILL_OPEN)]
    return []


def _understood(
    workspace: Workspace, place: Place, folder: Folder, draft: Draft
) -> Draft:
    """Convert a draft of an older hub to an old version, by the journal's versions.

    A draft without a known version as prefix is recorded first.
    """
    descriptor = folder.open_to_read(draft.name)
    with os.fdopen(descriptor, "rb") as file:
        data = read_stable(file.fileno(), place.path).data
    size = _known_size(workspace, place.path, data)
    if not size:
        _record(workspace, place, data)
        size = len(data)
    return accept(folder, draft, data[:size])


def _known_size(workspace: Workspace, path: str, data: bytes) -> int:
    """Return the size of the longest prefix that the journal knows as a version."""
    written = Operation.objects.filter(
        workspace=workspace, target=path, after_sha=sha256(data).hexdigest()
    )
    if written.exists():
        return len(data)
    rows = Revision.objects.filter(workspace=workspace, path=path, blob__isnull=False)
    versions = rows.values_list("blob__size", "blob__sha256").distinct()
    known, end, digest = 0, 0, sha256()
    for size, found in sorted(versions):
        if size > len(data):
            break
        digest.update(data[end:size])
        end = size
        if digest.hexdigest() == found:
            known = size
    return known


def _record(workspace: Workspace, place: Place, displaced: bytes) -> None:
    """Record a displaced version in the journal, before the file's present one."""
    known = Revision.objects.filter(
        workspace=workspace,
        path=place.path,
        blob__sha256=sha256(displaced).hexdigest(),
    )
    if not known.exists():
        now = timezone.now()
        record_seen(workspace, place.path, displaced, now)
        read_newest(workspace, place.path, now)


def _known_by_folder(workspace: Workspace) -> defaultdict[str, list[str]]:
    """Return the file names of each folder, deleted files included."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    rows = FileStat.objects.filter(workspace=workspace)
    for path in rows.values_list("path", flat=True):
        folder, _, name = path.rpartition("/")
        found[folder].append(name)
    return found


def _target(draft: Draft, names: Iterable[str]) -> str | None:
    """Return the name of the draft's file, in text form."""
    for name in names:
        disk = disk_path(name)
        if draft.stem in {stem_of(disk), disk[:40]}:
            return name
    return None if "~" in draft.stem else text_path(draft.stem)
