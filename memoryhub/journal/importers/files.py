"""Importer of source files: their present state and problems, as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memoryhub.dialects.registry import problems_of
from memoryhub.formats.copies import is_alike, original_of
from memoryhub.formats.text.hidden import HIDDEN, hidden_in
from memoryhub.formats.text.merging import unsettled
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.hosts import LIMITED_IN_TOKENS
from memoryhub.journal.importers.losses import (
    deletion,
    lost_writes,
    shrinking,
    still_lost,
    still_shrunk,
    text_of,
)
from memoryhub.journal.models import Blob, Revision, SourceFile
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.problems import (
    CONFLICT_MARKERS,
    FORGOTTEN_AGAIN,
    SECRETS,
    WRITE_LOST,
    Trouble,
    fold_problems,
    open_problems,
    troubles_of,
)
from memoryhub.journal.reading import Reading
from memoryhub.journal.rows import Entities, Row, Rows
from memoryhub.values import tokens
from memoryhub.values.identity import derive
from memoryhub.values.limits import MOST_LINES

#: Ids of the files at paths, the present one of each last.
_IDS: Prepared[tuple[str, int]] = Prepared(
    lambda workspace_id, paths: (
        SourceFile.objects.filter(workspace_id=workspace_id, path__in=listed(paths))
        .order_by("present", "seq")
        .values_list("path", "id")
    ),
    int,
    str,
)
#: One version written through the hub.
_WRITTEN: Prepared[int] = Prepared(
    lambda workspace_id: (
        Revision.objects.filter(workspace_id=workspace_id, kind=Revision.Kind.WRITTEN)
        .order_by()
        .values_list("seq", flat=True)[:1]
    ),
    int,
)


class FileImporter:
    """Importer of a workspace's source files, by path."""

    def __init__(self, workspace: WorkspaceFacts, *, empty: bool) -> None:
        self._workspace = workspace
        self._entities = Entities(SourceFile, workspace.id, empty=empty)
        self._ids: dict[str, int | None] = {}
        self._left: set[str] = set()
        self._empty = empty
        self._written: bool | None = False if empty else None

    def known(self, path: str) -> Row | None:
        """Return the row of the file at a path, deleted ones included."""
        if path not in self._ids:
            self.look_up([path])
        row_id = self._ids[path]
        return None if row_id is None else self._entities.get(row_id)

    def look_up(self, paths: Iterable[str]) -> None:
        """Read the rows of the files at paths, in two statements."""
        new = [path for path in paths if path not in self._ids]
        self._ids |= dict.fromkeys(new)
        known = [path for path in new if not self._empty or path in self._left]
        if known:
            self._ids |= dict(_IDS(self._workspace.id, json.dumps(known)))
            uuid = self._workspace.uuid
            named = (derive(uuid, "SourceFile", path) for path in known)
            found = filter(None, map(self._ids.__getitem__, known))
            self._entities.look_up([*found, *named])

    def as_stated(self, path: str, reading: Reading) -> Reading:
        """Return a reading, marked as a copy if its original is in the workspace."""
        copy = original_of(path)
        row = self.known(copy.original) if copy else None
        if copy is None or row is None or not row["present"]:
            return reading
        said = not copy.least or is_alike(
            reading.text, text_of(row["blob_id"]), copy.least
        )
        return reading.as_copy_of(copy.original) if said else reading

    def name(self, path: str, seq: int) -> tuple[int, str]:
        """Return id and origin for a file first seen at a path.

        The origin is the path, unless a file that was first seen there has moved
        away and lives on elsewhere.
        """
        row_id = derive(self._workspace.uuid, "SourceFile", path)
        if self._entities.get(row_id) is None:
            return row_id, path
        origin = f"{path}#{seq}"
        return derive(self._workspace.uuid, "SourceFile", origin), origin

    def take(self, change: Change, reading: Reading | None, blob: Blob | None) -> None:
        """Update a file's row by a revision."""
        before = self._entities.get(change.file_id)
        columns = _facts(change, reading, blob) if reading and blob else {}
        row = self._put(change, before, present=reading is not None, **columns)
        troubles = _troubles(reading, change.text) if reading else []
        if change.secrets:
            first, count = change.secrets[0].first, len(change.secrets)
            troubles.append(Trouble(SECRETS, first, {"count": count}))
        if change.kind == Revision.Kind.WRITTEN:
            self._written = True
        known = open_problems(change, before["path"]) if before else []
        if before and not reading:
            troubles += deletion(change, before, known)
        if reading and before:
            troubles += still_shrunk(change, reading, known)
            troubles += shrinking(change, reading, before, row["blob_id"])
        if reading and before and self._has_written():
            path = before["path"]
            found = still_lost(change, troubles_of(known, WRITE_LOST), path)
            if change.kind == Revision.Kind.SEEN and not reading.goes_on:
                old = text_of(before["blob_id"])
                found += lost_writes(change, old, path)
            troubles += found
        fold_problems(change, troubles, known)

    def pass_over(
        self,
        change: Change,
        reading: Reading | None,
        blob: Blob | None,
        *,
        again: bool,
    ) -> None:
        """Update the row for a version whose bytes are gone.

        All facts of the version before remain. A version that came `again` after being
        forgotten is a problem.
        """
        assert reading is not None and blob is not None
        before = self._entities.get(change.file_id) or _facts(change, reading, blob)
        known = open_problems(change, before["path"]) if not change.fresh else []
        if again:
            found = [Trouble(p.code_name, p.line, p.parameters) for p in known]
            fold_problems(change, [*found, Trouble(FORGOTTEN_AGAIN, 0, {})], known)
        columns = {**before, "size": blob.size, "blob_id": blob.pk, "present": True}
        self._put(change, before, **columns)

    def _put(self, change: Change, before: Row | None, **columns: Any) -> Row:
        """Write the row of a file after a revision."""
        self._ids[change.path] = change.file_id
        row = {
            **columns,
            "path": change.path,
            "origin": change.origin,
            "seq": change.seq,
            "first_seq": (before or {}).get("first_seq", change.seq),
            "recorded_at": change.recorded_at,
        }
        return self._entities.put(change.file_id, **row)

    def format_of(self, file_id: int) -> str:
        """Return the dialect of a file's last version."""
        row = self._entities.get(file_id)
        return str(row["format"]) if row else ""

    def leave(self, path: str) -> None:
        """Drop the cached file of a path that a file has moved away from.

        An earlier, deleted file of the path may come back.
        """
        self._ids.pop(path, None)
        self._left.add(path)

    def flush(self, rows: Rows) -> None:
        """Write the changed files to `rows`."""
        self._entities.flush(rows)

    def _has_written(self) -> bool:
        """Return whether any file was ever written through the hub."""
        if self._written is None:
            self._written = bool(_WRITTEN(self._workspace.id))
        return self._written


