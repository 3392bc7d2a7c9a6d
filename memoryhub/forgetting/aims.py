"""Targets of forgettings, as functions over versions and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.apps import apps
from django.db import models

from memoryhub.forgetting.models import Forgetting
from memoryhub.forgetting.rules import (
    MARK,
    Needle,
    lines_needle,
    regex_needle,
    text_needle,
)
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Blob, FileStat, Operation, Revision, Workspace
from memoryhub.journal.versions import version_at
from memoryhub.reviews.models import ReviewCard

_KIND = Forgetting.Kind
#: Minimum length of a row's text searched in operations and answers: shorter ones are
#: mere words.
_DISTINCT = 12
_MOVES = 20
_WAITING = {Operation.State.STAGED.value, Operation.State.PENDING.value}
#: Tables that are searched, with their text columns.
PLACES: dict[str, tuple[str, ...]] = {
    "workspaces.Operation": ("payload", "base", "after", "inverse", "reason"),
    "workspaces.Problem": ("parameters",),
    "people.SavedView": ("name", "address"),
    "people.ReviewMark": ("title",),
    "tools.ToolCall": ("answer", "refusal"),
    "notices.Notice": ("body", "error"),
    "notices.Delivery": ("body",),
    "claims.FileClaim": ("path", "reason"),
    "comments.Thread": ("path", "section", "quote", "before", "after"),
    "comments.Comment": ("text",),
    "reviews.ReviewCard": ("path", "agent", "session", "reason", "excerpt"),
    "reviews.ReviewRule": ("pattern", "section", "text", "reason"),
    "reviews.ReviewSetup": ("policies",),
    "jobs.Job": ("payload", "message", "result", "error"),
}
_CHUNK = 500
#: Limits of a chunk: versions, and about as many bytes.
_MOST, _BYTES = 64, 8_000_000


@dataclass(frozen=True, slots=True)
class PatternAim:
    """Matches of a pattern, in versions and in rows' texts."""

    in_versions: Needle
    in_rows: Needle

    def version(self, data: bytes) -> tuple[bytes | None, int]:
        """Return a version's redacted bytes, None for none, and how many matched."""
        return self.in_versions.redacted_bytes(data)

    def row(self, row: models.Model) -> dict[str, Any]:
        """Return the columns of a row with matches, redacted."""
        found = {
            name: self.in_rows.redacted_value(getattr(row, name))
            for name in PLACES[row._meta.label]
        }
        return {name: left for name, (left, count) in found.items() if count}


@dataclass(frozen=True, slots=True)
class BytesAim:
    """Whole versions, by their blobs, with the operations and answers about them.

    `shas` are their hashes, `path` is their file; `whole`: the whole file is the
    target.
    """

    blobs: frozenset[int]
    shas: frozenset[str]
    path: str
    whole: bool

    def version(self, data: bytes) -> tuple[bytes | None, int]:
        """Remove the whole version."""
        return None, 1

    def row(self, row: models.Model) -> dict[str, Any]:
        """Empty the operations on these versions, and answers about their file.

        An operation keeps its verb, seq, time and actor; a card's change has nobody to
        review it.
        """
        if isinstance(row, Operation):
            return _emptied(row) if self._is_about(row, row.target) else {}
        if isinstance(row, ReviewCard):
            left = {"state": "forgotten", "excerpt": ""}
            return _changed(row, left) if self._is_about(row, row.path) else {}
        texts = [getattr(row, name) for name in PLACES[row._meta.label]]
        if not _mentions(texts, self.path):
            return {}
        if row._meta.label == "tools.ToolCall":
            refusal = {"code": "version-gone", "parameters": {}}
            return {"answer": None, "refusal": refusal}
        if row._meta.label in ("notices.Notice", "notices.Delivery"):
            return {"body": _without_sentences(texts[0])}
        return {}

    def _is_about(self, row: Operation | ReviewCard, path: str) -> bool:
        is_target = self.whole and path == self.path
        return is_target or not {row.before_sha, row.after_sha}.isdisjoint(self.shas)


Aim = PatternAim | BytesAim


def _emptied(row: Operation) -> dict[str, Any]:
    """Return an operation's columns emptied; a staged or pending one is withdrawn."""
    reason = MARK if row.reason else ""
    left: dict[str, Any] = {"payload": {}, "base": None, "after": None}
    left |= {"reason": reason, "inverse": ["bring_back_forgotten", {}]}
    changed = _changed(row, left)
    if changed and row.state in _WAITING:
        changed["state"] = Operation.State.WITHDRAWN.value
    return changed


def _changed(row: models.Model, left: dict[str, Any]) -> dict[str, Any]:
    return {name: to for name, to in left.items() if getattr(row, name) != to}


def _mentions(value: Any, path: str) -> bool:
    if isinstance(value, dict):
        return any(_mentions(part, path) for part in value.values())
    if isinstance(value, list):
        return any(_mentions(part, path) for part in value)
    return isinstance(value, str) and path in value


