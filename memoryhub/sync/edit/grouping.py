"""Additions to one file by several callers at once: written and recorded together.

All wait for the file's lock. Whoever gets it writes what the others wait with too: one
read of the file, one sync to disk, one import. Operations and versions are those of one
addition after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import NoBytes
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import on_rows, verb_of
from memoryhub.sync.edit.applying import Clock, Pair, add_together, apply_all
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.gate import check_write
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.operations import (
    PENDING_OR_OF_KEY,
    is_unwritten,
    operation_of,
)
from memoryhub.sync.edit.settling import settle_file
from memoryhub.sync.edit.writing import file_lock

_PENDING = Operation.State.PENDING
_FAILURES = (Conflict, FormatError, FileError, NoBytes)
#: Additions written together; the others wait for the next turn.
_TOGETHER = 32

_Place: TypeAlias = tuple[object, str]


@dataclass(slots=True, eq=False)
class Waiting:
    """An addition that waits to be written, then its operation or its failure.

    `refusal` is why its caller may not write the file, if so.
    """

    edit: Edit
    refusal: FormatError | None
    operation: Operation | None = None
    error: Exception | None = None

    @property
    def is_done(self) -> bool:
        return self.operation is not None or self.error is not None

    def result(self) -> Operation:
        """Return the operation; raise why there is none."""
        if self.error is not None:
            raise self.error
        assert self.operation is not None
        return self.operation


class _Queues:
    """The waiting additions of this process, by workspace and path."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: defaultdict[_Place, list[Waiting]] = defaultdict(list)

    def join(self, place: _Place, one: Waiting) -> None:
        with self._lock:
            self._waiting[place].append(one)

    def take(self, place: _Place, mine: Waiting) -> list[Waiting]:
        """Remove and return the first additions, with the caller's own behind them."""
        with self._lock:
            waiting = self._waiting.pop(place, [])
            others = [one for one in waiting if one is not mine]
            if later := others[_TOGETHER:]:
                self._waiting[place] = later
            return [*others[:_TOGETHER], mine]

    def count(self, place: _Place) -> int:
        """Return how many additions wait."""
        with self._lock:
            return len(self._waiting.get(place, ()))

    def leave(self, place: _Place, one: Waiting) -> None:
        """Forget an addition whose caller gave up before its turn."""
        with self._lock:
            waiting = self._waiting.pop(place, [])
            if others := [other for other in waiting if other is not one]:
                self._waiting[place] = others


_QUEUES = _Queues()


def is_addition(edit: Edit) -> bool:
    """Return whether an edit only adds to its file, whatever that holds."""
    if on_rows(edit.verb) is not None or edit.base is not None:
        return False
    verb = verb_of(edit.verb)
    return verb.adds and not (verb.within or verb.also or verb.removes)


def add(workspace: Workspace, edit: Edit, clock: Clock) -> Operation:
    """Write an addition, with those of other callers that wait for the same file.

    Raises:
        Conflict, FormatError, FileError: as `apply_edit` does.
    """
    mine = Waiting(edit, _refusal(workspace, edit))
    place = (workspace.uuid, edit.path)
    _QUEUES.join(place, mine)
    try:
        with file_lock(workspace, edit.path):
            if not mine.is_done:
                _write(workspace, edit.path, _QUEUES.take(place, mine), clock)
            else:
                # Another caller has recorded it.
                workspace.refresh_from_db(fields=["last_seq", "projected_seq"])
    finally:
        _QUEUES.leave(place, mine)
    return mine.result()


def _refusal(workspace: Workspace, edit: Edit) -> FormatError | None:
    """Return why the caller may not write the file; its scopes are its thread's."""
    try:
        check_write(workspace, edit.path, also=verb_of(edit.verb).also)
    except FormatError as error:
        return error
    return None


def _write(
    workspace: Workspace, path: str, waiting: Sequence[Waiting], clock: Clock
) -> None:
    """Write additions to a file whose lock is held; each gets its result."""
    try:
        check_there(workspace, path)
        pairs = _pairs(workspace, path, waiting, clock)
        left = _together(workspace, pairs, clock)
        for one, pair in left.items():
            _write_alone(workspace, one, pair, clock, is_tried=len(pairs) > 1)
    except Exception as error:
        for one in waiting:
            one.error = one.error or (None if one.operation else error)


def _pairs(
    workspace: Workspace, path: str, waiting: Sequence[Waiting], clock: Clock
) -> dict[Waiting, Pair]:
    """Return the additions that are to be made; the others get their results."""
    known = _known(workspace, path, waiting, clock)
    pairs: dict[Waiting, Pair] = {}
    for one in waiting:
        tried = known.get(one.edit.key)
        if tried is not None and not is_unwritten(tried):
            one.operation = tried
        elif one.refusal is not None:
            one.error = one.refusal
        else:
            operation = tried or operation_of(workspace, one.edit, clock())
            operation.reason = one.edit.reason
            pairs[one] = (one.edit, operation)
    return pairs


def _known(
    workspace: Workspace, path: str, waiting: Sequence[Waiting], clock: Clock
) -> dict[str, Operation]:
    """Return the operations with the keys of additions; pending ones are settled."""
    keys = [one.edit.key for one in waiting]
    found = [
        operation
        for key in keys
        for operation in PENDING_OR_OF_KEY(workspace.pk, path, key)
    ]
    if any(operation.state == _PENDING for operation in found):
        settle_file(workspace, path, clock)
        tried = Operation.objects.filter(key__in=keys, workspace=workspace)
        found = list(tried)
    return {operation.key: operation for operation in found}


def _together(
    workspace: Workspace, pairs: dict[Waiting, Pair], clock: Clock
) -> dict[Waiting, Pair]:
    """Write new additions in one go; return those that have to be written alone."""
    times = Counter(one.edit.key for one in pairs)
    fresh = {
        one: pair
        for one, pair in pairs.items()
        if times[one.edit.key] == 1 and not pair[1].seq
    }
    if len(fresh) < 2:
        return pairs
    written = add_together(workspace, list(fresh.values()), clock)
    for one, (_, operation) in fresh.items():
        if operation in written:
            one.operation = operation
    return {one: pair for one, pair in pairs.items() if not one.is_done}


def _write_alone(
    workspace: Workspace, one: Waiting, pair: Pair, clock: Clock, *, is_tried: bool
) -> None:
    """Write one addition; `is_tried`: its key may have been used just now."""
    try:
        if is_tried:
            again = _pairs(workspace, one.edit.path, [one], clock)
            if one.is_done:
                return
            pair = again[one]
        apply_all(workspace, [pair], clock)
        one.operation = pair[1]
    except _FAILURES as error:
        one.error = error
