"""Targets of forgettings, as functions over versions and rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memoryhub.forgetting.models import Forgetting
from memoryhub.forgetting.queries.places import Held
from memoryhub.forgetting.rules import (
    MARK,
    Needle,
    lines_needle,
    regex_needle,
    text_needle,
)
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.versions import version_at

_KIND = Forgetting.Kind
#: Minimum length of a row's text searched in operations and answers: shorter ones are
#: mere words.
_DISTINCT = 12
_MOVES = 20
_WAITING = {Operation.State.STAGED.value, Operation.State.PENDING.value}


class Aim(Protocol):
    """Target of a forgetting: selects versions and rows, computes their new content."""

    @property
    def blobs(self) -> frozenset[int] | None:
        """Ids of the target's blobs; None if all have to be read."""

    def version(self, data: bytes) -> tuple[bytes | None, int]:
        """Return a version's new bytes (None for none) and the number of matches."""

    def row(self, held: Held) -> dict[str, Any]:
        """Return the changed columns of a row with their new values."""


@dataclass(frozen=True, slots=True)
class PatternAim:
    """Matches of a pattern, in versions and in rows' texts."""

    in_versions: Needle
    in_rows: Needle
    blobs: None = None

    def version(self, data: bytes) -> tuple[bytes | None, int]:
        """Redact a version's matches."""
        return self.in_versions.redacted_bytes(data)

    def row(self, held: Held) -> dict[str, Any]:
        """Return the columns with matches, redacted."""
        changed = {}
        for name, value in held.values.items():
            left, count = self.in_rows.redacted_value(value)
            if count:
                changed[name] = left
        return changed


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

    def row(self, held: Held) -> dict[str, Any]:
        """Empty the operations on these versions, and answers about their file.

        An operation keeps its verb, seq, time and actor.
        """
        if held.table == "workspaces.Operation":
            return _emptied(held) if self._is_about(held.facts) else {}
        if not _mentions(list(held.values.values()), self.path):
            return {}
        if held.table == "tools.ToolCall":
            return {
                "answer": None,
                "refusal": {"code": "version-gone", "parameters": {}},
            }
        if held.table == "notices.Notice":
            return {"body": _without_sentences(held.values["body"])}
        return {}

    def _is_about(self, facts: Mapping[str, str]) -> bool:
        named = {facts["before_sha"], facts["after_sha"]}
        is_target = self.whole and facts["target"] == self.path
        return is_target or not named.isdisjoint(self.shas)


def _emptied(held: Held) -> dict[str, Any]:
    """Return an operation's columns emptied; a staged or pending one is withdrawn."""
    reason = MARK if held.values["reason"] else ""
    left: dict[str, Any] = {"payload": {}, "base": None, "after": None}
    left |= {"reason": reason, "inverse": ["bring_back_forgotten", {}]}
    changed = {name: to for name, to in left.items() if held.values[name] != to}
    if changed and held.facts["state"] in _WAITING:
        changed["state"] = Operation.State.WITHDRAWN.value
    return changed


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
