"""The search index kept in step with the journal: blocks of the newest versions.

A version is cut into blocks again when the next one comes: blocks whose text did not
change stay, the others are deleted by the text that was indexed.
"""

from __future__ import annotations

import logging
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryhub.formats.decoding import decode
from memoryhub.search import store
from memoryhub.search.chunking import Block, cut_blocks
from memoryhub.search.places import file_day, heading_day, place_words
from memoryhub.search.store import Journal
from memoryhub.search.words import indexed_text, name_token, names, run_ends
from memoryhub.workspaces.journal import CorruptBlob, blob_bytes
from memoryhub.workspaces.models import Blob, Revision, SourceFile, Workspace

_BATCH = 500
_log = logging.getLogger(__name__)


class _OutOfStep(Exception):
    """The index does not hold what it should; it has to be made anew."""


class _Entry(NamedTuple):
    """What FTS5 is given for a block."""

    text: str
    names: str
    day: int | None


class _File(NamedTuple):
    """A file as it is now."""

    id: int
    path: str
    present: bool
    seq: int
    sha: bytes
    day: int


def bring_up_to_date(workspace: Workspace) -> None:
    """Index every version the journal has and the index has not.

    A killed run goes on with the next. Failures are logged, never raised: whoever
    imports or edits must not fail for the sake of the index.
    """
    try:
        _catch_up(workspace)
    except (_OutOfStep, sqlite3.DatabaseError) as error:
        if isinstance(error, sqlite3.OperationalError) and _is_passing(error):
            _log.warning("search index of %s: %s", workspace.slug, error)
            return
        _log.warning("search index is made anew: %s", error)
        _start_over(workspace, error)


def rebuild(workspace: Workspace) -> None:
    """Throw the index of a workspace away and make it anew."""
    try:
        with store.opened() as connection, store.writing(connection):
            store.forget(connection, str(workspace.uuid))
    except sqlite3.DatabaseError as error:
        if not _is_passing(error):
            store.remove_file()
    bring_up_to_date(workspace)


def forget(workspace: Workspace) -> None:
    """Throw the index of a workspace away, which is itself about to go."""
    try:
        with store.opened() as connection, store.writing(connection):
            store.forget(connection, str(workspace.uuid))
    except sqlite3.DatabaseError as error:
        _log.warning("search index of %s: %s", workspace.slug, error)


def journal_of(workspace: Workspace) -> Journal:
    """Return the journal of a workspace as far as its rows have come."""
    return Journal(
        str(workspace.uuid),
        f"{workspace.created_at.isoformat()}/{workspace.projection_version}",
        workspace.projected_seq,
    )


def _is_passing(error: sqlite3.Error) -> bool:
    """Tell whether waiting may help: a lock, a full disk, a folder that is gone."""
    return isinstance(error, sqlite3.OperationalError) and "no such" not in str(error)


def _start_over(workspace: Workspace, error: Exception) -> None:
    try:
        if isinstance(error, _OutOfStep):
            with store.opened() as connection, store.writing(connection):
                store.forget(connection, str(workspace.uuid))
        else:
            store.remove_file()
        _catch_up(workspace)
    except (_OutOfStep, sqlite3.DatabaseError, OSError):
        _log.exception("the search index of %s cannot be made", workspace.slug)


def _catch_up(workspace: Workspace) -> None:
    workspace.refresh_from_db(
        fields=["projected_seq", "last_seq", "projection_version"]
    )
    if workspace.projected_seq < workspace.last_seq:
        return
    journal = journal_of(workspace)
    with store.opened() as connection:
        state = store.state_of(connection, journal.workspace)
        if state is not None and state[1:4] == (
            store.RULES_VERSION,
            journal.identity,
            journal.seq,
        ):
            return
        batches = 1
        while _index_batch(connection, workspace, journal):
            batches += 1
        if batches > 1:
            store.shrink(connection)


def _index_batch(
    connection: sqlite3.Connection, workspace: Workspace, journal: Journal
) -> bool:
    """Index the files of the next revisions; tell whether there are more."""
    with store.writing(connection):
        state = store.begin(connection, journal)
        paths, until = _changed_paths(workspace, state.seq, journal.seq)
        writer = _Writer(connection, state.number)
        changed = [file for file in _files_at(workspace, paths) if file.seq <= until]
        writer.write(changed)
        store.note_seq(connection, state.number, until)
    return until < journal.seq


def _changed_paths(workspace: Workspace, after: int, last: int) -> tuple[set[str], int]:
    """Return the paths the next revisions are about, and up to which seq they go."""
    rows = list(
        Revision.objects.filter(workspace=workspace, seq__gt=after, seq__lte=last)
        .order_by("seq")
        .values_list("seq", "path", "moved_from")[:_BATCH]
    )
    paths = {path for _, *both in rows for path in both if path}
    return paths, rows[-1][0] if len(rows) == _BATCH else last


def _files_at(workspace: Workspace, paths: Iterable[str]) -> list[_File]:
    rows = SourceFile.objects.filter(workspace=workspace, path__in=list(paths))
    columns = rows.order_by("seq").values_list(
        "id", "path", "present", "seq", "blob__sha256", "recorded_at"
    )
    return [
        _File(*row[:4], bytes.fromhex(row[4] or ""), row[5].date().toordinal())
        for row in columns
    ]


