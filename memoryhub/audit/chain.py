"""The chain of entries: append, verify, trim, redact.

Each entry's hash covers the hash of the one before, so that a changed, removed or
inserted entry shows. A subject enters with its salted digest: redaction by a forgetting
leaves the chain whole.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import connection, transaction

from memoryhub.audit.models import AuditEntry

#: Hash before the first entry.
START = "0" * 64
#: Action of the entry that trimming leaves: its subject is the last removed entry.
TRIMMED = "audit.trimmed"
#: What a subject has in place of a forgotten text.
REDACTED = "[forgotten]"
_TABLE = AuditEntry._meta.db_table
#: SQLite's type of each column of an entry as it was written.
_TYPES = ("integer", *["text"] * 14)
#: Columns in the order of the hash and of the statement.
_COLUMNS = (
    "at", "actor", "token", "command", "door", "address", "workspace", "action",
    "outcome", "detail",
)  # fmt: skip
_ALL = ("id", *_COLUMNS, "subject", "salt", "subject_sha", "sha256")
_LAST = f"SELECT id, sha256 FROM {_TABLE} ORDER BY id DESC LIMIT 1"
_INSERT = (
    f"INSERT INTO {_TABLE} ({', '.join(_ALL)}) VALUES ({', '.join(['%s'] * len(_ALL))})"
)
_PIECE = 2_000
#: Lowest number that a row can have: inserted ones may be below 1.
_LOWEST = -(2**63)
_HEAD = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")


class Fact(NamedTuple):
    """An entry to append; the fields are those of `AuditEntry`."""

    at: datetime
    actor: str
    token: str
    command: str
    door: str
    address: str
    workspace: str
    action: str
    outcome: str
    detail: str
    subject: str


class Head(NamedTuple):
    """Number and hash of an entry; the newest one stands for the whole log."""

    number: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.number}:{self.sha256}"


def append(facts: Sequence[Fact]) -> None:
    """Append entries, in the caller's transaction if there is one.

    In SQLite one transaction writes at a time, so that no other entry comes between.
    """
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        number, last = cursor.execute(_LAST).fetchone() or (0, START)
        rows = []
        for fact in facts:
            number += 1
            salt = secrets.token_hex(8)
            cut = _cut(fact)
            digest = subject_digest(salt, cut[-1])
            last = entry_hash(last, number, cut[:-1], digest)
            rows.append((number, *cut, salt, digest, last))
        cursor.executemany(_INSERT, rows)


def head() -> Head:
    """Return the newest entry; number 0 for an empty log."""
    with connection.cursor() as cursor:
        return Head(*(cursor.execute(_LAST).fetchone() or (0, START)))


def subject_digest(salt: str, subject: str) -> str:
    """Return the digest of a subject that the chain covers."""
    return _sha(f"{salt}\n{subject}")


def entry_hash(
    before: str, number: int, values: Sequence[str], subject_sha: str
) -> str:
    """Return the hash of an entry: `before` is that of the previous one."""
    whole = [before, number, *values, subject_sha]
    return _sha(json.dumps(whole, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class Fault:
    """A place where the log was changed: entry number and kind of fault."""

    number: int
    kind: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a verification; `redacted` counts subjects that were forgotten."""

    entries: int
    first: int
    head: Head
    redacted: int
    fault: Fault | None = None


def verify(known: Head | None = None) -> Verdict:
    """Verify the whole log up to its first fault.

    `known`: an entry noted earlier and kept elsewhere; it must still be there. Without
    one, entries missing at the end are seen by the database's own count.
    """
    with transaction.atomic():
        first, before = _begin()
        seen = redacted = 0
        last = Head(first - 1, before)
        retyped = _retyped()
        for row in _rows():
            fault = _fault_of(row, last, known)
            if fault is None and int(row["id"]) == retyped:
                fault = Fault(retyped, "changed")
            if fault is not None:
                return Verdict(seen, first, last, redacted, fault)
            seen += 1
            redacted += not row["salt"]
            last = Head(int(row["id"]), row["sha256"])
        return Verdict(seen, first, last, redacted, _fault_at_end(last, known))


def _fault_of(row: dict[str, str], last: Head, known: Head | None) -> Fault | None:
    number = int(row["id"])
    if number != last.number + 1:
        return Fault(last.number + 1, "missing")
    if not _is_subject_whole(row):
        return Fault(number, "changed")
    values = [row[name] for name in _COLUMNS]
    if entry_hash(last.sha256, number, values, row["subject_sha"]) != row["sha256"]:
        return Fault(number, "changed")
    if known and known.number == number and known.sha256 != row["sha256"]:
        return Fault(number, "replaced")
    return None


