"""Closing of open items in their files, and opening them again."""

from __future__ import annotations

from memoryhub.dialects.registry import by_name
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.ticking import closed_row, head_above, ticked, unticked
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from snapshots.models import OpenItem
from snapshots.verbs import CLOSE, REOPEN, bare_lines
from topics.services.topics import Author

_LABEL_SIZE = 200
#: Characters of an item by which its line is recognized.
_KNOWN_BY = 40


def can_close(row: OpenItem) -> bool:
    """Return whether the hub can change the file that states an item."""
    return not by_name(row.file.format).is_read_only


def close_item(
    workspace: Workspace, row: OpenItem, reason: str, author: Author
) -> Operation:
    """Tick an item off in its file, with a reason if there is one.

    Raises:
        FormatError: ``item-not-there``, its lines have changed; ``item-in-table``;
            ``item-read-only``, another program keeps the file.
        FileError: the file cannot be read or written.
        Conflict: the file's lines changed meanwhile.
    """
    text = newest_text(workspace, row.file.path)
    old = _lines_of(text, row)
    payload = _payload(row, old, _closed(text, old, row, reason))
    path, actor, key = row.file.path, author.actor, author.key
    return apply_edit(workspace, Edit(path, CLOSE, payload, actor, None, reason, key))


def reopen_item(workspace: Workspace, row: OpenItem, author: Author) -> Operation:
    """Take the mark from the line that reports an item as done.

    Raises:
        FormatError: ``item-not-there``; ``item-not-ticked``, words report it as done.
        FileError: the file cannot be read or written.
        Conflict: the file's lines changed meanwhile.
    """
    old = _lines_of(newest_text(workspace, row.file.path), row)
    edit = Edit(
        row.file.path,
        REOPEN,
        _payload(row, old, unticked(old)),
        author.actor,
        key=author.key,
    )
    return apply_edit(workspace, edit)


def _closed(text: str, old: list[str], row: OpenItem, reason: str) -> list[str]:
    """Return the lines of an item as done; of a table's row its open cell."""
    if not old[0].lstrip().startswith("|"):
        return ticked(old, row.text, reason)
    head = head_above(bare_lines(text), row.first_line - 1)
    if (row_closed := closed_row(old[0], head, reason)) is None:
        raise FormatError("item-in-table")
    return [row_closed]


def _payload(row: OpenItem, old: list[str], new: list[str]) -> Payload:
    label = row.text[:_LABEL_SIZE]
    return {"label": label, "line": row.first_line, "old": old, "new": new}


def _lines_of(text: str, row: OpenItem) -> list[str]:
    if not can_close(row):
        raise FormatError("item-read-only")
    found = bare_lines(text)[row.first_line - 1 : row.last_line]
    known = row.text[:_KNOWN_BY].split(" ")[0]
    if not found or known not in found[0]:
        raise FormatError("item-not-there", text=row.text[:_LABEL_SIZE])
    return found
