"""Files OpenClaw reads at session start: MEMORY.md, and the files of two days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryhub.formats.openclaw.startup_context import MAX_SLUGGED, DailyFile, days_read
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Revision, Workspace
from memoryhub.recall.texts import Passage
from memoryhub.values.limits import STARTUP_FILE_BYTES

_INDEX = "MEMORY.md"


#: The files read at the start of an OpenClaw session: index and daily logs.
StartFacts = tuple[Passage | None, tuple[DailyFile, ...]]


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
    indexes = revisions.filter(path=_INDEX).order_by("-seq")
    index = indexes.values_list("blob_id", flat=True).first()
    sizes = {file.blob.pk: file.blob.size for file in ordered if file.blob}
    requested = {pk for pk, size in sizes.items() if size <= STARTUP_FILE_BYTES}
    data = bytes_by_id(requested if index is None else {*requested, index})
    texts = {blob_id: settled(decode(found).text) for blob_id, found in data.items()}
    daily = tuple(
        DailyFile(file.path, texts.get(file.blob_id or 0, ""), sizes[file.blob_id or 0])
        for file in ordered
    )
    if index is None:
        return None, daily
    return Passage("", texts.get(index, ""), _INDEX, 1), daily


def _files_of_a_day(newest: dict[str, Revision], stem: str) -> Iterator[Revision]:
    """Yield the log of a day, then the newest other files named after it."""
    if log := newest.get(f"{stem}.md"):
        yield log
    named = [file for path, file in newest.items() if path.startswith(f"{stem}-")]
    named.sort(key=lambda file: (file.mtime_ns, file.path), reverse=True)
    yield from named[:MAX_SLUGGED]


def _newest_versions(
    revisions: QuerySet[Revision], stems: list[str]
) -> dict[str, Revision]:
    """Return the newest versions of the days' files, by path."""
    requested = Q()
    for stem in stems:
        requested |= Q(path=f"{stem}.md") | Q(path__gte=f"{stem}-", path__lt=f"{stem}.")
    depth = stems[0].count("/")
    found: dict[str, Revision] = {}
    rows = revisions.filter(requested).select_related("blob").defer("blob__data")
    for row in rows.order_by("seq"):
        found.pop(row.moved_from, None)
        found.pop(row.path, None)
        if row.blob and row.path.endswith(".md") and row.path.count("/") == depth:
            found[row.path] = row
    return found