def _facts(change: Change, reading: Reading, blob: Blob) -> Row:
    limited = change.path.rpartition("/")[2] in LIMITED_IN_TOKENS
    text = reading.text
    return {
        "format": reading.format,
        "role": change.role,
        "title": (reading.document.title if reading.document else "")[:300],
        "size": blob.size,
        "lines": reading.text.count("\n") + (reading.text[-1:] not in ("", "\n")),
        "tokens": tokens.seed(len(text)) if limited else tokens.shown(text),
        "encoding": reading.encoding,
        "replaced": reading.replaced,
        "blob_id": blob.pk,
    }


def _troubles(reading: Reading, stated: str) -> list[Trouble]:
    found = []
    if error := reading.error:
        found.append(Trouble(error.code, error.line, dict(error.parameters)))
    if reading.replaced and not (error and error.code == "encoding-unknown"):
        found.append(Trouble("bytes-replaced", 0, {"count": reading.replaced}))
    clashes = [] if stated is reading.text else unsettled(reading.text)
    for (first, last), _ in clashes:
        found.append(Trouble(CONFLICT_MARKERS, first, {"last": last}))
    is_notes = reading.path.suffix.casefold() in (".md", ".markdown")
    if is_notes and reading.text.count("\n") > MOST_LINES:
        found.append(Trouble("many-lines", 0, {"lines": MOST_LINES}))
    hidden = hidden_in(reading.text)
    if count := len(hidden) + len(HIDDEN.findall(str(reading.path))):
        line = reading.text.count("\n", 0, hidden[0]) + 1 if hidden else 0
        found.append(Trouble("hidden-characters", line, {"count": count}))
    own = problems_of(reading.format, reading.document, stated)
    return found + [Trouble(one.code, one.line, dict(one.parameters)) for one in own]
