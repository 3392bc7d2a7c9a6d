"""Problems of files that lost lines, or are gone: closed when the lines are back."""

from __future__ import annotations

from hashlib import sha256

from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, blob_bytes
from memoryhub.journal.changes import Change
from memoryhub.journal.losses import (
    count_lines,
    is_log,
    is_still_lost,
    lost_lines,
    may_not_shrink,
    missing_lines,
)
from memoryhub.journal.models import Blob, Problem, Revision
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import (
    LOG_SHRANK,
    MEMORY_GONE,
    MEMORY_SHRANK,
    SHRANK,
    Trouble,
)
from memoryhub.journal.reading import Reading
from memoryhub.journal.rows import Row


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
    is_kept = is_log(before["format"]) or _is_kept(change, before)
    if not is_kept or not before["present"] or _is_of_person(change):
        return found
    lines = count_lines(text_of(Blob.objects.get(id=before["blob_id"])))
    gone = Trouble(MEMORY_GONE, 0, {"lines": lines, "seq": before["seq"]})
    return [*found, gone] if lines else found


def _holds(problem: Problem) -> bool:
    return problem.code_name in SHRANK and problem.cleared_seq is None


def _is_of_person(change: Change) -> bool:
    return bool(change.actor) and change.acting_id is None


def shrinking(
    change: Change, reading: Reading, before: Row, blob_id: int
) -> list[Trouble]:
    """Return the problem of a file that lost lines in this revision."""
    code = _code_of(change, reading, before)
    if not code or _continues(reading.text, before["blob_id"]):
        return []
    old = text_of(Blob.objects.get(id=before["blob_id"]))
    lost = lost_lines(old, reading.text, log=code == LOG_SHRANK)
    return [Trouble(code, 0, {"lines": lost, "seq": before["seq"]})] if lost else []


def _continues(text: str, blob_id: int) -> bool:
    """Return whether a text only adds to the version of a blob."""
    ((digest, size),) = _STAMP(blob_id)
    return sha256(text.encode("utf-8", "surrogateescape")[:size]).hexdigest() == digest


_STAMP: Prepared[tuple[str, int]] = Prepared(
    lambda blob_id: Blob.objects.filter(id=blob_id).values_list("sha256", "size"), int
)


def _code_of(change: Change, reading: Reading, before: Row) -> str:
    """Return the code of a loss; empty for a file in which none counts.

    What a person shortened in the hub is no loss.
    """
    if is_log(reading.format) and is_log(before["format"]):
        return LOG_SHRANK
    is_kept = _is_kept(change, before)
    if not is_kept or is_log(reading.format) or not before["present"]:
        return ""
    if _is_of_person(change):
        return ""
    return MEMORY_SHRANK


def _is_kept(change: Change, before: Row) -> bool:
    place = placed(change.workspace.root, before["path"])
    return may_not_shrink(str(place), before["format"])


def text_of(blob: Blob) -> str:
    """Return a version's text; empty without bytes, as nothing can be lost then."""
    try:
        return decode(blob_bytes(blob)).text
    except NoBytes:
        return ""
