"""Files that changed: the last change of each with its lines and text, newest first.

A first import reads all files at once, and a clone or a copy gives all of them the same
time on disk: such a file is of the day in its name, or of none. Texts are for days
without a log: notes and facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import PurePosixPath
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from memoryhub.dialects.file_days import day_of_note, named_day
from memoryhub.dialects.registry import by_name
from memoryhub.dialects.roles import READ
from memoryhub.events.models import Event
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.merging import settled
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Revision, SourceFile, SyncRun, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.problems import unread_files
from memoryhub.journal.untimed import first_import, time_on_disk
from memoryhub.journal.versions import changes_of

#: Versions that are looked at for the files of a list.
_MOST = 200
#: Versions of a file within this time are one change.
_TOGETHER = timedelta(days=1)
_NOTES = frozenset({".md", ".markdown"})


class _Read(NamedTuple):
    seq: int
    path: str
    day: date | None


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
    which has the `day` in its name instead of a time, and whose `added` are all its
    lines.
    """

    path: str
    title: str
    verb: str
    seq: int
    at: datetime | None
    actor: str
    #: Who changed it, in words; of a file of the first import empty.
    who: str
    added: int
    removed: int
    #: Its role; empty where its file is unknown.
    role: str
    file_id: int | None
    format: str
    moved_from: str = ""
    day: date | None = None

    @property
    def is_memory(self) -> bool:
        """Whether anything is read from it."""
        return self.role in READ


def last_changed(workspace: Workspace, number: int) -> tuple[ChangedFile, ...]:
    """Return the files of the newest changes; cached."""
    return cached(
        workspace, ("last changed", number), lambda: _last_changed(workspace, number)
    )


def changed_between(
    workspace: Workspace, start: datetime, end: datetime
) -> tuple[ChangedFile, ...]:
    """Return the files that changed in a span of time."""
    runs = SyncRun.objects.filter(workspace=workspace, last_seq__isnull=False)
    seqs = runs.values_list("last_seq", flat=True)
    before = seqs.filter(finished_at__lt=start).order_by("-number").first()
    after = seqs.filter(started_at__gte=end).order_by("number").first()
    first, last = before or 0, after or workspace.last_seq
    rows = _later(workspace).filter(
        seq__gt=first, seq__lte=last, recorded_at__gte=start, recorded_at__lt=end
    )
    middle = start + (end - start) / 2
    day = middle.astimezone(ZoneInfo(workspace.time_zone)).date()
    read = [one for one in _read_first(workspace) if one.day == day]
    return _files(workspace, _versions(rows), read)


def named_days(workspace: Workspace) -> list[datetime]:
    """Return the days, the newest first, that names of files of the first import have.

    Each as its beginning in the workspace's zone.
    """
    zone = ZoneInfo(workspace.time_zone)
    days = dict.fromkeys(one.day for one in _read_first(workspace) if one.day)
    return [datetime.combine(day, time(), zone) for day in days]


def _last_changed(workspace: Workspace, number: int) -> tuple[ChangedFile, ...]:
    later = _versions(_later(workspace))
    found = _files(workspace, later, ())[:number]
    if len(found) < number:
        found = (*found, *_files(workspace, (), _read_first(workspace)))[:number]
    return found


def _later(workspace: Workspace) -> QuerySet[Revision]:
    first = first_import(workspace)
    return Revision.objects.filter(workspace=workspace, seq__gt=first).order_by("-seq")


def _read_first(workspace: Workspace) -> tuple[_Read, ...]:
    """Return the files of the first import, those of the newest days first; cached.

    Files without a day come last, in the order of their times on disk. Where no log
    says what happened on a day, those times are all that there is.
    """

    def read() -> tuple[_Read, ...]:
        rows = Revision.objects.filter(
            workspace=workspace, seq__lte=first_import(workspace)
        )
        found: list[tuple[datetime, _Read]] = [
            (time_on_disk(ns, at), _Read(seq, path, named_day(PurePosixPath(path))))
            for seq, path, ns, at in rows.values_list(
                "seq", "path", "mtime_ns", "recorded_at"
            )
        ]
        if not _has_log(workspace):
            zone = ZoneInfo(workspace.time_zone)
            found = [
                (at, one._replace(day=one.day or at.astimezone(zone).date()))
                for at, one in found
            ]
        found.sort(key=lambda pair: pair[1].path)
        found.sort(key=lambda pair: (pair[1].day or date.min, pair[0]), reverse=True)
        return tuple(one for _, one in found)

    return cached(workspace, "read first", read)


