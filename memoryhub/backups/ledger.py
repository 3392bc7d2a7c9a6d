"""Backup status: the last backup, and a failure after it.

Stored as a file in the data folder, so that it can be read when the database cannot.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memoryhub.backups.contents import LEDGER
from memoryhub.disk.files import write_durably

#: Age from which the last backup is reported as old.
OLD = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class BackupEntry:
    """A backup: path, time, size, number of files, and time of its verification."""

    path: Path
    at: datetime
    size: int
    files: int
    encrypted: bool
    verified_at: datetime

    @property
    def is_there(self) -> bool:
        """True if the file still exists with its size."""
        try:
            return self.path.stat().st_size == self.size
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed backup, with the error."""

    at: datetime
    error: str


@dataclass(frozen=True, slots=True)
class Backups:
    """The last backup and the last failure; None for none.

    A success removes earlier failures.
    """

    last: BackupEntry | None = None
    failed: Failed | None = None

    def concern(self, now: datetime) -> str:
        """Return the concern: ``none``, ``gone``, ``failed``, ``old`` or empty."""
        if self.last is None:
            return "failed" if self.failed else "none"
        if not self.last.is_there:
            return "gone"
        if self.failed:
            return "failed"
        return "old" if now - self.last.at > OLD else ""


def known_backups(data: Path) -> Backups:
    """Read the backup status; empty if unreadable."""
    try:
        stored = json.loads((data / LEDGER).read_bytes())
        return Backups(_entry(stored.get("last")), _failed(stored.get("failed")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Backups()


def record_backup(data: Path, taken: BackupEntry) -> None:
    """Store a backup as the last one; removes a failure."""
    _write(data, Backups(taken))


def record_failure(data: Path, error: str, at: datetime) -> None:
    """Store a failure, keeping the last backup."""
    _write(data, Backups(known_backups(data).last, Failed(at, error)))


def _write(data: Path, backups: Backups) -> None:
    stored = json.dumps(asdict(backups), default=str, indent=1)
    write_durably(data / LEDGER, stored.encode())


def _entry(stored: dict[str, Any] | None) -> BackupEntry | None:
    return stored and BackupEntry(  # type: ignore[return-value]
        path=Path(stored["path"]),
        at=datetime.fromisoformat(stored["at"]),
        size=int(stored["size"]),
        files=int(stored["files"]),
        encrypted=bool(stored["encrypted"]),
        verified_at=datetime.fromisoformat(stored["verified_at"]),
    )


def _failed(stored: dict[str, Any] | None) -> Failed | None:
    return (
        Failed(datetime.fromisoformat(stored["at"]), stored["error"])
        if stored
        else None
    )
