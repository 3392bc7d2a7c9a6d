"""Erase what was hidden: from files on disk, sealed rows, stored versions, free pages.

Every step can be done again, so that a run that was killed goes on with the next.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction

from memoryhub.disk.files import FileError, locked, text_path
from memoryhub.disk.places import Place, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.forgetting.queries.aims import Aim, PatternAim
from memoryhub.forgetting.services.hiding import drop_unused
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.exporters import text_key
from memoryhub.journal.models import Blob, FileStat, Revision, Tombstone
from memoryhub.sync.edit.editing import apply_each
from memoryhub.sync.edit.edits import Edit

_PIECE = 2_000
#: The folder in which events of hooks wait, and its lock.
_SPOOL = "spool"


def redact_files(forgetting: Forgetting, at: datetime) -> list[str]:
    """Take what was forgotten out of the files that still hold it.

    Return those that could not be written, each with the reason.
    """
    edits, left = [], []
    for path, digest in _holding(forgetting):
        try:
            edits.append(_redaction(forgetting, path, digest))
        except NoBytes as error:
            left.append(f"{path}: {error}")
    failed = apply_each(forgetting.workspace, edits, clock=lambda: at)
    # A file's error names the file itself.
    told = [
        str(error) if isinstance(error, FileError) else f"{edit.path}: {error}"
        for edit, error in failed
    ]
    return sorted([*left, *told])


def files_holding(forgetting: Forgetting) -> list[str]:
    """Return the files that hold what is hidden, as far as the last look at them."""
    return [path for path, _ in _holding(forgetting)]


def _holding(forgetting: Forgetting) -> list[tuple[str, str]]:
    hidden = Tombstone.objects.filter(forgetting=forgetting.pk).values("sha256")
    known = FileStat.objects.filter(workspace=forgetting.workspace, sha256__in=hidden)
    return list(known.order_by("path").values_list("path", "sha256"))


def _redaction(forgetting: Forgetting, path: str, digest: str) -> Edit:
    """Return what writes the rest of a file's version; without one, what was before.

    A file of which every version is forgotten is taken away.
    """
    text = decode(stored_bytes(digest)).text
    left = _left_of(forgetting, path, digest)
    verb = "redact" if left else "forget_file"
    payload = {"sha": left, "label": path}
    key = f"forget-{forgetting.pk}-{digest[:16]}-{text_key(path)[:16]}"
    return Edit(path, verb, payload, forgetting.actor, text_key(text), key=key)


def _left_of(forgetting: Forgetting, path: str, digest: str) -> str:
    """Return the hash of the version that a file is to hold; empty for no file."""
    tombstones = Tombstone.objects.filter(forgetting=forgetting.pk, sha256=digest)
    stands_in = tombstones.select_related("blob").latest("id").blob
    if stands_in.encoding != Blob.Encoding.GONE:
        return stands_in.sha256
    versions = Revision.objects.filter(workspace=forgetting.workspace, path=path)
    before = versions.filter(blob__isnull=False).exclude(blob__encoding="gone")
    found = before.order_by("-seq").values_list("blob__sha256", flat=True).first()
    return found or ""


def erase_rows(forgetting: Forgetting) -> None:
    """Delete sealed rows, and the versions that nothing refers to without them."""
    sealed = SealedRow.objects.filter(forgetting=forgetting).order_by()
    while True:
        piece = SealedRow.objects.filter(pk__in=sealed.values("pk")[:_PIECE])
        with transaction.atomic():
            if not piece._raw_delete(piece.db):
                break
    hidden = Tombstone.objects.filter(forgetting=forgetting.pk).values("sha256")
    whole = Blob.objects.filter(sha256__in=hidden).exclude(encoding=Blob.Encoding.GONE)
    drop_unused(list(whole.values_list("pk", flat=True)))


def still_elsewhere(forgetting: Forgetting) -> list[str]:
    """Return the other workspaces that have a version with the very same bytes."""
    hidden = Tombstone.objects.filter(forgetting=forgetting.pk).values("sha256")
    others = Revision.objects.exclude(workspace=forgetting.workspace)
    held = others.filter(blob__sha256__in=hidden).exclude(blob__encoding="gone")
    names = held.order_by("workspace__slug").values_list("workspace__slug", flat=True)
    return list(names.distinct())


def erase_beside(aim: Aim) -> None:
    """Take matches of a pattern out of events that wait, and out of sessions."""
    if not isinstance(aim, PatternAim):
        return
    data = Path(settings.MEMORYHUB_DATA)
    with locked(data / "locks" / _SPOOL):
        for folder, _, names in os.walk(data / _SPOOL):
            for name in sorted(names):
                below = Path(folder, name).relative_to(data)
                _redact_event(Place(data, text_path(str(below))), aim)
    for session in Session.objects.iterator():
        held, count = aim.in_rows.redacted_value(session.get_decoded())
        if count:
            session.session_data = SessionStore().encode(held)
            session.save(update_fields=["session_data"])


def _redact_event(place: Place, aim: PatternAim) -> None:
    """Redact a file of the spool; one that was done meanwhile is gone."""
    with suppress(FileError):
        held = read_file(place)
        text = held.data.decode("utf-8", "surrogateescape")
        left, count = aim.in_rows.redacted(text)
        if not count:
            return
        data = left.encode("utf-8", "surrogateescape")
        replace_file(place, data, expected=held.sha256)
        _rename_draft(place, held.data, data)


def _rename_draft(place: Place, before: bytes, data: bytes) -> None:
    """Have the name of a complete draft tell that it is complete still."""
    old, new = (f".{zlib.crc32(held):08x}." for held in (before, data))
    if place.name.startswith(".") and old in place.name:
        with place.folder() as folder:
            folder.rename(place.name, place.name.replace(old, new))


def backups_before(at: datetime) -> int:
    """Return how many backups in the folder for them are older than a moment."""
    found = 0
    with suppress(OSError):
        for backup in Path(settings.MEMORYHUB_BACKUP_DIR).glob("*.tar.gz*"):
            found += backup.stat().st_mtime < at.timestamp()
    return found
