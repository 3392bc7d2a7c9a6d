"""Write back of missing files: those that are held, and those whose deletion is a loss.

A held file was never recorded as deleted: its newest bytes are put back, without a new
version. A deleted file is restored as of each page of a file.
"""

from __future__ import annotations

from uuid import uuid4

from memoryhub.disk.files import ExternallyChanged, FileError, folder_of
from memoryhub.disk.replacing import replace_file
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import MEMORY_GONE, current_problems
from memoryhub.journal.versions import file_at, version_at
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.holding import held_files
from memoryhub.sync.edit.writing import file_lock, place_of
from memoryhub.sync.engine import WorkspaceGone, sync_workspace
from memoryhub.sync.files import Who, restore

#: Reasons for which one file stays missing while the others are restored.
_LEFT = (Conflict, FormatError, FileError, NoBytes)


def restore_missing(
    workspace: Workspace, actor: str
) -> tuple[list[str], dict[str, Exception]]:
    """Write back all missing files of a workspace; return them, and those left.

    What is missing now is found by an import first, and released by one at the end.

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
