"""Compaction's files in a workspace: the breaker's log, and the current task."""

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
    """The log of errors with the breakers' state, including staged changes."""

    path: str
    text: str

    def breaker(self, agent: str) -> Breaker:
        """Return the state of an agent's breaker."""
        return breaker_of(error_log.parse(self.text).errors, agent)


def breaker_log(workspace: Workspace) -> BreakerLog:
    """Read the log from disk, with the operations staged for it.

    Raises:
        FileError: the log cannot be read.
        Conflict: an operation staged for it conflicts.
    """
    disks = {path: look(workspace, path) for path in error_log.PLACES}
    there = (path for path, disk in disks.items() if disk.file)
    path = next(there, error_log.PLACES[0])
    return BreakerLog(path, staged_text(workspace, path, disks[path].text))


def save_task(workspace: Workspace, path: str, text: str, who: Who) -> Operation:
    """Replace a task file's text; the previous text stays a revision.

    Raises:
        FormatError: the text cannot be encoded.
        FileError: the file cannot be written.
    """
    key = attempt_key(workspace, who.key)
    edit = Edit(path, "replace_file", {"text": text}, who.actor, key=key)
    return apply_edit(workspace, edit)
