"""Repair of a damaged database: a new one replaces it, the damaged one stays aside."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from django.db import connection, connections, transaction
from django.db.models import Max, OuterRef, Subquery

from memoryhub.backups.contents import DATABASE, Unsound, check_sound
from memoryhub.backups.restoring import refuse_in_use
from memoryhub.database.schema import ensure_schema, hub_source
from memoryhub.disk.files import FileError, folder_of, locked, sync_folder
from memoryhub.disk.places import read_file
from memoryhub.errors.terminal import quoted
from memoryhub.journal.blobs import CorruptBlob, NoBytes, blob_bytes
from memoryhub.journal.models import (
    Blob,
    FileStat,
    Operation,
    Revision,
    Tombstone,
    Workspace,
)
from memoryhub.journal.packing import GONE, pack
from memoryhub.repair.salvage import Table, copy_readable
from memoryhub.search.index import bring_up_to_date
from memoryhub.search.store import remove_file
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.read.reader import place_at
from memoryhub.sync.record.projection import projected, rebuild

#: Sizes in SQLite's file format, 4.1 and 4.2, in bytes.
_LOG_HEADER, _LOG_FRAME = 32, 24
LOST = "lost"
_ACTOR = "doctor"


def is_sound() -> bool:
    """Return whether the hub's database is sound; the caller excludes writers."""
    try:
        check_sound(hub_source().database)
    except Unsound:
        return False
    return True


def is_log_cut(database: Path) -> bool:
    """Return whether the write-ahead log of a database ends within a frame.

    SQLite writes a header of 32 bytes and then whole frames: 24 bytes and a page each.
    It drops a cut end silently, so check this before it opens the database.
    """
    try:
        log = database.with_name(f"{database.name}-wal")
        with log.open("rb") as opened:
            header = opened.read(_LOG_HEADER)
            size = os.fstat(opened.fileno()).st_size
    except FileNotFoundError:
        return False
    if len(header) < _LOG_HEADER:
        return bool(header)
    page = int.from_bytes(header[8:12], "big")
    return (size - _LOG_HEADER) % (_LOG_FRAME + page) != 0


