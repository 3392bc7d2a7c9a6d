"""Entries of the logs imported last: a log that grew is imported from its end.

What is committed alone counts, and only for the revision right after it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from memoryhub.formats.openclaw.log_entries import Entry
from memoryhub.journal.changes import Change

#: Logs whose entries are cached, and the fewest entries for which that pays.
_LOGS, _LEAST = 16, 30


class _Imported(NamedTuple):
    seq: int
    path: str
    entries: Sequence[Entry]


class KnownEntries:
    """The entries of a file's newest imported revision, by the file's id."""

    def __init__(self) -> None:
        self._imported: OrderedDict[int, _Imported] = OrderedDict()

    def before(self, change: Change) -> Sequence[Entry]:
        """Return the entries of the revision before, if they are known."""
        found = self._imported.get(change.file_id)
        if found is None or (found.seq, found.path) != (
            change.previous_seq,
            change.path,
        ):
            return ()
        return found.entries

    def note(self, change: Change, entries: Sequence[Entry]) -> None:
        """Keep the entries of a revision, once it is committed."""
        if len(entries) < _LEAST:
            return
        imported = _Imported(change.seq, change.path, entries)
        transaction.on_commit(lambda: self._keep(change.file_id, imported))

    def _keep(self, file_id: int, imported: _Imported) -> None:
        self._imported[file_id] = imported
        self._imported.move_to_end(file_id)
        while len(self._imported) > _LOGS:
            self._imported.popitem(last=False)


ENTRIES = KnownEntries()


def shared(known: Sequence[Entry], entries: Sequence[Entry]) -> int:
    """Return the number of known entries at the start.

    Those of a text that goes on are the same objects (`Growing`).
    """
    pairs = zip(known, entries, strict=False)
    return next(
        (place for place, (old, new) in enumerate(pairs) if old is not new),
        min(len(known), len(entries)),
    )
