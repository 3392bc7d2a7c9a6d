"""Changes to whole files by people: restore one or those missing, fix a pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.compaction.breaker import clearing_line
from memoryhub.disk.files import ExternallyChanged, FileError, folder_of
from memoryhub.disk.replacing import replace_file
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, bytes_by_id, stored_bytes
from memoryhub.journal.exporters import text_key
from memoryhub.journal.models import Operation, Problem, SourceFile, Workspace
from memoryhub.journal.problems import BRING_BACK, CLEAR, MEMORY_GONE, current_problems
from memoryhub.journal.versions import Version, file_at, version_at
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit, record_edit, row_by_code
from memoryhub.sync.edit.holding import held_files
from memoryhub.sync.edit.writing import file_lock, place_of
from memoryhub.sync.engine import WorkspaceGone, sync_workspace


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


def clearing(rows: Sequence[Problem], label: str, *, actor: str) -> Edit:
    """Return the edit that clears problem rows shown to people as one.

    `label` is its text in the timeline.
    """
    payload = {"problems": [row.code for row in rows], "label": label}
    return Edit(f"problem:{rows[0].code}", CLEAR, payload, actor, base=False)


def clear(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply a clearing edit: clear equal problems, or bring them back.

    Raises:
        Conflict: the problems' state has changed meanwhile.
        FormatError: ``row-unknown``, the problem does not exist, or no longer.
    """
    rows = [row_by_code(workspace, Problem, code) for code in edit.payload["problems"]]
    before = all(row.cleared_seq is not None for row in rows)
    after = edit.verb == CLEAR
    if edit.base is not None and edit.base != before:
        raise Conflict(edit.path, edit.base, before)
    inverse = [BRING_BACK if after else CLEAR, edit.payload]
    made = {"base": before, "after": after, "inverse": inverse}
    return record_edit(workspace, edit, at, **made)


#: Reasons for which one file stays missing while the others are restored.
_LEFT = (Conflict, FormatError, FileError, NoBytes)


def restore_missing(
    workspace: Workspace, actor: str
) -> tuple[list[str], dict[str, Exception]]:
    """Write back all missing files of a workspace; return them, and those left.

    A held file was never recorded as deleted: its newest bytes are put back, without a
    new version. A deleted file is restored as of each page of a file. What is missing
    now is found by an import first, and released by one at the end.

    Raises:
        WorkspaceGone: the folder is missing.
    """
    sync_workspace(workspace)
    restored, left = _restore_held(workspace)
    if restored:
        sync_workspace(workspace)
    problems = current_problems(workspace).filter(code_name=MEMORY_GONE)
    for problem in problems.order_by("path"):
        version = version_at(workspace, problem.path, problem.parameters["seq"])
        file = file_at(workspace, problem.path)
        if version is None or file is None or file.present:
            continue
        who = Who(actor, f"restore-{uuid4().hex}")
        try:
            restore(workspace, problem.path, version, file.seq, who)
            restored.append(problem.path)
        except _LEFT as error:
            left[problem.path] = error
    return restored, left


def _restore_held(workspace: Workspace) -> tuple[list[str], dict[str, Exception]]:
    if not folder_of(workspace.root).is_dir():
        raise WorkspaceGone(workspace.root)
    restored: list[str] = []
    left: dict[str, Exception] = {}
    for path, digest in held_files(workspace).values_list("path", "sha256"):
        try:
            with file_lock(workspace, path):
                data = stored_bytes(digest)
                replace_file(place_of(workspace, path), data, expected=None)
            restored.append(path)
        except ExternallyChanged:
            continue  # It is back.
        except _LEFT as error:
            left[path] = error
    return restored, left
