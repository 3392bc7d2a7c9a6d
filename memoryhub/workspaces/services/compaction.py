"""What compaction leaves in a workspace: its breaker's log, and the task at hand."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.compaction.breaker import Breaker, breaker_of
from memoryhub.formats.optimizer import error_log
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.idempotency import attempt_key
from memoryhub.sync.edit.staging import staged_text
from memoryhub.sync.edit.writing import look
from memoryhub.sync.files import Who


@dataclass(frozen=True, slots=True)
class BreakerLog:
    """The log that tells of breakers, by what it says now or will when written."""

    path: str
    text: str

    def breaker(self, agent: str) -> Breaker:
        """Return an agent's breaker."""
        return breaker_of(error_log.parse(self.text).errors, agent)


def breaker_log(workspace: Workspace) -> BreakerLog:
    """Return the log as it is on disk, with what is staged for it.

    Raises:
        FileError: it cannot be read.
        Conflict: what is staged for it no longer fits.
    """
    disks = {path: look(workspace, path) for path in error_log.PLACES}
    there = (path for path, disk in disks.items() if disk.file)
    path = next(there, error_log.PLACES[0])
    return BreakerLog(path, staged_text(workspace, path, disks[path].text))


def save_task(workspace: Workspace, path: str, text: str, who: Who) -> Operation:
    """Make a file say what the task is; what it said before stays a revision.

    Raises:
        FormatError: no encoding has the text.
        FileError: the file cannot be written.
    """
    key = attempt_key(workspace, who.key)
    edit = Edit(path, "replace_file", {"text": text}, who.actor, key=key)
    return apply_edit(workspace, edit)
