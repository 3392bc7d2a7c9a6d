"""What people do with files as such: restore one, mend a pointer, log a line."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.compaction.breaker import clearing_line
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.exporters import text_key
from memoryhub.journal.models import Operation, Problem, SourceFile, Workspace
from memoryhub.journal.versions import Version, file_at
from memoryhub.sync.edit.clearing import clearing
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks for a change, by which form: one sent twice is done once."""

    actor: str
    key: str


@dataclass(frozen=True, slots=True)
class PointerChange:
    """A pointer by its words and line, the target it has now and the one it gets."""

    text: str
    line: int
    base: str
    to: str


def restore(
    workspace: Workspace,
    path: str,
    version: Version,
    seen: int,
    who: Who,
) -> Operation:
    """Make a file say again what it said at a version, as a new revision.

    `seen` is the newest revision that the person has looked at.

    Raises:
        Conflict: there is a newer one by now.
        FormatError: ``version-damaged``, the hub's copy cannot be read.
    """
    file = file_at(workspace, path)
    text, sha = _newest(file)
    if file is not None and file.seq != seen:
        raise Conflict(path, "", text)
    payload = {
        "sha": version.sha256 or "",
        "before": sha,
        "label": path,
        "revision": version.seq,
    }
    edit = Edit(path, "restore", payload, who.actor, text_key(text), key=who.key)
    try:
        return apply_edit(workspace, edit)
    except Conflict as conflict:
        newest, _ = _newest(file_at(workspace, path))
        raise Conflict(path, text, newest) from conflict


def _newest(file: SourceFile | None) -> tuple[str, str]:
    """Return what a file says now and the hash of its bytes; nothing where it is gone.

    Raises FormatError `version-damaged`.
    """
    if file is None or not file.present or file.blob is None:
        return "", ""
    data = bytes_by_id([file.blob.id]).get(file.blob.id)
    if data is None:
        raise FormatError("version-damaged")
    return decode(data).text, file.blob.sha256


def repoint(
    workspace: Workspace, path: str, pointer: PointerChange, who: Who
) -> Operation:
    """Make a pointer of ``MEMORY.md`` name another file.

    Raises:
        Conflict: it names something else by now.
        FormatError: ``target-not-allowed``, no pointer can name this.
    """
    payload = {
        "text": pointer.text,
        "line": pointer.line,
        "to": pointer.to,
        "label": f"{pointer.base} → {pointer.to}",
    }
    edit = Edit(path, "repoint", payload, who.actor, pointer.base, key=who.key)
    return apply_edit(workspace, edit)


def clear_breaker(
    workspace: Workspace, path: str, agent: str, reason: str, who: Who
) -> Operation:
    """Close an agent's breaker by a line at the end of the log of errors.

    Raises FormatError for a reason with a line end, or none.
    """
    now = timezone.now().astimezone(ZoneInfo(workspace.time_zone))
    line = clearing_line(agent, reason, by=who.actor, at=f"{now:%Y-%m-%d %H:%M}")
    edit = Edit(path, "append_error", {"text": line}, who.actor, key=who.key)
    return apply_edit(workspace, edit)


def clear_problem(
    workspace: Workspace, problem: Problem, label: str, actor: str
) -> Operation:
    """Say that nothing need be done about a problem, however often its file has it.

    Raises Conflict where somebody else has said so.
    """
    same = Problem.objects.filter(
        workspace=workspace,
        until_seq__isnull=True,
        code_name=problem.code_name,
        path=problem.path,
    ).order_by("line", "id")
    rows = [row for row in same if row.parameters == problem.parameters]
    return apply_edit(workspace, clearing(rows or [problem], label, actor=actor))
