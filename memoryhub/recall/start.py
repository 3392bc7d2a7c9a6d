"""Files OpenClaw reads at session start: MEMORY.md, and the files of two days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryhub.formats.openclaw.startup_context import MAX_SLUGGED, DailyFile, days_read
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Revision, Workspace
from memoryhub.recall.texts import Passage
from memoryhub.values.limits import STARTUP_FILE_BYTES

_INDEX = "MEMORY.md"


@dataclass(frozen=True, slots=True)
class StartFacts:
    """The files read at the start of an OpenClaw session."""

    index: Passage | None
    daily: tuple[DailyFile, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """The newest version of a file, with the file's modification time."""

    path: str
    mtime_ns: int
    blob_id: int
    size: int


def start_facts(
    workspace: Workspace, now: datetime, seq: int | None = None
) -> StartFacts:
    """Return the files read at session start, in order; at a seq, or now."""
    local = now.astimezone(ZoneInfo(workspace.time_zone))
    stems = [f"{workspace.memory_folder}/{day}" for day in days_read(local)]
    revisions = Revision.objects.filter(workspace=workspace)
    if seq is not None:
        revisions = revisions.filter(seq__lte=seq)
    newest = _newest_versions(revisions, stems)
    ordered = [file for stem in stems for file in _files_of_a_day(newest, stem)]
    index = _newest_index(revisions)
    wanted = [file.blob_id for file in ordered if file.size <= STARTUP_FILE_BYTES]
    if index is not None:
        wanted.append(index)
    texts = {key: decode(data).text for key, data in bytes_by_id(set(wanted)).items()}
    return StartFacts(
        None if index is None else Passage("", texts.get(index, ""), _INDEX, 1),
        tuple(
            DailyFile(file.path, texts.get(file.blob_id, ""), file.size)
            for file in ordered
        ),
    )


def _files_of_a_day(newest: dict[str, _Found], stem: str) -> Iterator[_Found]:
    """Yield the log of a day, then the newest other files named after it."""
    if log := newest.get(f"{stem}.md"):
        yield log
    named = [file for path, file in newest.items() if path.startswith(f"{stem}-")]
    named.sort(key=lambda file: (file.mtime_ns, file.path), reverse=True)
    yield from named[:MAX_SLUGGED]


def _newest_versions(
    revisions: QuerySet[Revision], stems: list[str]
) -> dict[str, _Found]:
    wanted = Q()
    for stem in stems:
        wanted |= Q(path=f"{stem}.md") | Q(path__gte=f"{stem}-", path__lt=f"{stem}.")
    columns = ("path", "moved_from", "mtime_ns", "blob_id", "blob__size")
    depth = stems[0].count("/")
    found: dict[str, _Found] = {}
    rows = revisions.filter(wanted).order_by("seq")
    for path, moved_from, mtime_ns, blob_id, size in rows.values_list(*columns):
        found.pop(moved_from, None)
        found.pop(path, None)
        if blob_id is not None and path.endswith(".md") and path.count("/") == depth:
            found[path] = _Found(path, mtime_ns, blob_id, size)
    return found


def _newest_index(revisions: QuerySet[Revision]) -> int | None:
    rows = revisions.filter(path=_INDEX).order_by("-seq")
    return rows.values_list("blob_id", flat=True).first()
