"""Repair of a damaged database: a new one replaces it, the damaged one is kept."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from django.db import connections

from memoryhub.backups.contents import DATABASE, Unsound, check_sound, sync_folder
from memoryhub.backups.restoring import refuse_in_use
from memoryhub.database.schema import ensure_schema, hub_source
from memoryhub.disk.files import locked
from memoryhub.repair.copying import Copied, copy_readable
from memoryhub.repair.mending import Mended, mend
from memoryhub.sync.record.projection import projected

#: Sizes in SQLite's file format, 4.1 and 4.2, in bytes.
_LOG_HEADER, _LOG_FRAME = 32, 24


@dataclass(frozen=True, slots=True)
class Repaired:
    """Result of a repair: path of the damaged database, and losses."""

    aside: Path
    tables: tuple[Copied, ...]
    mended: Mended


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


def repair(at: datetime) -> Repaired:
    """Build a new database from readable rows, the journal and the files.

    A kill leaves either the damaged database in place, or the complete new one.

    Raises:
        InUse: a program has the hub open.
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
            mended = _mended(new, at)
            check_sound(new)
            aside = _exchanged(source.database, new, at)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return Repaired(aside, tables, mended)


def _mended(database: Path, at: datetime) -> Mended:
    """Repair the journal in a database that is not the hub's yet."""
    settings = connections["default"].settings_dict
    before = settings["NAME"]
    settings["NAME"] = database
    try:
        ensure_schema()
        mended = mend(at)
        with connections["default"].cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.execute("PRAGMA journal_mode=DELETE")
        return mended
    finally:
        connections.close_all()
        settings["NAME"] = before


def _exchanged(database: Path, new: Path, at: datetime) -> Path:
    """Replace the damaged database by the new one; return the damaged one's path."""
    aside = database.with_name(f"{DATABASE}.damaged-{at:%Y%m%dT%H%M%S}")
    aside.hardlink_to(database)
    for ending in ("-wal", "-shm"):
        # Move the log first: it must never be applied to the new database.
        with suppress(FileNotFoundError):
            log = database.with_name(f"{database.name}{ending}")
            log.rename(aside.with_name(f"{aside.name}{ending}"))
    new.replace(database)
    sync_folder(database.parent)
    return aside
