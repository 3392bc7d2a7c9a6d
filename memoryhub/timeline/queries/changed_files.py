"""Files that changed: the last change of each with its lines, newest first.

A first import reads all files at once: there the time of a file is that on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.file_times import LATEST_NS, time_on_disk
from memoryhub.journal.losses import is_memory
from memoryhub.journal.models import Revision, SourceFile, SyncRun, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import first_import
from memoryhub.journal.versions import changes_of

#: Versions that are looked at for the files of a list.
_MOST = 200
#: Versions of a file within this time are one change.
_TOGETHER = timedelta(days=1)


class _Version(NamedTuple):
    seq: int
    kind: str
    path: str
    at: datetime
    actor: str
    moved_from: str = ""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file's last change, and the lines it added and removed.

    `verb`: added, changed, moved or deleted; "read" for a file of the first import,
    whose time is that on disk and whose `added` are all its lines.
    """

    path: str
    title: str
    verb: str
    seq: int
    at: datetime
    actor: str
    #: Who changed it, in words; of a file of the first import empty.
    who: str
    added: int
    removed: int
    is_memory: bool
    file_id: int | None
    format: str
    moved_from: str = ""


def last_changed(workspace: Workspace, number: int) -> tuple[ChangedFile, ...]:
    """Return the files of the newest changes; cached."""
    return cached(
        workspace, ("last changed", number), lambda: _last_changed(workspace, number)
    )


def changed_between(
    workspace: Workspace, start: datetime, end: datetime
) -> tuple[ChangedFile, ...]:
    """Return the files that changed in a span of time."""
    first, last = _seqs_around(workspace, start, end)
    rows = _later(workspace).filter(
        seq__gt=first, seq__lte=last, recorded_at__gte=start, recorded_at__lt=end
    )
    on_disk = _of_first_import(workspace).filter(
        mtime_ns__gte=_nanoseconds(start), mtime_ns__lt=_nanoseconds(end)
    )
    return _files(workspace, _versions(rows), _on_disk(on_disk))


def newest_on_disk(workspace: Workspace, before: datetime) -> datetime | None:
    """Return when a file of the first import was changed last before a time."""
    rows = _of_first_import(workspace).filter(mtime_ns__lt=_nanoseconds(before))
    return next((version.at for version in _on_disk(rows, 1)), None)


def first_on_disk(workspace: Workspace, after: datetime) -> datetime | None:
    """Return when a file of the first import was changed first from a time on."""
    rows = _of_first_import(workspace).filter(mtime_ns__gte=_nanoseconds(after))
    return next((v.at for v in _on_disk(rows.reverse(), 1)), None)


def _last_changed(workspace: Workspace, number: int) -> tuple[ChangedFile, ...]:
    later = _versions(_later(workspace))
    found = _files(workspace, later, ())[:number]
    if len(found) < number:
        on_disk = _on_disk(_of_first_import(workspace))
        found = (*found, *_files(workspace, (), on_disk))[:number]
    return found


def _later(workspace: Workspace) -> QuerySet[Revision]:
    first = first_import(workspace)
    return Revision.objects.filter(workspace=workspace, seq__gt=first).order_by("-seq")


def _of_first_import(workspace: Workspace) -> QuerySet[Revision]:
    rows = Revision.objects.filter(
        workspace=workspace,
        seq__lte=first_import(workspace),
        mtime_ns__gt=0,
        mtime_ns__lt=LATEST_NS,
    )
    return rows.order_by("-mtime_ns", "-seq")


def _versions(rows: QuerySet[Revision]) -> list[_Version]:
    columns = rows.values_list(
        "seq", "kind", "path", "recorded_at", "actor", "moved_from"
    )
    return [_Version(*row) for row in columns[:_MOST]]


def _on_disk(rows: QuerySet[Revision], limit: int = _MOST) -> list[_Version]:
    columns = rows.values_list("seq", "path", "mtime_ns", "recorded_at")[:limit]
    return [
        _Version(seq, "read", path, time_on_disk(ns, read_at), "")
        for seq, path, ns, read_at in columns
    ]


def _files(
    workspace: Workspace, later: Sequence[_Version], on_disk: Sequence[_Version]
) -> tuple[ChangedFile, ...]:
    """Return the changes of files; one of the first import only if it is the last."""
    paths = {version.path for version in (*later, *on_disk)}
    rows = SourceFile.objects.filter(workspace=workspace, path__in=paths)
    known = {row.path: row for row in rows.order_by("present", "seq")}
    lines = changes_of(workspace, [version.seq for version in later])
    root, owner = workspace.root, owners_of(workspace)
    found = [
        *(
            _changed(versions, known, lines, root, owner)
            for versions in _by_path(later)
        ),
        *(
            _read(version, known[version.path], root)
            for version in on_disk
            if version.path in known and known[version.path].seq == version.seq
        ),
    ]
    found.sort(key=lambda one: one.path)
    found.sort(key=lambda one: one.at, reverse=True)
    return tuple(found)


def _by_path(versions: Iterable[_Version]) -> list[list[_Version]]:
    """Group versions by path, newest first; those long before the newest are left."""
    groups: dict[str, list[_Version]] = {}
    for version in versions:
        group = groups.setdefault(version.path, [])
        if not group or group[0].at - version.at < _TOGETHER:
            group.append(version)
    return list(groups.values())


def _changed(
    versions: Sequence[_Version],
    known: Mapping[str, SourceFile],
    lines: Mapping[int, tuple[int, int]],
    root: str,
    owner: Callable[[str], str],
) -> ChangedFile:
    newest, file = versions[0], known.get(versions[0].path)
    counts = [lines.get(version.seq, (0, 0)) for version in versions]
    is_new = file is not None and file.first_seq == versions[-1].seq
    verbs = {"deleted": "deleted", "moved": "moved"}
    actor = next((v.actor for v in versions if v.actor), "")
    return ChangedFile(
        path=newest.path,
        title=file.title if file else "",
        verb=verbs.get(newest.kind, "added" if is_new else "changed"),
        seq=newest.seq,
        at=newest.at,
        actor=actor,
        who=changed_by(actor, owner(newest.path)),
        added=sum(added for added, _ in counts),
        removed=sum(removed for _, removed in counts),
        is_memory=file is not None and _is_memory(file, root),
        file_id=file.pk if file else None,
        format=file.format if file else "",
        moved_from=newest.moved_from,
    )


def _is_memory(file: SourceFile, root: str) -> bool:
    return is_memory(str(placed(root, file.path)), file.format)


def _read(version: _Version, file: SourceFile, root: str) -> ChangedFile:
    return ChangedFile(
        *(version.path, file.title, version.kind, version.seq, version.at, "", ""),
        *(file.lines, 0, _is_memory(file, root), file.pk, file.format),
    )


def _seqs_around(
    workspace: Workspace, start: datetime, end: datetime
) -> tuple[int, int]:
    """Return seqs between which all versions of a span of time are."""
    runs = SyncRun.objects.filter(workspace=workspace, last_seq__isnull=False)
    seqs = runs.values_list("last_seq", flat=True)
    before = seqs.filter(finished_at__lt=start).order_by("-number").first()
    after = seqs.filter(started_at__gte=end).order_by("number").first()
    return before or 0, after or workspace.last_seq


def _nanoseconds(moment: datetime) -> int:
    seconds = int(moment.timestamp())
    return min(max(seconds, 0) * 10**9, LATEST_NS)
