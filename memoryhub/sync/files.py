"""Changes to whole files by people: restore one, fix a pointer, log a line."""

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
    """The actor of a change, and its form's key: a form sent twice applies once."""

    actor: str
    key: str


@dataclass(frozen=True, slots=True)
class PointerChange:
    """A change of a pointer: its words and line, present target, new target."""

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
    """Restore a version of a file, as a new revision.

    `seen` is the newest revision on the person's page.

    Raises:
        Conflict: there is a newer revision by now.
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
    """Return a file's text and hash, both empty if it was deleted.

    Raises:
        FormatError: ``version-damaged``, the hub's copy cannot be read.
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
    """Set the target of a pointer in ``MEMORY.md``.

    Raises:
        Conflict: its target has changed meanwhile.
        FormatError: ``target-not-allowed``, the target cannot be written as a pointer.
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

    Raises:
        FormatError: the reason is empty or has a line end.
    """
    now = timezone.now().astimezone(ZoneInfo(workspace.time_zone))
    line = clearing_line(agent, reason, by=who.actor, at=f"{now:%Y-%m-%d %H:%M}")
    edit = Edit(path, "append_error", {"text": line}, who.actor, key=who.key)
    return apply_edit(workspace, edit)


def clear_problem(
    workspace: Workspace, problem: Problem, label: str, actor: str
) -> Operation:
    """Clear a problem, with all equal ones of its file.

    Raises:
        Conflict: it was cleared meanwhile.
    """
    same = Problem.objects.filter(
        workspace=workspace,
        until_seq__isnull=True,
        code_name=problem.code_name,
        path=problem.path,
    ).order_by("line", "id")
    rows = [row for row in same if row.parameters == problem.parameters]
    return apply_edit(workspace, clearing(rows or [problem], label, actor=actor))
