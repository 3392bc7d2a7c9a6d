"""Taking a backup of a running hub: one file, verified, complete or absent.

The other files are read before the database: an event of the spool that is delivered
meanwhile is in both, and its key prevents a second delivery.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from memoryhub import __version__
from memoryhub.backups.archive import Manifest, read_archive, write_archive
from memoryhub.backups.contents import DATABASE, copy_database, facts_of, files_of
from memoryhub.backups.ledger import BackupEntry, record_backup, record_failure
from memoryhub.disk.files import created_durably, locked, sync_folder

PLAIN, SEALED = ".tar.gz", ".tar.gz.sealed"
_DRAFT = re.compile(r"\.memoryhub-[0-9a-f]{8}-[0-9a-f]{32}\.draft")
Clock = Callable[[], datetime]


class Exists(Exception):
    """The target file of a backup exists."""

    def __str__(self) -> str:
        return f"{self.args[0]} is there already: name another file, or a folder"


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a backup: the data folder, and the database in use."""

    data: Path
    database: Path

    @property
    def mark(self) -> str:
        """Eight hex digits that identify this hub's backups in a shared folder."""
        try:
            secret = (self.data / "secret.key").read_bytes()
        except OSError:
            secret = b""
        return sha256(b"memoryhub backups of " + secret).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Wish:
    """Target of a backup, its passphrase, and the number to keep there (0: all).

    `to` is a file if its name ends like a backup's, else a folder.
    """

    to: Path
    passphrase: str = ""
    keep: int = 0

    @property
    def is_file(self) -> bool:
        return self.to.name.endswith((PLAIN, SEALED))

    @property
    def folder(self) -> Path:
        return self.to.parent if self.is_file else self.to


def take_backup(source: Source, wish: Wish, clock: Clock) -> BackupEntry:
    """Write a backup, verify it by reading it, then move it to its name.

    Raises:
        Unsound: the database is damaged; earlier backups are left alone.
        Exists: the named file exists.
        OSError, sqlite3.Error: a file cannot be read or written.
    """
    try:
        with locked(source.data / "locks" / "backup"):
            wish.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for left in wish.folder.glob(f".memoryhub-{source.mark}-*.draft"):
                if _DRAFT.fullmatch(left.name):
                    left.unlink(missing_ok=True)
            at = clock().astimezone(UTC).replace(microsecond=0)
            target = wish.to if wish.is_file else _free(source, wish, at)
            if target.exists():
                raise Exists(target)
            draft = wish.folder / f".memoryhub-{source.mark}-{uuid4().hex}.draft"
            try:
                manifest = _written(source, wish.passphrase, draft, at)
                with draft.open("rb") as file:
                    verified = read_archive(file, wish.passphrase)
                assert verified == manifest, "another backup was read than was written"
                size = draft.stat().st_size
                _name(draft, target)
            finally:
                draft.unlink(missing_ok=True)
            taken = BackupEntry(
                path=target.absolute(),
                at=at,
                size=size,
                files=len(manifest.members),
                encrypted=bool(wish.passphrase),
                verified_at=clock(),
            )
            record_backup(source.data, taken)
    except Exception as error:
        with suppress(OSError):
            record_failure(source.data, str(error), clock())
        raise
    if wish.keep and not wish.is_file:
        rotate(wish.folder, source.mark, wish.keep)
    return taken


def _written(source: Source, passphrase: str, draft: Path, at: datetime) -> Manifest:
    facts = {"made_at": at.isoformat(), "version": __version__}
    facts["data"] = str(source.data)
    with _scratch(source.data) as scratch, created_durably(draft) as out:
        copy = scratch / DATABASE
        return write_archive(
            out, _files(source, copy), lambda: facts | facts_of(copy), passphrase
        )


def _files(source: Source, copy: Path) -> Iterator[tuple[str, Path]]:
    yield from files_of(source.data)
    copy_database(source.database, copy)
    yield DATABASE, copy


@contextmanager
def _scratch(data: Path) -> Iterator[Path]:
    """Create a temporary folder for the database's copy; remove leftovers of a kill.

    It is inside the data folder: an unencrypted copy is stored nowhere else.
    """
    for left in data.glob("backup-*.draft"):
        shutil.rmtree(left, ignore_errors=True)
    folder = data / f"backup-{uuid4().hex}.draft"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _name(draft: Path, target: Path) -> None:
    """Rename a draft to its target, unless that exists meanwhile."""
    try:
        target.hardlink_to(draft)
    except FileExistsError as error:
        raise Exists(target) from error
    except OSError:  # a file system without links
        draft.rename(target)
    sync_folder(target.parent)


def _free(source: Source, wish: Wish, at: datetime) -> Path:
    ending = SEALED if wish.passphrase else PLAIN
    stem = f"memoryhub-{source.mark}-{at:%Y%m%dT%H%M%SZ}"
    names = [f"{stem}{ending}", *(f"{stem}-{n}{ending}" for n in range(2, 1000))]
    return next(p for p in map(wish.folder.joinpath, names) if not p.exists())


def rotate(folder: Path, mark: str, keep: int) -> list[Path]:
    """Remove a hub's backups in a folder except the newest; return those removed.

    Ordered by the times in their names: a copy may have another date on disk.
    """
    name = re.compile(
        rf"memoryhub-{mark}-(\d{{8}}T\d{{6}}Z)(?:-(\d+))?\.tar\.gz(\.sealed)?$"
    )
    found = [match for path in folder.iterdir() if (match := name.match(path.name))]
    found.sort(key=lambda match: (match[1], int(match[2] or 1)), reverse=True)
    old = [folder / match[0] for match in found[keep:]]
    for path in old:
        path.unlink(missing_ok=True)
    return old
