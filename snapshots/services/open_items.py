"""Closing of open items in their files."""

from __future__ import annotations

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.source import split_lines
from memoryhub.formats.text.ticking import ticked
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from snapshots.item_verbs import CLOSE
from snapshots.models import OpenItem
from topics.services.topics import Author

_LABEL_SIZE = 200
#: Characters of an item by which its line is recognized.
_KNOWN_BY = 40


def close_item(
    workspace: Workspace, row: OpenItem, reason: str, author: Author
) -> Operation:
    """Tick an item off in its file, with a reason if there is one.

    Raises:
        FormatError: ``item-not-there``, its lines have changed; ``item-in-table``.
        FileError: the file cannot be read or written.
        Conflict: the file's lines changed meanwhile.
    """
    path = row.file.path
    old = _lines_of(newest_text(workspace, path), row)
    payload = {
        "label": row.text[:_LABEL_SIZE],
        "line": row.first_line,
        "old": old,
        "new": ticked(old, row.text, reason),
    }
    edit = Edit(path, CLOSE, payload, author.actor, reason=reason, key=author.key)
    return apply_edit(workspace, edit)


def _lines_of(text: str, row: OpenItem) -> list[str]:
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    found = lines[row.first_line - 1 : row.last_line]
    known = row.text[:_KNOWN_BY].split(" ")[0]
    if not found or known not in found[0]:
        raise FormatError("item-not-there", text=row.text[:_LABEL_SIZE])
    return found
