"""Whole files, for programs to read and replace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from memoryhub.disk.files import folder_of
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import Decoded, decode
from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Operation, SourceFile, Workspace
from memoryhub.journal.verbs import verb_of
from memoryhub.journal.versions import file_at
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    was_tried,
)
from memoryhub.sync.files import Who
from memoryhub.sync.scan.walk import takes

_REPLACE = "replace_file"
#: Base that no text has: the precondition does not hold.
_OUTDATED = "outdated"


@dataclass(frozen=True, slots=True)
class Document:
    """A file: its row, decoded text, and the hash of its bytes."""

    file: SourceFile
    decoded: Decoded
    sha256: str


def document_at(workspace: Workspace, path: str) -> Document | None:
    """Return the present file at a path; None if there is none.

    Raises:
        CorruptBlob: the hub's copy is damaged.
        Gone: its bytes were forgotten or thinned out.
    """
    file = file_at(workspace, path)
    if file is None or not file.present or file.blob is None:
        return None
    return Document(file, decode(blob_bytes(file.blob)), file.blob.sha256)


def replace_document(
    workspace: Workspace,
    path: str,
    text: str,
    holds: Callable[[str], bool],
    who: Who,
) -> Operation:
    """Replace a file's text, or create the file.

    `holds` is the precondition on the hash of the file's bytes, empty without a file.
    A repeated key is answered with its operation, whatever the file holds by now; if
    that was never written, the precondition counts again.

    Raises:
        Conflict: the condition does not hold, the file was changed meanwhile, or the
            operation with this key was withdrawn.
        FormatError: ``path-not-allowed``, no sync would import the file.
        FileError: the file cannot be written.
    """
    ignore = tuple(workspace.ignore_patterns)
    root, linked = folder_of(workspace.root), settings.MEMORYHUB_LINKED_FOLDERS
    if not takes(root, path, ignore=ignore, linked=linked):
        raise FormatError("path-not-allowed", path=path)
    payload = {"text": text, "label": path}
    now = document_at(workspace, path)
    sha, base = (now.sha256 if now else ""), _OUTDATED
    if holds(sha):
        base = verb_of(_REPLACE).value(now.decoded.text if now else "", payload)
    elif not was_tried(workspace, who.key):
        raise Conflict(path, "", sha)
    edit = Edit(path, _REPLACE, payload, who.actor, base, key=who.key)
    operation = apply_edit(workspace, edit)
    if operation.state == Operation.State.WITHDRAWN:
        raise Conflict(path, operation.base, sha)
    return operation