def _is_subject_whole(row: dict[str, str]) -> bool:
    """Return whether a subject is the recorded one, or was redacted by a forgetting."""
    if row["salt"]:
        return subject_digest(row["salt"], row["subject"]) == row["subject_sha"]
    return REDACTED in row["subject"] and row["action"] != TRIMMED


def _fault_at_end(last: Head, known: Head | None) -> Fault | None:
    if _counted() > last.number or (known and known.number > last.number):
        return Fault(last.number + 1, "missing")
    return None


def _begin() -> tuple[int, str]:
    """Return the number of the first entry, and the hash before it.

    After trimming, the newest entry about it names the last removed one.
    """
    trims = AuditEntry.objects.filter(action=TRIMMED).order_by("-id")
    for subject in trims.values_list("subject", flat=True)[:1]:
        # Another form is a changed entry, which the verification comes to.
        if named := _HEAD.fullmatch(subject):
            return int(named[1]) + 1, named[2]
    return 1, START


def _rows() -> Iterator[dict[str, str]]:
    """Yield the entries as stored, oldest first; bytes of no text as surrogates."""
    # Without the cast the time would be parsed, and text that is not UTF-8 an error.
    columns = ", ".join(f"CAST({name} AS BLOB)" for name in _ALL[1:])
    sql = f"SELECT id, {columns} FROM {_TABLE} WHERE id >= %s ORDER BY id LIMIT %s"
    start = _LOWEST
    while True:
        with connection.cursor() as cursor:
            found = cursor.execute(sql, (start, _PIECE)).fetchall()
        if not found:
            return
        for number, *values in found:
            texts = (value.decode("utf-8", "surrogateescape") for value in values)
            yield dict(zip(_ALL, (str(number), *texts), strict=True))
        start = found[-1][0] + 1


def _retyped() -> int | None:
    """Return the first entry with a value of another type, such as bytes for text.

    Its text may be unchanged, but filters no longer find it.
    """
    wrong = " OR ".join(
        f"typeof({name}) != '{kind}'" for name, kind in zip(_ALL, _TYPES, strict=True)
    )
    with connection.cursor() as cursor:
        sql = f"SELECT id FROM {_TABLE} WHERE {wrong} ORDER BY id LIMIT 1"
        found = cursor.execute(sql).fetchone()
    return found[0] if found else None


def _counted() -> int:
    """Return the highest number ever given, by SQLite's own count."""
    with connection.cursor() as cursor:
        sql = "SELECT seq FROM sqlite_sequence WHERE name = %s"
        found = cursor.execute(sql, (_TABLE,)).fetchone()
    return int(found[0]) if found else 0


def trim(before: datetime, fact: Fact) -> int:
    """Remove the entries older than a time; return how many.

    `fact` becomes the entry about it, with the last removed one as subject.
    """
    with transaction.atomic():
        young = AuditEntry.objects.filter(at__gte=before).order_by("id")
        keep = young.values_list("id", flat=True).first() or head().number + 1
        old = AuditEntry.objects.filter(id__lt=keep)
        last = old.values_list("id", "sha256").first()
        if last is None:
            return 0
        append([fact._replace(action=TRIMMED, subject=str(Head(*last)))])
        return old._raw_delete(old.db)


def redact_subjects(redacted: Callable[[str], tuple[str, int]]) -> int:
    """Redact the subjects of entries for a forgetting; return how many changed.

    The only change of entries: their digests stay, without the salt.
    """
    count = 0
    with transaction.atomic():
        for row in _rows():
            left, found = redacted(row["subject"])
            if found and row["action"] != TRIMMED:
                rows = AuditEntry.objects.filter(pk=row["id"])
                rows.update(subject=_stored(left), salt="")
                count += 1
    return count


def _cut(fact: Fact) -> tuple[str, ...]:
    """Return the values of an entry as stored: limited to their columns' lengths."""
    at = connection.ops.adapt_datetimefield_value(fact.at)
    values = (_stored(value)[:200] for value in fact[1:-1])
    lengths = (200, 20, 80, 10, 64, 200, 80, 10, 80)
    cut = (value[:most] for value, most in zip(values, lengths, strict=True))
    return (str(at), *cut, _stored(fact.subject)[:500])


def _stored(text: str) -> str:
    """Return a text without half characters, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