def repair(at: datetime) -> list[str]:
    """Build a new database from readable rows, the journal and the files.

    Return lines about the repair and its losses.

    A kill leaves either the damaged database in place, or the complete new one.

    Raises:
        Refused: a program has the hub open.
    """
    source = hub_source()
    connections.close_all()
    with locked(source.data / "locks" / "backup"):
        refuse_in_use(source.data)
        for left in source.data.glob("repair-*.draft"):
            shutil.rmtree(left, ignore_errors=True)
        draft = source.data / f"repair-{uuid4().hex}.draft"
        draft.mkdir(mode=0o700)
        try:
            new = draft / DATABASE
            os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            left_out = {model._meta.db_table for model in projected()}
            tables = copy_readable(source.database, new, left_out)
            told = [*map(_line_of, tables), *_mended(new, at)]
            check_sound(new)
            aside = source.database.with_name(f"{DATABASE}.damaged-{at:%Y%m%dT%H%M%S}")
            aside.hardlink_to(source.database)
            for ending in ("-wal", "-shm"):
                # Move the log first: it must never be applied to the new database.
                with suppress(FileNotFoundError):
                    log = source.database.with_name(f"{source.database.name}{ending}")
                    log.rename(aside.with_name(f"{aside.name}{ending}"))
            new.replace(source.database)
            sync_folder(source.database.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    made = f"A new database was made; the damaged one is {quoted(str(aside))}"
    return [made, *filter(None, told), "Now: memoryhub sync"]


def _line_of(table: Table) -> str:
    """Return the losses of a table in words; empty for none."""
    if not table.lost and not table.damaged:
        return ""
    return (
        f"  {table.name}: {table.copied} rows, {table.lost} unreadable,"
        f" {table.damaged} damaged pages"
    )


def _mended(database: Path, at: datetime) -> list[str]:
    """Repair the journal in a database that is not the hub's yet."""
    settings = connections["default"].settings_dict
    before = settings["NAME"]
    settings["NAME"] = database
    try:
        ensure_schema()
        told = mend(at)
        with connections["default"].cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.execute("PRAGMA journal_mode=DELETE")
        return told
    finally:
        connections.close_all()
        settings["NAME"] = before


def mend(at: datetime) -> list[str]:
    """Repair the journal of the connected database, and rebuild all workspaces.

    Return lines about the losses.
    """
    reason = f"unreadable when the database was repaired on {at:%Y-%m-%d}"
    with transaction.atomic(), connection.constraint_checks_disabled():
        told = list(_missing_workspaces(at))
        known = Blob.objects.values("pk")
        revisions = Revision.objects.filter(blob_id__isnull=False).order_by()
        missing = revisions.exclude(blob_id__in=known).values_list("blob_id", flat=True)
        for number in missing.distinct():
            digest = f"{number:064x}"
            Blob.objects.create(
                pk=number, sha256=digest, size=0, encoding=GONE, data=b""
            )
        behind = Blob.objects.filter(base_id__isnull=False)
        behind.exclude(base_id__in=known).update(base=None, depth=0)
        found, lost = _damaged_blobs()
        versions = [*_tombstones(lost, at, reason)]
        dangling = [*_drop_dangling()]
        told += [*_fill_gaps(at, reason), *versions, *dangling]
        if found:
            told.append(f"  {found} versions came back from the files")
        _read_again()
    for workspace in Workspace.objects.all():
        with locked(workspace_lock(workspace)):
            rebuild(workspace)
    remove_file()
    for workspace in Workspace.objects.all():
        bring_up_to_date(workspace)
    return told


def _missing_workspaces(at: datetime) -> Iterator[str]:
    """Recreate missing workspaces of the journal, with a line for each: no folder."""
    known = Workspace.everything.values("pk")
    revisions = Revision.objects.exclude(workspace_id__in=known).order_by()
    for number in revisions.values_list("workspace_id", flat=True).distinct():
        slug = f"recovered-{number}"
        Workspace.objects.create(
            pk=number,
            uuid=uuid4(),
            slug=slug,
            name=slug,
            root=f"/{slug}",
            created_at=at,
        )
        yield f"  {slug}: its folder is not known: memoryhub move {slug} PATH"


def _damaged_blobs() -> tuple[int, list[Blob]]:
    """Return the number of versions restored from files, and the blobs lost."""
    marked = set(Tombstone.objects.values_list("blob_id", flat=True))
    found, lost = 0, []
    for blob in Blob.objects.select_related("base").order_by("id").iterator(500):
        try:
            blob_bytes(blob)
        except CorruptBlob:
            found += (came_back := _from_files(blob))
            if not came_back:
                lost.append(blob)
        except NoBytes:
            if blob.pk not in marked:
                lost.append(blob)
    for blob in lost:
        blob.base, blob.depth, blob.encoding, blob.data = None, 0, GONE, b""
        blob.save()
    return found, lost


def _from_files(blob: Blob) -> bool:
    """Restore a version from a file with its hash; return whether one was found."""
    for seen in FileStat.objects.filter(sha256=blob.sha256).select_related("workspace"):
        try:
            read = read_file(place_at(folder_of(seen.workspace.root), seen.path))
        except FileError:
            continue
        if read.sha256 == blob.sha256:
            packed = pack(read.data, blob.sha256)
            blob.base, blob.depth = None, 0
            blob.encoding, blob.data = packed.encoding, packed.data
            blob.save()
            return True
    return False


def _tombstones(lost: list[Blob], at: datetime, reason: str) -> Iterator[str]:
    """Create tombstones for lost versions; yield a line for each."""
    marked = set()
    revisions = Revision.objects.filter(blob__in=lost).select_related("workspace")
    for revision in revisions.order_by("workspace_id", "seq"):
        blob = revision.blob
        assert blob is not None
        if (revision.workspace_id, blob.pk) not in marked:
            marked.add((revision.workspace_id, blob.pk))
            Tombstone.objects.create(
                workspace=revision.workspace,
                kind=Tombstone.Kind.THINNED,
                sha256=blob.sha256,
                size=blob.size,
                blob=blob,
                at=at,
                actor=_ACTOR,
                reason=reason,
            )
        place = f"{quoted(revision.path)} at {revision.seq}"
        yield f"  {revision.workspace.slug}: the bytes of {place} are gone"


def _drop_dangling() -> Iterator[str]:
    """Delete rows with broken foreign keys; yield a line for each table."""
    dropped: Counter[str] = Counter()
    with connection.cursor() as cursor:
        while found := cursor.execute("PRAGMA foreign_key_check").fetchall():
            for table, rowid in {(row[0], row[1]) for row in found}:
                cursor.execute(f'DELETE FROM "{table}" WHERE rowid = %s', [rowid])
                dropped[table] += 1
    for table, count in dropped.items():
        yield f"  {table}: {count} rows spoke of rows that are gone"


def _fill_gaps(at: datetime, reason: str) -> Iterator[str]:
    """Fill gaps of the journal with withdrawn operations; yield a line for each."""
    for workspace in Workspace.everything.all():
        there = {
            *Revision.objects.filter(workspace=workspace).values_list("seq", flat=True),
            *Operation.objects.filter(workspace=workspace).values_list(
                "seq", flat=True
            ),
        }
        last = max([workspace.last_seq, *there])
        gaps = sorted(set(range(1, last + 1)) - there)
        Operation.objects.bulk_create(
            _lost_entry(workspace, seq, at, reason) for seq in gaps
        )
        workspace.last_seq = last
        workspace.save(update_fields=["last_seq"])
        if gaps:
            yield f"  {workspace.slug}: {len(gaps)} journal entries are gone"


def _lost_entry(workspace: Workspace, seq: int, at: datetime, reason: str) -> Operation:
    return Operation(
        workspace=workspace,
        seq=seq,
        key=f"{LOST}-{seq}",
        actor=_ACTOR,
        verb=LOST,
        target="",
        reason=reason,
        state=Operation.State.WITHDRAWN,
        recorded_at=at,
    )


def _read_again() -> None:
    """Make the next sync read every file and record versions missing in the journal."""
    newest = Revision.objects.filter(
        workspace=OuterRef("workspace"), path=OuterRef("path")
    ).order_by("-seq")
    FileStat.objects.update(recheck=True)
    known = FileStat.objects.annotate(
        journal=Subquery(newest.values("blob__sha256")[:1])
    )
    for stat in known.iterator(500):
        if stat.journal != stat.sha256:
            FileStat.objects.filter(pk=stat.pk).update(sha256="")
    runs = Workspace.everything.annotate(most=Max("runs__number"))
    for workspace in runs:
        if (workspace.most or 0) > workspace.last_run:
            workspace.last_run = workspace.most or 0
            workspace.save(update_fields=["last_run"])
