"""Problems of files that lost lines or a write, or are gone: closed when all is back.

A write through the hub is lost when another program writes its old copy of the file.
Such a copy lacks all writes since it was made, so the newest write still present in a
version ends the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet

from memoryhub.dialects.registry import detect
from memoryhub.formats.base import FormatError
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.changes import Change
from memoryhub.journal.models import Blob, Operation, Problem, Revision
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import (
    LOG_SHRANK,
    MEMORY_GONE,
    MEMORY_SHRANK,
    SHRANK,
    WRITE_LOST,
    Trouble,
)
from memoryhub.journal.reading import CONFLICT_COPY, Reading
from memoryhub.journal.rows import Row
from memoryhub.journal.verbs import verb_of
from memoryhub.journal.versions import (
    count_lines,
    is_log,
    is_still_lost,
    lost_lines,
    may_not_shrink,
    missing_lines,
)

#: Operations searched: a program does not hold an old copy for ever.
_NEWEST = 300


def still_shrunk(
    change: Change, reading: Reading, known: list[Problem]
) -> list[Trouble]:
    """Return the problems of earlier losses of lines that still hold.

    A file that is back without most of its lines shrank, unless a person has looked at
    its deletion.
    """
    found = []
    for row in known:
        if row.code_name not in SHRANK:
            continue
        revision = Revision.objects.get(
            workspace_id=change.workspace.id, seq=row.parameters["seq"]
        )
        before = text_of(revision.blob_id)
        lines, log = row.parameters["lines"], row.code_name == LOG_SHRANK
        if not is_still_lost(lines, before, reading.text, log=log):
            continue
        if row.code_name != MEMORY_GONE:
            found.append(Trouble(row.code_name, row.line, row.parameters))
        elif row.cleared_seq is None:
            code = LOG_SHRANK if is_log(reading.format) else MEMORY_SHRANK
            lost = missing_lines(before, reading.text)
            found.append(Trouble(code, 0, {**row.parameters, "lines": lost}))
    return found


def deletion(change: Change, before: Row, known: list[Problem]) -> list[Trouble]:
    """Return the problems of a file that this revision deleted.

    Losses before it still hold. What a person deleted is no loss.
    """
    found = [Trouble(p.code_name, p.line, p.parameters) for p in known if _holds(p)]
    is_copy = any(problem.code_name == CONFLICT_COPY for problem in known)
    if not before["present"] or is_copy or _is_of_person(change):
        return found
    text = text_of(before["blob_id"])
    lines = count_lines(text) if _code_of(change, before, text) else 0
    gone = Trouble(MEMORY_GONE, 0, {"lines": lines, "seq": before["seq"]})
    return [*found, gone] if lines else found


def _holds(problem: Problem) -> bool:
    return problem.code_name in SHRANK and problem.cleared_seq is None


def _is_of_person(change: Change) -> bool:
    return bool(change.actor) and change.acting_id is None


def shrinking(
    change: Change, reading: Reading, before: Row, blob_id: int
) -> list[Trouble]:
    """Return the problem of a file that lost lines in this revision.

    What a person shortened in the hub is no loss, except of a log.
    """
    if reading.goes_on or _continues(reading.text, before["blob_id"]):
        return []
    old = settled(text_of(before["blob_id"]))
    if not missing_lines(old, reading.text):
        return []
    code = _code_of(change, before, old)
    is_edited = not before["present"] or _is_of_person(change)
    if not code or (code == MEMORY_SHRANK and is_edited):
        return []
    lost = lost_lines(old, reading.text, log=code == LOG_SHRANK)
    return [Trouble(code, 0, {"lines": lost, "seq": before["seq"]})] if lost else []


def _continues(text: str, blob_id: int) -> bool:
    """Return whether a text only adds to the version of a blob."""
    ((digest, size),) = _STAMP(blob_id)
    return sha256(text.encode("utf-8", "surrogateescape")[:size]).hexdigest() == digest


_STAMP: Prepared[tuple[str, int]] = Prepared(
    lambda blob_id: Blob.objects.filter(id=blob_id).values_list("sha256", "size"), int
)


def _code_of(change: Change, before: Row, text: str) -> str:
    """Return the code of a loss; empty for a file in which none counts.

    A file that was a log or long-lived at any of its places stays one: a host may
    rename its folder aside and then remove it.
    """
    root = change.workspace.root
    for path in _places(change, before["path"]):
        name = before["format"]
        if path != before["path"]:
            name = detect(placed(root, path), text).name
        if is_log(name):
            return LOG_SHRANK
        if may_not_shrink(str(placed(root, path)), name):
            return MEMORY_SHRANK
    return ""


def _places(change: Change, path: str) -> Iterator[str]:
    """Yield a file's path and those that it was moved from, the newest first."""
    below = change.seq
    yield path
    while moved := _MOVED(change.workspace.id, path, below):
        ((path, below),) = moved
        yield path


_MOVED: Prepared[tuple[str, int]] = Prepared(
    lambda workspace_id, path, below: (
        Revision.objects.filter(
            workspace_id=workspace_id,
            path=path,
            kind=Revision.Kind.MOVED,
            seq__lt=below,
        )
        .order_by("-seq")
        .values_list("moved_from", "seq")[:1]
    ),
    int,
    str,
    int,
)


def text_of(blob_id: int | None) -> str:
    """Return a version's text; empty without bytes, as nothing can be lost then."""
    data = bytes_by_id([blob_id]) if blob_id else {}
    return decode(data.get(blob_id or 0, b"")).text


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
