"""Problems of files that lost lines, or are gone: closed when the lines are back."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from memoryhub.dialects.registry import detect
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import NoBytes, blob_bytes
from memoryhub.journal.changes import Change
from memoryhub.journal.models import Blob, Problem, Revision
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import (
    LOG_SHRANK,
    MEMORY_GONE,
    MEMORY_SHRANK,
    SHRANK,
    Trouble,
)
from memoryhub.journal.reading import CONFLICT_COPY, Reading
from memoryhub.journal.rows import Row
from memoryhub.journal.versions import (
    count_lines,
    is_log,
    is_still_lost,
    lost_lines,
    may_not_shrink,
    missing_lines,
)


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
        revision = Revision.objects.select_related("blob").get(
            workspace_id=change.workspace.id, seq=row.parameters["seq"]
        )
        before = text_of(revision.blob) if revision.blob else ""
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
    text = text_of(Blob.objects.get(id=before["blob_id"]))
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
    old = settled(text_of(Blob.objects.get(id=before["blob_id"])))
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


def text_of(blob: Blob) -> str:
    """Return a version's text; empty without bytes, as nothing can be lost then."""
    try:
        return decode(blob_bytes(blob)).text
    except NoBytes:
        return ""
