"""Erasure of hidden content: files on disk, sealed rows, blobs, free pages.

Every step is idempotent, so that a killed run continues with the next.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from memoryhub.accounts.models import BrowserSession
from memoryhub.accounts.sessions import TeamStore
from memoryhub.disk.files import FileError, locked, text_path
from memoryhub.disk.places import Place, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.forgetting.aims import Aim, PatternAim, files_with
from memoryhub.forgetting.hiding import drop_unused
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.exporters import text_key
from memoryhub.journal.models import Blob, Operation, Revision, Tombstone
from memoryhub.journal.versions import file_at, newest_text
from memoryhub.search import store
from memoryhub.sync.edit.editing import apply_each
from memoryhub.sync.edit.edits import Edit

_PIECE = 2_000
#: Folder of hooks' waiting events, and name of its lock.
_SPOOL = "spool"
_ATTEMPTS, _PAUSE_SECONDS = 50, 0.1


def redact_files(forgetting: Forgetting, at: datetime) -> list[str]:
    """Redact the files that still contain forgotten content.

    Return messages about files that could not be written.
    """
    edits, left = [], []
    for path, digest in files_with(forgetting.workspace, hidden_by(forgetting)):
        try:
            edits.append(_redaction(forgetting, path, digest))
        except NoBytes as error:
            left.append(f"{path}: {error}")
    failed = apply_each(forgetting.workspace, edits, clock=lambda: at)
    # A file error includes the path.
    told = [
        str(error) if isinstance(error, FileError) else f"{edit.path}: {error}"
        for edit, error in failed
    ]
    return sorted([*left, *told])


def restore_files(forgetting: Forgetting, at: datetime) -> None:
    """Restore the files that a forgetting redacted, unless they were changed since."""
    workspace = forgetting.workspace
    done = Operation.objects.filter(
        workspace=workspace,
        key__startswith=_key_of(forgetting),
        state=Operation.State.APPLIED,
    )
    edits = []
    for one in done.order_by("seq"):
        file = file_at(workspace, one.target)
        is_there = file is not None and file.present
        digest = file.blob.sha256 if file and file.blob and is_there else ""
        if digest == one.after_sha:
            base = text_key(newest_text(workspace, one.target) if is_there else "")
            payload = {"sha": one.before_sha, "label": one.target}
            verb, key = "bring_back_forgotten", f"un{one.key}"
            edits.append(
                Edit(one.target, verb, payload, forgetting.actor, base, key=key)
            )
    apply_each(workspace, edits, clock=lambda: at)


def _key_of(forgetting: Forgetting) -> str:
    """Return how the keys of a forgetting's operations begin."""
    return f"forget-{forgetting.pk}-"


def files_holding(forgetting: Forgetting) -> list[str]:
    """Return the paths of files with hidden content, as of the last scan."""
    found = files_with(forgetting.workspace, hidden_by(forgetting))
    return [path for path, _ in found]


def hidden_by(forgetting: Forgetting) -> set[str]:
    """Return the hashes of the versions that a forgetting has replaced."""
    hidden = Tombstone.objects.filter(forgetting=forgetting.pk)
    return set(hidden.values_list("sha256", flat=True))


def _redaction(forgetting: Forgetting, path: str, digest: str) -> Edit:
    """Build the edit that redacts a file, or restores the version before.

    A file without any remaining version is removed.
    """
    text = decode(stored_bytes(digest)).text
    left = _left_of(forgetting, path, digest)
    verb = "redact" if left else "forget_file"
    payload = {"sha": left, "label": path}
    # The same version can come again: each writing has a key of its own.
    seq = forgetting.workspace.last_seq
    key = f"{_key_of(forgetting)}{seq}-{text_key(path)[:16]}"
    return Edit(path, verb, payload, forgetting.actor, text_key(text), key=key)


def _left_of(forgetting: Forgetting, path: str, digest: str) -> str:
    """Return the hash of the file's replacement version; empty for no file."""
    tombstones = Tombstone.objects.filter(forgetting=forgetting.pk, sha256=digest)
    stands_in = tombstones.select_related("blob").latest("id").blob
    if stands_in.encoding != Blob.Encoding.GONE:
        return stands_in.sha256
    versions = Revision.objects.filter(workspace=forgetting.workspace, path=path)
    before = versions.filter(blob__isnull=False).exclude(blob__encoding="gone")
    found = before.order_by("-seq").values_list("blob__sha256", flat=True).first()
    return found or ""


def erase_rows(forgetting: Forgetting) -> None:
    """Delete sealed rows, and the blobs without references after that."""
    sealed = SealedRow.objects.filter(forgetting=forgetting).order_by()
    while True:
        piece = SealedRow.objects.filter(pk__in=sealed.values("pk")[:_PIECE])
        with transaction.atomic():
            if not piece._raw_delete(piece.db):
                break
    hidden = Tombstone.objects.filter(forgetting=forgetting.pk).values("sha256")
    whole = Blob.objects.filter(sha256__in=hidden).exclude(encoding=Blob.Encoding.GONE)
    drop_unused(list(whole.values_list("pk", flat=True)))


def erase_beside(aim: Aim) -> None:
    """Redact a pattern's matches in waiting events and in sessions."""
    if not isinstance(aim, PatternAim):
        return
    data = Path(settings.MEMORYHUB_DATA)
    with locked(data / "locks" / _SPOOL):
        for folder, _, names in os.walk(data / _SPOOL):
            for name in sorted(names):
                below = Path(folder, name).relative_to(data)
                _redact_event(Place(data, text_path(str(below))), aim)
    store = TeamStore()
    for session in BrowserSession.objects.iterator():
        held, count = aim.in_rows.redacted_value(store.decode(session.session_data))
        if count:
            session.session_data = store.encode(held)
            session.save(update_fields=["session_data"])


def _redact_event(place: Place, aim: PatternAim) -> None:
    """Redact a file of the spool; one processed meanwhile is missing."""
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
    """Update the checksum in a complete draft's name."""
    old, new = (f".{zlib.crc32(held):08x}." for held in (before, data))
    if place.name.startswith(".") and old in place.name:
        with place.folder() as folder:
            folder.rename(place.name, place.name.replace(old, new))


def backups_before(at: datetime) -> int:
    """Return the number of backups in their folder older than a time."""
    found = 0
    with suppress(OSError):
        for backup in Path(settings.MEMORYHUB_BACKUP_DIR).glob("*.tar.gz*"):
            found += backup.stat().st_mtime < at.timestamp()
    return found


class NotSwept(Exception):
    """The database is being read continuously; deleted bytes remain in its log."""

    def __str__(self) -> str:
        return "deleted bytes are left in the database's log: it is read all the time"


def sweep() -> None:
    """Rewrite both databases without deleted bytes, and empty their logs.

    Writers wait meanwhile, about a second for 100 MB. Does nothing within a
    transaction, whose deletions are not committed yet.

    Raises:
        NotSwept: a reader keeps a log from being emptied; try again later.
    """
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    if not (_until_done(_emptied_log) and _until_done(store.sweep)):
        raise NotSwept


def _emptied_log() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not cursor.fetchone()[0]


def _until_done(step: Callable[[], bool]) -> bool:
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        if step():
            return True
    return False
