"""Changes by agents of context-memory-optimizer: seed files, log, repoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memoryhub.compaction.breaker import (
    Breaker,
    breaker_of,
    breakers_of,
    changes_breakers,
)
from memoryhub.dialects import error_log
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, SourceFile, Workspace
from memoryhub.sync.edit.editing import (
    apply_edit,
    staged_text,
    undo,
)
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    attempt_key,
)
from memoryhub.sync.edit.writing import look
from memoryhub.sync.files import PointerChange, Who, repoint


@dataclass(frozen=True, slots=True)
class Begun:
    """Result of creating a workspace's first files.

    `kept` existed already; `failed` are pairs of path and reason.
    """

    made: tuple[Operation, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A line for a log of errors."""

    path: str
    text: str


def begin(workspace: Workspace, files: Mapping[str, str], who: Who) -> Begun:
    """Create the missing files; existing ones are not changed."""
    there = SourceFile.objects.filter(workspace=workspace, path__in=files, present=True)
    known = set(there.values_list("path", flat=True))
    mine = _made_before(workspace, files, who)
    made: list[Operation] = []
    kept: list[str] = []
    failed: list[tuple[str, str]] = []
    for path, text in files.items():
        if path in known and path not in mine:
            kept.append(path)
            continue
        key = attempt_key(workspace, f"{who.key}-{path}")
        edit = Edit(path, "place_file", {"text": text}, who.actor, base="", key=key)
        try:
            made.append(apply_edit(workspace, edit))
        except Conflict:
            kept.append(path)
        except (FormatError, FileError) as error:
            failed.append((path, str(error)))
    return Begun(tuple(made), tuple(kept), tuple(failed))


def _made_before(workspace: Workspace, files: Mapping[str, str], who: Who) -> set[str]:
    """Return the files created by an earlier try of the same call."""
    keys = [f"{who.key}-{path}" for path in files]
    known = Operation.objects.filter(workspace=workspace, key__in=keys)
    return set(known.values_list("target", flat=True))


def append_error(
    workspace: Workspace, line: ErrorLine, who: Who, *, may_clear: bool = False
) -> Operation:
    """Append a line to a log of errors, created if missing.

    `may_clear`: the line may close circuit breakers.

    Raises:
        FormatError: the text is empty or more than one line;
            ``breaker-needs-operator``, it would close a breaker.
        FileError: the log cannot be written.
    """
    if not may_clear and (closed := _closed_by(workspace, line)):
        raise FormatError("breaker-needs-operator", agent=", ".join(closed))
    key = attempt_key(workspace, who.key)
    edit = Edit(line.path, "append_error", {"text": line.text}, who.actor, key=key)
    return apply_edit(workspace, edit)


def _closed_by(workspace: Workspace, line: ErrorLine) -> list[str]:
    """Return the agents whose open breakers a line would close."""
    alone = error_log.errors_in(error_log.text_with_error("", line.text))
    if not changes_breakers(alone):
        return []
    log = breaker_log(workspace)
    before = log.open_breakers()
    if line.path != log.path or not before:
        return []
    after = BreakerLog(log.path, error_log.text_with_error(log.text, line.text))
    return sorted(before - after.open_breakers())


def trust_source(
    workspace: Workspace,
    index: str,
    change: PointerChange,
    line: ErrorLine,
    who: Who,
) -> tuple[Operation, Operation]:
    """Repoint a pointer and log the reason: both, or neither.

    These are two operations, one per file. If the second fails, the first is undone
    before the error is raised. After a crash between them a repeated call does the
    second.

    Raises:
        Conflict: the pointer's target has changed meanwhile.
        FormatError: the target cannot be written as a pointer, or the line is invalid.
        FileError: one of the files cannot be written.
    """
    first = replace(who, key=attempt_key(workspace, f"{who.key}-pointer"))
    pointed = repoint(workspace, index, change, first)
    try:
        second = replace(who, key=f"{who.key}-error")
        return pointed, append_error(workspace, line, second)
    except (Conflict, FormatError, FileError):
        undo(workspace, pointed, who.actor)
        raise


@dataclass(frozen=True, slots=True)
class BreakerLog:
    """The log of errors with the breakers' state, including staged changes."""

    path: str
    text: str

    def breaker(self, agent: str) -> Breaker:
        """Return the state of an agent's breaker."""
        return breaker_of(error_log.errors_in(self.text), agent)

    def open_breakers(self) -> set[str]:
        """Return the agents whose breaker is open."""
        found = breakers_of(error_log.errors_in(self.text))
        return {breaker.agent for breaker in found if breaker.is_open}


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
