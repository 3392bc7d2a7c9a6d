"""Failures of the machine, not of the request: the database, or a disk.

Standard library only. A retry may succeed, so nothing is refused permanently because of
one. `memoryhub.errors.wording` has the texts.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import NamedTuple

#: Codes by SQLite's primary result codes, and by errno below.
_OF_DATABASE = {
    sqlite3.SQLITE_BUSY: "database-locked",
    sqlite3.SQLITE_LOCKED: "database-locked",
    sqlite3.SQLITE_PROTOCOL: "database-locked",
    # Only a time budget interrupts.
    sqlite3.SQLITE_INTERRUPT: "database-slow",
    sqlite3.SQLITE_FULL: "database-full",
    sqlite3.SQLITE_READONLY: "database-readonly",
    sqlite3.SQLITE_PERM: "database-unreachable",
    sqlite3.SQLITE_CANTOPEN: "database-unreachable",
    sqlite3.SQLITE_IOERR: "database-failing",
    sqlite3.SQLITE_NOMEM: "database-failing",
    sqlite3.SQLITE_CORRUPT: "database-damaged",
    sqlite3.SQLITE_NOTADB: "database-damaged",
}
_OF_DISK = {
    "disk-full": "ENOSPC EDQUOT",
    "disk-readonly": "EROFS",
    "disk-refused": "EACCES EPERM",
    "disk-failing": "EIO ESTALE ENODEV ENOTCONN ETIMEDOUT EHOSTDOWN ENXIO",
    "system-busy": "EMFILE ENFILE ENOMEM EAGAIN EBUSY EINTR ENOLCK ETXTBSY",
}
_OF_ERRNO = {
    getattr(errno, name): code
    for code, names in _OF_DISK.items()
    for name in names.split()
}
#: Seconds until a retry makes sense, where not the default.
_SECONDS = {"database-locked": 2, "database-slow": 5, "system-busy": 2}
_LATER = 30


class Hindrance(NamedTuple):
    """Code of a failure, seconds until a retry, and the file's path, if any."""

    code: str
    retry_after: int
    path: str = ""


def hindrance_of(error: BaseException) -> Hindrance | None:
    """Classify an error as a failure of the machine; None if it is not one.

    Its causes are checked too, as errors of SQLite and the system are often wrapped.
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if code := _code_of(cause):
            path = str(getattr(cause, "filename", "") or "")
            return Hindrance(code, _SECONDS.get(code, _LATER), path)
        cause = cause.__cause__
    return None


def _code_of(error: BaseException) -> str | None:
    if isinstance(error, sqlite3.Error):
        return _OF_DATABASE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if isinstance(error, OSError):
        return _OF_ERRNO.get(error.errno or 0)
    return None