def _without_sentences(value: Any) -> Any:
    """Replace every text of more than one word in a JSON value by the mark."""
    if isinstance(value, dict):
        return {name: _without_sentences(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_sentences(part) for part in value]
    return MARK if isinstance(value, str) and " " in value else value


def aim_of(forgetting: Forgetting) -> Aim:
    """Return the aim of a forgetting.

    Raises:
        FormatError: ``pattern-short``, ``pattern-invalid``, ``file-unknown``,
            ``row-unknown``.
    """
    needle, workspace = forgetting.needle, forgetting.workspace
    match forgetting.kind:
        case _KIND.TEXT:
            found = text_needle([needle["text"]])
            return PatternAim(found, found)
        case _KIND.SECRETS:
            found = text_needle(needle["texts"])
            return PatternAim(found, found)
        case _KIND.REGEX:
            found = regex_needle(needle["pattern"])
            return PatternAim(found, found)
        case _KIND.ENTRY:
            lines = lines_needle(needle["blocks"])
            texts = [text for text in needle["texts"] if len(text) >= _DISTINCT]
            return PatternAim(lines, text_needle(texts or needle["blocks"]))
        case _KIND.FILE:
            blobs = blobs_of_file(workspace, needle["path"])
        case _:
            blobs = needle["blobs"]
    shas = frozenset(blobs.values()) - {""}
    whole = forgetting.kind == _KIND.FILE
    return BytesAim(frozenset(map(int, blobs)), shas, needle["path"], whole)


def blobs_of_file(workspace: Workspace, path: str) -> dict[int, str]:
    """Return blob ids and hashes of all versions of a file, through moves."""
    found: dict[int, str] = {}
    place, limit = path, workspace.last_seq + 1
    for _ in range(_MOVES):
        rows = Revision.objects.filter(workspace=workspace, path=place, seq__lt=limit)
        moved = rows.filter(kind=Revision.Kind.MOVED).order_by("-seq").first()
        whole = rows.filter(blob__size__gt=0).exclude(blob__encoding="gone")
        found |= dict(whole.values_list("blob_id", "blob__sha256"))
        if moved is None:
            break
        place, limit = moved.moved_from, moved.seq
    return found


def needle_of_version(workspace: Workspace, path: str, seq: int) -> dict[str, Any]:
    """Build the needle of one version of a file.

    Raises:
        FormatError: ``file-unknown``, no such version with bytes.
    """
    version = version_at(workspace, path, seq)
    if version is None or version.blob_id is None or not version.size:
        raise FormatError("file-unknown", path=path)
    return {
        "path": path,
        "seq": version.seq,
        "blobs": {version.blob_id: version.sha256},
    }


def held_rows(workspace: Workspace) -> Iterator[models.Model]:
    """Yield every row of a workspace that may have texts, table by table."""
    for table in PLACES:
        model = apps.get_model(table)
        rows = model._default_manager.filter(workspace=workspace.pk).order_by("pk")
        yield from rows.iterator(_CHUNK)


class Touched(NamedTuple):
    """A version changed by a forgetting; `left` is its new content, None for none."""

    blob: Blob
    before: bytes
    left: bytes | None
    matches: int


def stored_versions(workspace: Workspace, aim: Aim, behind: int = 0) -> list[Blob]:
    """Return the blobs of a workspace's revisions that the aim may change.

    Only of revisions after the seq `behind`; without their bytes.
    """
    held = Revision.objects.filter(workspace=workspace, blob__isnull=False)
    held = held.filter(seq__gt=behind)
    blobs = Blob.objects.exclude(encoding=Blob.Encoding.GONE).order_by("id")
    blobs = blobs.filter(pk__in=held.order_by().values("blob_id"))
    found = list(blobs.defer("data"))
    if isinstance(aim, PatternAim):
        return found
    return [blob for blob in found if blob.id in aim.blobs]


def touched_versions(
    blobs: list[Blob], aim: Aim
) -> Iterator[tuple[int, list[Touched]]]:
    """Yield the changed ones of each chunk of blobs, with how many were read so far.

    One chunk is in memory at a time.
    """
    place = 0
    for chunk in _chunks(blobs):
        data = bytes_by_id([blob.id for blob in chunk])
        place += len(chunk)
        read = ((blob, data.pop(blob.id, b"")) for blob in chunk)
        found = [Touched(blob, before, *aim.version(before)) for blob, before in read]
        yield place, [touched for touched in found if touched.matches]


def _chunks(blobs: list[Blob]) -> Iterator[list[Blob]]:
    chunk: list[Blob] = []
    size = 0
    for blob in blobs:
        if chunk and (len(chunk) >= _MOST or size + blob.size > _BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(blob)
        size += blob.size
    if chunk:
        yield chunk


def files_with(workspace: Workspace, digests: Collection[str]) -> list[tuple[str, str]]:
    """Return path and hash of the files with these contents, as of the last scan."""
    known = FileStat.objects.filter(workspace=workspace).order_by("path")
    rows = known.values_list("path", "sha256").iterator(5000)
    return [(path, digest) for path, digest in rows if digest in digests]


def others_with(workspace: Workspace, digests: Collection[str]) -> list[str]:
    """Return the other workspaces that have a version with these contents."""
    held = Revision.objects.exclude(workspace=workspace).filter(blob__isnull=False)
    held = held.exclude(blob__encoding=Blob.Encoding.GONE)
    rows = held.values_list("workspace__slug", "blob__sha256").iterator(5000)
    return sorted({slug for slug, digest in rows if digest in digests})
