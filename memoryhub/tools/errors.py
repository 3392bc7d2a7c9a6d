"""Tools of the error log: look up, append, correct a pointer.

A pointer of MEMORY.md that contradicts its source is corrected and logged at once.
"""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import Field

from memoryhub.dialects import error_log, memory_index
from memoryhub.dialects.memory_index import Pointer
from memoryhub.errors.base import ToolError
from memoryhub.formats.text.line_edits import one_line
from memoryhub.handoffs.queries.agents import coordinates
from memoryhub.health.queries import memory_path
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.journal.versions import file_at, newest_text, path_in
from memoryhub.people.callers import Caller
from memoryhub.sync.files import PointerChange, Who
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import block, refuse_private, with_notice
from memoryhub.workspaces.services.optimizer import (
    ErrorLine,
    append_error,
    breaker_log,
)
from memoryhub.workspaces.services.optimizer import trust_source as repointed

LOG = error_log.PLACES[0]

Kind = Literal["", "PermissionDenied", "FileNotFound", "mismatch", "compaction"]


class ErrorsRequest(Request):
    """Filters for lines of the error log."""

    words: str = Field(
        "",
        max_length=500,
        description="Only lines with all of these words, such as a path; any case.",
    )
    kind: Kind = Field("", description="Only errors of this kind.")
    limit: int = Field(20, ge=1, le=200, description="How many lines at most.")
    path: str = Field(LOG, max_length=1000, description="The log, if another.")


class LoggedError(Answer):
    """A line of the log."""

    line: int
    date: datetime.date | None
    kind: str
    text: str


class LoggedErrors(Answer):
    """Lines of the log, newest first; `matching` counts those left out too."""

    path: str
    matching: int
    errors: list[LoggedError]

    def as_text(self) -> str:
        """Return the lines, quoted, and the number left out."""
        if not self.errors:
            return f"{self.path} says nothing of this."
        lines = block(self.path, "\n".join(error.text for error in self.errors))
        more = self.matching - len(self.errors)
        return with_notice(lines, f"{more} older ones are left out." if more else "")


@tool("Errors made before", Scope.READ)
def errors_consult(caller: Caller, request: ErrorsRequest) -> LoggedErrors:
    """Look up errors that were made before, newest first.

    Use it before a write or bash action: do not retry what was denied before, do not
    use paths that were not found before.
    """
    path = _log(caller.workspace, request.path)
    words = request.words.casefold().split()
    found = [
        error
        for error in error_log.errors_in(newest_text(caller.workspace, path))
        if request.kind in ("", error.kind)
        and all(word in error.text.casefold() for word in words)
    ]
    return LoggedErrors(
        path=path,
        matching=len(found),
        errors=[
            LoggedError.of(error, line=error.lines.first)
            for error in reversed(found[-request.limit :])
        ],
    )


class ErrorRequest(Request):
    """An error to remember."""

    text: str = Field(
        min_length=1, max_length=2000, description="What failed and why, in one line."
    )
    kind: Kind = Field("", description="What kind of error it was.")
    path: str = Field(LOG, max_length=1000, description="The log, if another.")


class ErrorWritten(Answer):
    """The line and its file; `state` is applied, or staged for a person's review."""

    path: str
    line: str
    operation: int
    state: str

    def as_text(self) -> str:
        """Return one sentence."""
        done = "Appended to" if self.state == "applied" else "Staged for"
        return f"{done} {self.path}: - {self.line}"


@tool("Remember an error", Scope.MEMORY, together=True)
def error_append(caller: Caller, request: ErrorRequest) -> ErrorWritten:
    """Add one line to the log of errors; nothing in it is ever changed.

    Use it when something was denied, a path was not found, memory contradicted a
    source file, or a compaction failed, so that no agent tries the same again.
    A line that clears a circuit breaker is for people and coordinators.
    """
    path = _log(caller.workspace, request.path)
    line = ErrorLine(path, _error_text(caller, request.kind, request.text))
    who = Who(caller.actor, caller.operation_key("error"))
    may_clear = _may_clear_breakers(caller)
    return _written(append_error(caller.workspace, line, who, may_clear=may_clear))


