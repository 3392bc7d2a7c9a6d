"""Entries of the logs imported last: a log that grew is imported from its end.

What is committed alone counts, and only for the revision right after it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from django.db import transaction

from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.journal.changes import Change

#: Logs whose entries are cached, and the fewest entries for which that pays.
_LOGS, _LEAST = 16, 30


class _Imported(NamedTuple):
    seq: int
    path: str
    log: DailyLog


class KnownEntries:
    """The newest imported revisions of logs, by their files' ids."""

    def __init__(self) -> None:
        self._imported: OrderedDict[int, _Imported] = OrderedDict()

    def before(self, change: Change) -> DailyLog | None:
        """Return the log before this revision, if it is known."""
        found = self._imported.get(change.file_id)
        if found is None or (found.seq, found.path) != (
            change.previous_seq,
            change.path,
        ):
            return None
        return found.log

    def note(self, change: Change, log: DailyLog) -> None:
        """Keep the log of a revision, once it is committed."""
        if len(log.entries) < _LEAST:
            return
        imported = _Imported(change.seq, change.path, log)
        transaction.on_commit(lambda: self._keep(change.file_id, imported))

    def _keep(self, file_id: int, imported: _Imported) -> None:
        self._imported[file_id] = imported
        self._imported.move_to_end(file_id)
        while len(self._imported) > _LOGS:
            self._imported.popitem(last=False)


ENTRIES = KnownEntries()


def shared(known: DailyLog | None, log: DailyLog) -> int:
    """Return the number of known entries with which a log that goes on begins."""
    if known is None:
        return 0
    pairs = zip(known.entries, log.entries, strict=False)
    most = min(len(known.entries), len(log.entries))
    same = next((n for n, (old, new) in enumerate(pairs) if old != new), most)
    end = known.entries[same - 1].end if same else 0
    return same if log.text.startswith(known.text[:end]) else 0