@dataclass(slots=True)
class _Writer:
    """Writes blocks of one workspace within a transaction."""

    connection: sqlite3.Connection
    number: int
    _deleted: list[store.Row] = field(default_factory=list)
    _moved: list[store.Row] = field(default_factory=list)
    _added: list[tuple[int, Block, _Entry]] = field(default_factory=list)
    _files: list[store.Row] = field(default_factory=list)
    _gone: list[store.Row] = field(default_factory=list)

    def write(self, files: list[_File]) -> None:
        """Make the index say what these files say now."""
        known = self._known(files)
        wanted = {file.sha for file in files if file.present}
        texts = _texts_of(wanted | {row[2] for row in known.values()})
        next_file = self._next_file()
        for file in files:
            before = known.get(file.id)
            if not file.present:
                if before:
                    self._drop(before, texts)
            elif before is None:
                self._put(file, next_file, {}, texts[file.sha])
                next_file += 1
            elif before[1:3] != (file.path, file.sha):
                old = self._old_entries(before, texts[before[2]])
                self._put(file, before[0], old, texts[file.sha])
        self._flush()

    def _known(self, files: list[_File]) -> dict[int, store.Row]:
        """Return what is indexed of files: number, path, hash and id of each."""
        select = "SELECT number, path, sha, id FROM files_{n} WHERE id = ?"
        rows = (self._all(select, (file.id,)) for file in files)
        return {row[3]: row for found in rows for row in found}

    def _put(
        self, file: _File, number: int, old: dict[_Entry, list[int]], text: str
    ) -> None:
        for block, entry in entries_of(file.path, text):
            if same := old.get(entry):
                self._moved.append((block.first_line, block.last_line, same.pop()))
            else:
                self._added.append((number, block, entry))
        self._delete(old)
        self._files.append((number, file.id, file.path, file.sha, file.day))

    def _drop(self, before: store.Row, texts: dict[bytes, str]) -> None:
        self._delete(self._old_entries(before, texts[before[2]]))
        self._gone.append((before[0],))

    def _delete(self, old: dict[_Entry, list[int]]) -> None:
        self._deleted += (
            (row_id, *entry[:2]) for entry, row_ids in old.items() for row_id in row_ids
        )

    def _old_entries(self, before: store.Row, text: str) -> dict[_Entry, list[int]]:
        """Return what was indexed for a file, with the ids of its blocks.

        Raises:
            _OutOfStep: its blocks are not those its text is cut into.
        """
        number, path = before[:2]
        rows = self._all(
            "SELECT first, last, id FROM blocks_{n} WHERE file = ?", (number,)
        )
        ids = {(first, last): row_id for first, last, row_id in rows}
        found: dict[_Entry, list[int]] = defaultdict(list)
        for block, entry in entries_of(path, text):
            row_id = ids.pop((block.first_line, block.last_line), None)
            if row_id is None:
                raise _OutOfStep(path)
            found[entry].append(row_id)
        if ids:
            raise _OutOfStep(path)
        return found

    def _flush(self) -> None:
        self._many(
            "INSERT INTO texts_{n}(texts_{n}, rowid, body, names)"
            " VALUES ('delete', ?, ?, ?)",
            self._deleted,
        )
        gone = [row[:1] for row in self._deleted]
        self._many("DELETE FROM blocks_{n} WHERE id = ?", gone)
        self._many(
            "UPDATE blocks_{n} SET first = ?, last = ? WHERE id = ?", self._moved
        )
        self._insert()
        self._many("DELETE FROM files_{n} WHERE number = ?", self._gone)
        self._many(
            "INSERT OR REPLACE INTO files_{n}(number, id, path, sha, day)"
            " VALUES (?, ?, ?, ?, ?)",
            self._files,
        )

    def _insert(self) -> None:
        added = list(enumerate(self._added, self._next_block()))
        self._many(
            "INSERT INTO blocks_{n}(id, file, first, last, day) VALUES (?, ?, ?, ?, ?)",
            [
                (row_id, number, block.first_line, block.last_line, entry.day)
                for row_id, (number, block, entry) in added
            ],
        )
        self._many(
            "INSERT INTO texts_{n}(rowid, body, names) VALUES (?, ?, ?)",
            [(row_id, *entry[:2]) for row_id, (_, _, entry) in added],
        )

    def _next_block(self) -> int:
        """Return an id that no block ever had."""
        rows = self._all("SELECT seq FROM sqlite_sequence WHERE name = 'blocks_{n}'")
        return int(rows[0][0]) + 1 if rows else 1

    def _next_file(self) -> int:
        rows = self._all("SELECT coalesce(max(number), 0) + 1 FROM files_{n}")
        return int(rows[0][0])

    def _all(self, sql: str, parameters: store.Row = ()) -> list[store.Row]:
        return self.connection.execute(sql.format(n=self.number), parameters).fetchall()

    def _many(self, sql: str, rows: list[store.Row]) -> None:
        if rows:
            self.connection.executemany(sql.format(n=self.number), rows)


def entries_of(path: str, text: str) -> list[tuple[Block, _Entry]]:
    """Return the blocks of a version and what is indexed for each."""
    day = file_day(path)
    found = []
    for block in cut_blocks(text):
        own = block.text
        own_day = heading_day(block.heading) or day
        day = own_day if block.heading and block.first_line > 1 else day
        entry = _Entry(
            indexed_text(f"{block.body}\n{place_words(path, own_day)}"),
            " ".join(sorted({*map(name_token, names(own)), *run_ends(own)})),
            own_day.toordinal() if own_day else None,
        )
        found.append((block, entry))
    return found


def _texts_of(shas: Iterable[bytes]) -> dict[bytes, str]:
    """Return versions as text; one that was damaged in storage is empty."""
    blobs = Blob.objects.filter(sha256__in=[sha.hex() for sha in shas])
    texts = dict.fromkeys(shas, "")
    for blob in blobs.select_related("base"):
        try:
            texts[bytes.fromhex(blob.sha256)] = decode(blob_bytes(blob)).text
        except CorruptBlob:
            _log.warning("a version is damaged in storage: %s", blob.sha256)
    return texts