def _may_clear_breakers(caller: Caller) -> bool:
    """Return whether the caller coordinates, and has no open breaker itself."""
    if not coordinates(caller.workspace, caller.agent):
        return False
    return not breaker_log(caller.workspace).breaker(caller.name).is_open


def _error_text(caller: Caller, kind: str, text: str) -> str:
    entry = f"{kind}: {one_line(text)}" if kind else one_line(text)
    return f"{caller.now():%Y-%m-%d %H:%M} {caller.name}: {entry}"


def _written(operation: Operation) -> ErrorWritten:
    return ErrorWritten(
        path=operation.target,
        line=operation.payload["text"],
        operation=operation.seq,
        state=operation.state,
    )


def _log(workspace: Workspace, asked: str) -> str:
    """Return the path of the skill's log or of an existing error log.

    Raises:
        ToolError: ``path-not-allowed``.
    """
    path = path_in(workspace, asked)
    if path == LOG:
        return path
    file = file_at(workspace, path)
    if file is None or not file.present or file.format != error_log.NAME:
        raise ToolError("path-not-allowed", path=path)
    return path


class TrustRequest(Request):
    """A pointer that memory has wrong, and the source that is right."""

    target: str = Field(
        min_length=1,
        max_length=1000,
        description="What the pointer names now, as MEMORY.md has it.",
    )
    source: str = Field(
        min_length=1, max_length=1000, description="The file that it should name."
    )
    mismatch: str = Field(
        min_length=1,
        max_length=1000,
        description="How memory and source differ, in one line.",
    )
    line: int | None = Field(
        None, ge=1, description="The pointer's line, if several name the same file."
    )


class SourceTrusted(Answer):
    """The pointer's new target and the line in the log; their two operations."""

    path: str
    target: str
    pointer_operation: int
    error: ErrorWritten

    def as_text(self) -> str:
        """Return a sentence for each."""
        return f"{self.path} now points to {self.target}.\n{self.error.as_text()}"


@tool("Trust the source over memory", Scope.MEMORY)
def trust_source(caller: Caller, request: TrustRequest) -> SourceTrusted:
    """Correct a pointer of MEMORY.md and log the mismatch in memories/errors.md.

    Use it when MEMORY.md contradicts a source file that you have read: the source is
    right. Both are done, or neither.
    """
    path = memory_path(caller.workspace)
    if not path:
        raise ToolError("not-found", what="file", name="MEMORY.md")
    refuse_private(caller, path)
    pointer = _pointer(newest_text(caller.workspace, path), request)
    change = PointerChange(
        pointer.text, pointer.lines.first, request.target, request.source
    )
    what = f"{path} said {request.target}, source is {request.source}"
    entry = f"{one_line(request.mismatch)} ({what})"
    line = ErrorLine(LOG, _error_text(caller, "mismatch", entry))
    who = Who(caller.actor, caller.operation_key("trust"))
    pointed, logged = repointed(caller.workspace, path, change, line, who)
    return SourceTrusted(
        path=pointed.target,
        target=pointed.payload["to"],
        pointer_operation=pointed.seq,
        error=_written(logged),
    )


def _pointer(text: str, request: TrustRequest) -> Pointer:
    found = [
        pointer
        for pointer in memory_index.parse(text).pointers
        if pointer.target + pointer.anchor == request.target
        and request.line in (None, pointer.lines.first)
    ]
    if not found:
        raise ToolError("not-found", what="pointer to", name=request.target)
    if len(found) > 1:
        lines = ", ".join(str(pointer.lines.first) for pointer in found)
        raise ToolError("refused", reason=f"lines {lines} all point there: name one")
    return found[0]


TOOLS = (errors_consult, error_append, trust_source)
