"""Settling of operations that a crash or a power cut left pending.

The file's content is compared with the version the operation was made from, taken from
the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import sha256
from itertools import groupby

from memoryhub.disk.files import FileError, find_addition
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.verbs import Limits, verb_of
from memoryhub.sync.edit.applying import Clock, apply_all, landed, withdraw
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.leftovers import finish_drafts
from memoryhub.sync.edit.operations import edit_of, in_state
from memoryhub.sync.edit.writing import (
    Disk,
    found_now,
    place_of,
    read_newest,
    record_seen,
    record_written,
)

_PENDING = Operation.State.PENDING


def settle_file(workspace: Workspace, path: str, clock: Clock) -> None:
    """Settle the pending operations of a file; the caller holds the file's lock.

    An operation found in the file is recorded as applied. Any other is applied again,
    or withdrawn on a conflict. None is left pending.

    Raises:
        FileError: the file cannot be read or written now; they stay pending.
    """
    finish_drafts(workspace, path)
    pending = list(in_state(workspace, _PENDING).filter(target=path))
    if pending:
        check_there(workspace, path)
    for _, together in groupby(pending, lambda o: (o.before_sha, o.after_sha)):
        _settle(workspace, list(together), clock)
    if pending:
        # Record what others appended meanwhile.
        with suppress(FileError):
            read_newest(workspace, path, clock())


def _settle(workspace: Workspace, operations: list[Operation], clock: Clock) -> None:
    """Settle operations of one write."""
    path = operations[0].target
    disk = found_now(workspace, path)
    landing = _landing(workspace, operations, disk)
    match landing.fate:
        case Fate.WRITTEN | Fate.PARTLY:
            _record_found(workspace, operations, landing, clock)
            data = landing.written
            if landing.fate is Fate.PARTLY:
                data = landed(workspace, path, disk, data, clock)
            record_written(workspace, [(operations, data)], clock())
        case _:
            for operation in operations:
                try:
                    apply_all(workspace, [(edit_of(operation), operation)], clock)
                except Conflict as conflict:
                    _resolve(workspace, operation, conflict, clock)
                except FormatError as error:
                    withdraw(operation, str(error))


def _landing(
    workspace: Workspace, operations: Sequence[Operation], disk: Disk
) -> Landing:
    now = disk.file.data if disk.file else None
    versions = _versions(workspace, operations)
    if versions is None:
        is_ours = disk.sha256 == operations[0].after_sha
        return Landing(Fate.WRITTEN, now, now) if is_ours else Landing(Fate.UNKNOWN)
    landing = landing_of(*versions, now)
    if landing.fate is not Fate.WRITTEN and _was_seen(operations[-1]):
        return Landing(Fate.WRITTEN, *versions)
    return landing


def _versions(
    workspace: Workspace, operations: Sequence[Operation]
) -> tuple[bytes | None, bytes | None] | None:
    """Reconstruct a file's content before and after operations.

    None where the hashes cannot be reproduced, such as after a change of limits.
    """
    first, last = operations[0], operations[-1]
    limits = Limits(workspace.max_decisions, workspace.max_history)
    try:
        sha = first.before_sha
        before = stored_bytes(sha) if sha else None
        disk = Disk(place_of(workspace, first.target), None, decode(before or b""))
        text = disk.text
        for operation in operations:
            text = verb_of(operation.verb).apply(text, operation.payload, limits)
        after = None if verb_of(last.verb).removes else disk.encoded(text)
    except (NoBytes, FormatError):
        return None
    is_same = last.after_sha == (sha256(after).hexdigest() if after is not None else "")
    return (before, after) if is_same else None


def _was_seen(operation: Operation) -> bool:
    """Return whether the operation's version was recorded as read from the file."""
    versions = Revision.objects.filter(
        workspace=operation.workspace_id,
        path=operation.target,
        seq__gt=operation.seq,
        blob__sha256=operation.after_sha,
    )
    return bool(operation.after_sha) and versions.exists()


def _record_found(
    workspace: Workspace, operations: list[Operation], landing: Landing, clock: Clock
) -> None:
    """Record the bytes of other programs that were in the file before ours."""
    path, found = operations[0].target, landing.found
    before_sha = sha256(found).hexdigest() if found is not None else ""
    if found is not None and before_sha != operations[0].before_sha:
        record_seen(workspace, path, found, clock())


def _resolve(
    workspace: Workspace, operation: Operation, conflict: Conflict, clock: Clock
) -> None:
    """Take an operation as written if the file already has its resulting value."""
    if conflict.current != operation.after:
        withdraw(operation, str(conflict))
        return
    disk = read_newest(workspace, operation.target, clock())
    if disk.file:
        record_written(workspace, [([operation], disk.file.data)], clock())


class Fate(Enum):
    """Outcome of a write."""

    WRITTEN = auto()
    PARTLY = auto()
    UNWRITTEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Landing:
    """Outcome of a write, with the file versions around it.

    `found` is the version that was written to, including what others added since it was
    read; `written` is that version with our change.
    """

    fate: Fate
    found: bytes | None = None
    written: bytes | None = None


def landing_of(before: bytes | None, after: bytes | None, now: bytes | None) -> Landing:
    """Determine the outcome of the write that turns `before` into `after`."""
    if now == after:
        return Landing(Fate.WRITTEN, before, after)
    if now == before:
        return Landing(Fate.UNWRITTEN)
    if now is None or after is None:
        return Landing(Fate.UNKNOWN)
    if after.startswith(before or b""):
        return _addition(before, after, now)
    if _has_changes(before or b"", after, now):
        return Landing(Fate.WRITTEN, before, after)
    return Landing(Fate.UNKNOWN)


def _addition(before: bytes | None, after: bytes, now: bytes) -> Landing:
    """Locate an addition at its place, or after additions of other programs.

    In a file that others rewrote, its occurrences are counted instead.
    """
    base = before or b""
    added = after[len(base) :]
    if not now.startswith(base):
        is_there = now.count(added) > base.count(added)
        fate = Fate.WRITTEN if is_there else Fate.UNWRITTEN
        return Landing(fate, before, after)
    there = find_addition(now, added, len(base))
    if there is None or (before is None and there.size < len(added)):
        return Landing(Fate.UNWRITTEN)
    end = there.begin + there.size
    found = now[: there.begin] if there.begin else before
    if there.size == len(added):
        return Landing(Fate.WRITTEN, found, now[:end])
    # Others may have appended behind the part: it is completed in place.
    whole = now[: there.begin] + added + now[end:]
    return Landing(Fate.PARTLY, now[: there.begin] + now[end:], whole)


def _has_changes(before: bytes, after: bytes, now: bytes) -> bool:
    """Return whether a file has a write's added lines, and not its dropped ones."""
    old, new, found = map(_lines_of, (before, after, now))
    gained, lost = new - old, old - new
    if not gained and not lost:
        return False
    has_gained = all(found[line] >= new[line] for line in gained)
    return has_gained and all(found[line] <= new[line] for line in lost)


def _lines_of(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines())
