"""Lost writes: made through the hub, then overwritten by another program's old copy.

An old copy lacks all writes since it was made, so the newest write still present in a
version ends the search.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from memoryhub.formats.base import FormatError
from memoryhub.journal.changes import Change
from memoryhub.journal.models import Operation, Revision
from memoryhub.journal.problems import WRITE_LOST, Trouble
from memoryhub.journal.verbs import verb_of

#: Operations searched: a program does not hold an old copy for ever.
_NEWEST = 300


def lost_writes(change: Change, old: str, path: str) -> list[Trouble]:
    """Return the writes that another program's version reverted.

    A write is lost if its value was in the version before, `old`, and is now the value
    from before this write or an earlier one. `path` is the file's previous path.
    """
    if change.text.startswith(old) or not _is_written_to(change, path):
        return []
    operations = list(_written_before(change, path)[:_NEWEST])
    earlier = {part for o in operations for part in _parts(o.base)}
    lost = []
    for operation in operations:
        written = _written(operation, old)
        if any(part.stands_in(change.text) for part in written):
            break
        if any(part.is_undone_in(change.text, earlier) for part in written):
            lost.append(operation)
    return [
        Trouble(WRITE_LOST, 0, {"seq": operation.version_seq, "actor": operation.actor})
        for operation in reversed(lost)
    ]


def still_lost(change: Change, troubles: list[Trouble], path: str) -> list[Trouble]:
    """Return the lost writes still missing in this version."""
    return [
        trouble
        for trouble in troubles
        if any(
            _is_missing(operation, change.text)
            for operation in _written_before(change, path).filter(
                version_seq=trouble.parameters["seq"]
            )
        )
    ]


def _is_missing(operation: Operation, text: str) -> bool:
    parts = _written(operation)
    undone = (part.is_undone_in(text, [part.base]) for part in parts)
    return any(undone) and not any(part.stands_in(text) for part in parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an operation's value that changed: a number or text at one place."""

    operation: Operation
    place: int
    base: Any
    after: Any

    def stands_in(self, text: str) -> bool:
        now = self._now(text)
        if isinstance(self.after, int) and isinstance(now, int):
            return now >= self.after if self.after > self.base else now <= self.after
        return bool(now == self.after)

    def is_undone_in(self, text: str, earlier: Collection[Any]) -> bool:
        now = self._now(text)
        if isinstance(self.after, int) and isinstance(now, int):
            return not self.stands_in(text)
        return now in earlier

    def _now(self, text: str) -> Any:
        parts = _parts(_value(self.operation, text))
        return parts[self.place] if self.place < len(parts) else None


def _written(operation: Operation, text: str | None = None) -> list[_Part]:
    """Return an operation's changed parts, with `text` only those found in it.

    Additions and removals (numbers) take precedence over texts, which anybody may set.
    """
    bases, afters = _parts(operation.base), _parts(operation.after)
    changed = [
        _Part(operation, place, base, after)
        for place, (base, after) in enumerate(zip(bases, afters, strict=False))
        if base != after and isinstance(base, int) == isinstance(after, int)
    ]
    counted = [part for part in changed if isinstance(part.after, int)]
    parts = counted or changed
    return [part for part in parts if text is None or part.stands_in(text)]


def _parts(value: Any) -> list[Any]:
    """Flatten a value into its numbers and texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [part for each in value for part in _parts(each)]
    return [value]


def _is_written_to(change: Change, path: str) -> bool:
    rows = Revision.objects.filter(
        workspace_id=change.workspace.id, path=path, kind=Revision.Kind.WRITTEN
    )
    return rows.filter(seq__lt=change.seq).exists()


def _written_before(change: Change, path: str) -> QuerySet[Operation]:
    found = Operation.objects.filter(
        workspace_id=change.workspace.id,
        target=path,
        # An operation precedes its version: this limit lets the query use the index.
        seq__lt=change.seq,
        version_seq__lt=change.seq,
    )
    return found.order_by("-seq")


def _value(operation: Operation, text: str) -> object:
    """Return an operation's value in a text; None if it cannot be read."""
    try:
        return verb_of(operation.verb).value(text, operation.payload)
    except FormatError:
        return None
