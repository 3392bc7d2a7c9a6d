"""Restore of a backup into a data folder: verified first, complete or unusable.

While the restored files are moved into place the folder has no database, which every
command refuses (`memoryhub.database.founding`): the old one is moved away first, the
new one comes last. A killed restore is repeated from the same file.

Nothing is written into workspaces, now or later: operations pending at the time of the
backup are withdrawn, and events waiting then are set aside. Both may have been
completed since, in files newer than the backup.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from memoryhub.backups.archive import Manifest, TooLarge, read_archive
from memoryhub.backups.contents import (
    BACKUPS,
    DATABASE,
    OWN,
    SPOOL,
    check_sound,
    is_one_of,
    set_aside,
    workspaces_of,
)
from memoryhub.backups.ledger import BackupEntry, record_backup
from memoryhub.backups.sealing import Damaged, is_sealed
from memoryhub.disk.files import locked, sync_folder

#: Further traces of a hub: a killed restore leaves them.
_TRACES = ("set-aside-*", "restore-*.draft")
#: Entries allowed in a folder that never was a hub's.
_NOTHING = ("lost+found", "locks", BACKUPS, "samples", "memoryhub-*.tar.gz*", "*.draft")
#: Bytes of disk that stay free: SQLite's journal, and the folder's other programs.
_RESERVE = 16 * 1024**2
_REFUSED = "refused"
_WITHDRAWN = (
    "UPDATE workspaces_operation SET state = 'withdrawn',"
    " reason = trim(reason || ' (' || ? || ')') WHERE state = 'pending'"
)
Free = Callable[[Path], int]
#: Takes the short names and roots of workspaces; returns whether to go on.
Agreed = Callable[[tuple[tuple[str, str], ...]], bool]


class _Workspace(BaseModel, strict=True):
    workspace: str
    root: str
    journal_entries: int


class _Facts(BaseModel):
    """The facts that a manifest must give about its hub; others are ignored."""

    made_at: AwareDatetime
    version: str
    data: str = Field(pattern="^/")
    schema_number: int = Field(alias="schema")
    workspaces: list[_Workspace]


class Refused(Exception):
    """A restore that is not done: the message says why. The folder is as it was."""


def free_space(folder: Path) -> int:
    """Return the bytes that this process can still write to a folder's disk."""
    return shutil.disk_usage(folder).free


def verify(file: Path, passphrase: str = "") -> Manifest:
    """Read and verify a whole backup; return its manifest. Nothing is written.

    Raises:
        Damaged, WrongPassphrase, NeedsPassphrase: see `read_archive`.
        OSError: the file cannot be read.
    """
    with file.open("rb") as source:
        manifest = read_archive(source, passphrase)
    _check(manifest)
    return manifest


def _check(manifest: Manifest) -> None:
    """Check the facts that a manifest gives about its hub.

    Raises:
        Damaged: a fact is missing or of another type, or there is no database.
    """
    if DATABASE not in manifest.members:
        raise Damaged("it holds no database")
    try:
        _Facts.model_validate(manifest.facts)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise Damaged(f"{place} of its manifest is not what was written") from error


