"""Integrity check of the whole database."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.db import connection

from memoryhub.backups.contents import CHECKED
from memoryhub.disk.files import write_durably
from memoryhub.journal.blobs import CorruptBlob, blob_bytes
from memoryhub.journal.models import Blob, Workspace

_CHUNK = 500
_SHOWN = 5
#: SQLite steps between two checks of the time.
_STEPS = 10_000
_DAY = timedelta(days=1)
#: Timeout of the daily check, in seconds; it reads about 500 MB a second.
_LONGEST = 300.0

_SEQS = """
SELECT count(*), count(DISTINCT seq), coalesce(max(seq), 0) FROM (
    SELECT seq FROM workspaces_revision WHERE workspace_id = %s
    UNION ALL SELECT seq FROM workspaces_operation WHERE workspace_id = %s
)
"""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """A check with its result; `detail` explains a failure."""

    name: str
    holds: bool
    detail: str = ""


def check_database(progress: Progress | None = None) -> Iterator[Finding]:
    """Run the checks of the hub's database, yielding each result."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        report = "; ".join(str(row[0]) for row in cursor.fetchmany(_SHOWN))
    sound = report == "ok"
    yield Finding("the database file is sound", sound, "" if sound else report)
    for workspace in Workspace.objects.all():
        yield _journal(workspace)
        yield _rows(workspace)
    yield _blobs(progress)


class QuickCheck(NamedTuple):
    """Result of a quick check of the database file; `sound` is None on a timeout.

    `at` is the time of a daily check.
    """

    sound: bool | None
    detail: str = ""
    at: datetime | None = None


def look_at_database(seconds: float = 2.0) -> QuickCheck:
    """Check the database file for damage, for at most `seconds`.

    Unlike `check_database` it checks the file only, without its indexes.

    Raises:
        DatabaseError: the file cannot be read at all.
    """
    connection.ensure_connection()
    held: sqlite3.Connection = connection.connection
    end = time.monotonic() + seconds
    held.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        found = held.execute(f"PRAGMA quick_check({_SHOWN})").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return QuickCheck(None, f"not read to its end in {seconds:g} s")
        raise
    except sqlite3.DatabaseError as error:
        return QuickCheck(False, str(error))
    finally:
        held.set_progress_handler(None, 0)
    report = "; ".join(str(row[0]) for row in found)
    return QuickCheck(True) if report == "ok" else QuickCheck(False, report)


def look_daily(data: Path, now: datetime) -> QuickCheck:
    """Check the database file unless done within a day; store the result.

    Stored in the data folder, so that it can be read when the database cannot.
    """
    last = last_look(data)
    if last and last.at and timedelta() <= now - last.at < _DAY:
        return last
    try:
        look = look_at_database(_LONGEST)
    except sqlite3.OperationalError as error:
        look = QuickCheck(None, str(error))
    note = {
        "at": now.isoformat(),
        "file": _file_number(),
        "sound": look.sound,
        "detail": look.detail,
    }
    write_durably(data / CHECKED, json.dumps(note).encode())
    return look._replace(at=now)


def _file_number() -> int:
    """Return the inode of the database's file: a repair replaces the file."""
    return Path(connection.settings_dict["NAME"]).stat().st_ino


def last_look(data: Path) -> QuickCheck | None:
    """Return the result of the last daily check.

    None if there was none, or if the database file was replaced since.
    """
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = json.loads((data / CHECKED).read_bytes())
        if stored["file"] != _file_number():
            return None
        at = datetime.fromisoformat(stored["at"])
        return QuickCheck(stored["sound"], str(stored["detail"]), at)
    return None


def _journal(workspace: Workspace) -> Finding:
    """Check for gaps: every seq up to the last is one revision or one operation."""
    with connection.cursor() as cursor:
        cursor.execute(_SEQS, [workspace.pk, workspace.pk])
        count, distinct, last = cursor.fetchone()
    name = f"the journal of {workspace.slug} has no gaps"
    if count == distinct == last == workspace.last_seq:
        return Finding(name, True)
    detail = f"{count} entries, the last is {last}, {workspace.last_seq} were given"
    return Finding(name, False, detail)


def _rows(workspace: Workspace) -> Finding:
    behind = workspace.last_seq - workspace.projected_seq
    name = f"the rows of {workspace.slug} are those of its journal"
    if not behind:
        return Finding(name, True)
    return Finding(name, False, f"{behind} entries behind: memoryhub sync")


def _blobs(progress: Progress | None) -> Finding:
    name = "every stored version has its hash"
    wrong: list[str] = []
    blobs = Blob.objects.select_related("base").order_by("id")
    blobs = blobs.exclude(encoding=Blob.Encoding.GONE)
    total = blobs.count()
    for done, blob in enumerate(blobs.iterator(_CHUNK), 1):
        try:
            blob_bytes(blob)
        except CorruptBlob as error:
            wrong.append(str(error)[:12])
        if progress:
            progress(done, total)
    if not wrong:
        return Finding(name, True)
    return Finding(name, False, f"{len(wrong)} do not: {', '.join(wrong[:_SHOWN])}")
