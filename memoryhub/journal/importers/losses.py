"""Problems of files that lost lines: opened by the loss, closed when lines are back."""

from __future__ import annotations

from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, blob_bytes
from memoryhub.journal.changes import Change
from memoryhub.journal.losses import is_log, is_long_lived, is_still_lost, lost_lines
from memoryhub.journal.models import Blob, Problem, Revision
from memoryhub.journal.problems import LOG_SHRANK, MEMORY_SHRANK, SHRANK, Trouble
from memoryhub.journal.reading import Reading
from memoryhub.journal.rows import Row


def still_shrunk(
    change: Change, reading: Reading, known: list[Problem]
) -> list[Trouble]:
    """Return the problems of earlier losses of lines that still hold."""
    found = []
    for row in known:
        if row.code_name not in SHRANK:
            continue
        revision = Revision.objects.select_related("blob").get(
            workspace_id=change.workspace.id, seq=row.parameters["seq"]
        )
        before = text_of(revision.blob) if revision.blob else ""
        lines, log = row.parameters["lines"], row.code_name == LOG_SHRANK
        if is_still_lost(lines, before, reading.text, log=log):
            found.append(Trouble(row.code_name, row.line, row.parameters))
    return found


def shrinking(
    change: Change, reading: Reading, before: Row, blob_id: int
) -> list[Trouble]:
    """Return the problem of a file that lost lines in this revision."""
    code = _code_of(change, reading, before)
    if not code or Blob.objects.filter(id=blob_id, base_id=before["blob_id"]).exists():
        return []
    old = text_of(Blob.objects.get(id=before["blob_id"]))
    lost = lost_lines(old, reading.text, log=code == LOG_SHRANK)
    return [Trouble(code, 0, {"lines": lost, "seq": before["seq"]})] if lost else []


def _code_of(change: Change, reading: Reading, before: Row) -> str:
    """Return the code of a loss; empty for a file in which none counts.

    What a person shortened in the hub is no loss.
    """
    if is_log(reading.format) and is_log(before["format"]):
        return LOG_SHRANK
    is_kept = is_long_lived(before["path"], before["format"])
    by_person = bool(change.actor) and change.acting_id is None
    if not is_kept or is_log(reading.format) or by_person or not before["present"]:
        return ""
    return MEMORY_SHRANK


def text_of(blob: Blob) -> str:
    """Return a version's text; empty without bytes, as nothing can be lost then."""
    try:
        return decode(blob_bytes(blob)).text
    except NoBytes:
        return ""