def restore(  # noqa: PLR0913
    file: Path,
    data: Path,
    passphrase: str = "",
    *,
    replace: bool = False,
    known_migrations: frozenset[tuple[str, str]] | None = None,
    free: Free = free_space,
    agreed: Agreed = lambda roots: True,
) -> dict[str, Any]:
    """Restore a backup into a data folder, created if missing; return a summary.

    An existing hub is refused, or with `replace` moved into a subfolder. The backup is
    read twice: nothing is written before all of it is verified and the disk has room
    for it. Nothing is moved before `agreed` is given the workspaces' folders.

    Raises:
        Refused: a hub is there or in use, the folder is another's, the disk has no
            room, the backup is of a later version, or `agreed` is false.
        Damaged, WrongPassphrase, NeedsPassphrase, Unsound: the backup cannot be used;
            the folder is as it was.
        OSError: a file cannot be read or written.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    refuse_other(data, replace=replace)
    with locked(data / "locks" / "backup"):
        refuse_other(data, replace=replace)
        for left in data.glob("restore-*.draft"):
            shutil.rmtree(left, ignore_errors=True)
        draft = data / f"restore-{uuid4().hex}.draft"
        draft.mkdir(mode=0o700)
        try:
            with file.open("rb") as source:
                manifest = _measured(source, passphrase, free(data) - _RESERVE)
                _check(manifest)
                source.seek(0)
                read_archive(source, passphrase, into=draft, most=manifest.room)
                last = _last_backup(file, source, manifest)
            not_continued = _prepared(draft, data, manifest, known_migrations)
            record_backup(draft, last)
            roots = workspaces_of(draft / DATABASE)
            if not agreed(roots):
                raise Refused("nothing was restored: --yes restores without asking")
            refuse_in_use(data)
            aside = set_aside(data, {path.name for path in draft.iterdir()})
            names = [path.name for path in draft.iterdir() if path.name != DATABASE]
            for name in names:
                (draft / name).rename(data / name)
            sync_folder(data)
            (draft / DATABASE).rename(data / DATABASE)
            sync_folder(data)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return {
        "data": str(data),
        "made_at": manifest.facts["made_at"],
        "workspaces": [slug for slug, _ in roots],
        "files": last.files,
        **not_continued,
        "set_aside": aside and str(aside),
    }


def _measured(source: BinaryIO, passphrase: str, free: int) -> Manifest:
    """Verify a backup and return its manifest.

    Raises:
        Refused: it needs more than the bytes of disk that are free.
    """
    try:
        return read_archive(source, passphrase, most=free)
    except TooLarge as error:
        raise Refused(
            f"the backup unpacks to more than {_mb(free)}, and the disk has"
            f" {_mb(free + _RESERVE)} free, of which {_mb(_RESERVE)} stay free: free"
            " some, or name a folder on another disk with --to; nothing was changed"
        ) from error


def _mb(size: int) -> str:
    return f"{max(0, size) / 1e6:,.1f} MB"


def refuse_other(data: Path, *, replace: bool) -> None:
    """Check that a backup may be restored into a folder.

    Raises:
        Refused: there is a hub, and `replace` is false; or the folder is not a hub's
            and not empty.
    """
    if holds_hub(data):
        if not replace:
            raise Refused(
                f"{data} holds a hub: restore into another folder with --to, or set"
                " that hub aside with --replace"
            )
        return
    names = [path.name for path in data.iterdir()]
    if any(is_one_of(name, (*OWN, *_TRACES)) for name in names if name != "samples"):
        return
    if not all(is_one_of(name, _NOTHING) for name in names):
        raise Refused(f"{data} is not empty, and no hub's folder: name a new folder")


def holds_hub(data: Path) -> bool:
    """Return whether a folder has a non-empty database."""
    with suppress(FileNotFoundError):
        return (data / DATABASE).stat().st_size > 0
    return False


def _prepared(
    draft: Path,
    data: Path,
    manifest: Manifest,
    known_migrations: frozenset[tuple[str, str]] | None,
) -> dict[str, int]:
    """Convert a backup's files to those of a running hub.

    Return the numbers of operations withdrawn and of events set aside.
    """
    database = draft / DATABASE
    check_sound(database)
    reason = f"half done when the backup of {manifest.facts['made_at']} was taken"
    with closing(sqlite3.connect(database)) as hub, hub:
        if known_migrations is not None:
            _refuse_later(hub, known_migrations)
        _move_own_folders(hub, str(manifest.facts["data"]), str(data))
        withdrawn = hub.execute(_WITHDRAWN, (reason,)).rowcount
    waiting = _put_events_aside(draft / SPOOL, reason.replace("half done", "waited"))
    return {"withdrawn_operations": withdrawn, "events_put_aside": waiting}


def _refuse_later(hub: sqlite3.Connection, known: frozenset[tuple[str, str]]) -> None:
    rows = hub.execute("SELECT app, name FROM django_migrations")
    if later := sorted(set(rows) - known):
        raise Refused(
            "the backup is of a later version of MemoryHub, which has to restore it:"
            f" it has {'.'.join(later[0])}"
        )


def _move_own_folders(hub: sqlite3.Connection, before: str, now: str) -> None:
    """Update the paths of the hub's own workspaces and jobs to the new data folder."""
    moved = (
        "UPDATE workspaces_workspace SET root = ? || substr(root, ?)"
        " WHERE substr(root, 1, ?) = ?"
    )
    for home in ("uploads", "samples"):
        old = f"{before}/{home}/"
        hub.execute(moved, (f"{now}/{home}/", len(old) + 1, len(old), old))
    for number, payload in hub.execute("SELECT id, payload FROM jobs_job").fetchall():
        values: dict[str, Any] = json.loads(payload)
        changed = {
            name: f"{now}{value.removeprefix(before)}"
            for name, value in values.items()
            if isinstance(value, str) and value.startswith(f"{before}/")
        }
        if changed:
            text = json.dumps(values | changed)
            hub.execute("UPDATE jobs_job SET payload = ? WHERE id = ?", (text, number))


def _put_events_aside(spool: Path, reason: str) -> int:
    """Move waiting events to the refused ones; return their number."""
    if not spool.is_dir():
        return 0
    waiting = sorted(path for path in spool.iterdir() if path.is_file())
    (spool / _REFUSED).mkdir(mode=0o700, exist_ok=True)
    for path in waiting:
        name = path.name.lstrip(".")
        path.rename(spool / _REFUSED / name)
        note = spool / _REFUSED / f"{name}.reason"
        note.write_text(f"{reason}, and may have been done since\n", encoding="utf-8")
    return len(waiting)


def refuse_in_use(data: Path) -> None:
    """Check that no program has a folder's database open.

    Raises:
        Refused: a program has it open.
    """
    if not holds_hub(data):
        return
    address = f"{(data / DATABASE).absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=1)) as hub:
        try:
            # With exclusive access SQLite merges the log into the file and removes it.
            hub.execute("PRAGMA locking_mode=EXCLUSIVE")
            hub.execute("BEGIN EXCLUSIVE")
            hub.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                message = f"a program uses the hub in {data}: end it first"
                raise Refused(message) from error
        except sqlite3.DatabaseError:
            pass  # a damaged hub is a reason to restore


def _last_backup(file: Path, source: BinaryIO, manifest: Manifest) -> BackupEntry:
    """Describe the restored backup as the hub's last one."""
    source.seek(0)
    return BackupEntry(
        path=file.absolute(),
        at=datetime.fromisoformat(manifest.facts["made_at"]),
        size=os.fstat(source.fileno()).st_size,
        files=len(manifest.members),
        encrypted=is_sealed(source.read(64)),
        verified_at=datetime.now(UTC),
    )