def _has_log(workspace: Workspace) -> bool:
    notes = Event.objects.filter(workspace=workspace, kind=Event.Kind.NOTE)
    return notes.exclude(precision=Precision.NONE).exists()


def _versions(rows: QuerySet[Revision]) -> list[_Version]:
    columns = rows.values_list(
        "seq", "kind", "path", "recorded_at", "actor", "moved_from"
    )
    return [_Version(*row) for row in columns[:_MOST]]


def _files(
    workspace: Workspace, later: Sequence[_Version], read: Sequence[_Read]
) -> tuple[ChangedFile, ...]:
    """Return the changes of files; one of the first import only if it is the last."""
    read = read[:_MOST]
    paths = {one.path for one in later} | {one.path for one in read}
    rows = SourceFile.objects.filter(workspace=workspace, path__in=paths)
    known = {row.path: row for row in rows.order_by("present", "seq")}
    lines = changes_of(workspace, [version.seq for version in later])
    owner = owners_of(workspace)
    groups = sorted(_by_path(later), key=lambda versions: versions[0].path)
    groups.sort(key=lambda versions: versions[0].at, reverse=True)
    return (
        *(_changed(versions, known, lines, owner) for versions in groups),
        *(
            _first(one, known[one.path])
            for one in read
            if one.path in known and known[one.path].seq == one.seq
        ),
    )


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
        role=file.role if file else "",
        file_id=file.pk if file else None,
        format=file.format if file else "",
        moved_from=newest.moved_from,
    )


def _first(one: _Read, file: SourceFile) -> ChangedFile:
    return ChangedFile(
        *(one.path, file.title, "read", one.seq, None, "", "", file.lines, 0),
        *(file.role, file.pk, file.format),
        day=one.day,
    )


@dataclass(frozen=True, slots=True)
class FileText:
    """The beginning of a file that changed, without its front matter and title.

    `day` is the one that a file of the first import states; None without any.
    """

    changed: ChangedFile
    file: SourceFile
    title: str
    text: str
    cut: bool
    day: date | None = None


def texts_of(
    workspace: Workspace, files: Sequence[ChangedFile], number: int, lines: int
) -> list[FileText]:
    """Return the beginnings of notes among files, in three queries.

    Handoffs are none: they have pages of their own, and files that are not read state
    nothing. The index of memory comes last; instructions and documents are given only
    where nothing else is.
    """
    notes = [one for one in files if _is_note(one)]
    unread = unread_files(workspace) if notes else ()
    notes = [one for one in notes if one.path not in unread]
    notes = [one for one in notes if one.is_memory] or notes
    notes.sort(key=lambda one: by_name(one.format).is_index)
    chosen = notes[:number]
    known = SourceFile.objects.in_bulk([one.file_id for one in chosen if one.file_id])
    texts = bytes_by_id([f.blob_id for f in known.values() if f.blob_id])
    return [
        _beginning(one, file, texts.get(file.blob_id or 0, b""), lines)
        for one in chosen
        if (file := known.get(one.file_id or 0))
    ]


def _is_note(one: ChangedFile) -> bool:
    is_text = PurePosixPath(one.path).suffix.casefold() in _NOTES
    return is_text and one.verb != "deleted" and not by_name(one.format).has_pages


def _beginning(one: ChangedFile, file: SourceFile, data: bytes, most: int) -> FileText:
    whole = settled(decode(data).text)
    matter = frontmatter.split(whole)
    found = split_text(matter.body.strip("\n"))
    title = one.title or matter.get("title") or matter.get("name")
    if found and found[0].startswith("# "):
        title, found = found[0][2:].strip(), found[1:]
    is_first = one.verb == "read"
    return FileText(
        one,
        file,
        title,
        "\n".join(found[:most]).strip("\n"),
        cut=len(found) > most,
        day=day_of_note(PurePosixPath(one.path), whole) if is_first else None,
    )
