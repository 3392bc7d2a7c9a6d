"""Synchronisation of the search index with the journal: blocks of the newest versions.

Where the next version of a file differs, the previous one is cut into blocks again:
blocks with unchanged text stay, others are deleted by their indexed text. Blocks are
sections of about 1,200 characters; if a version begins like the previous one, only the
rest is cut again.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, QuerySet, Subquery

from memoryhub.database.durability import SharedSync
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.decoding import decode, shared_length
from memoryhub.formats.text.diffing import shared_start
from memoryhub.formats.text.merging import settled
from memoryhub.formats.text.source import split_sections
from memoryhub.journal.blobs import bytes_by_hash
from memoryhub.journal.models import Blob, Revision, SourceFile, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.untimed import time_on_disk
from memoryhub.search import store
from memoryhub.search.days import day_names, day_token
from memoryhub.search.store import Journal
from memoryhub.search.words import indexed_text, name_token, names, run_ends

_BLOCK_CHARACTERS = 1_200
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_/.]?(0[1-9]|1[0-2])[-_/.]?([0-3]\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Block(NamedTuple):
    """A range of lines of a section, with the heading of that section.

    `begins` is True for the first block of a section.
    """

    first_line: int
    last_line: int
    heading: str
    text: str
    begins: bool = True

    @property
    def body(self) -> str:
        """The text with its heading, even if the heading is in an earlier block."""
        if self.text.startswith(self.heading):
            return self.text
        return self.heading + self.text


class Entry(NamedTuple):
    """The FTS5 columns and the day of a block."""

    text: str
    names: str
    day: int | None


class Cut(NamedTuple):
    """The start of a section, or within one, from which a version is cut into blocks.

    `day` is the last day named before it: the day of blocks without one of their own.
    """

    offset: int
    line: int
    day: date | None
    #: The heading of the section that it is within; None where one begins.
    within: str | None = None

    @classmethod
    def whole(cls, path: str) -> Cut:
        """Return the cut at the start of a file."""
        return cls(0, 1, file_day(path))

    def blocks_of(self, text: str) -> list[Block]:
        """Return the blocks of a version from here on."""
        return cut_blocks(text[self.offset :], self.line, self.within)


def cut_blocks(text: str, line: int = 1, within: str | None = None) -> list[Block]:
    """Split a text into blocks: sections, split between lines where they are long.

    Blocks of blanks alone are left out. `line` is the number of the text's first line,
    `within` the heading of the long section whose further blocks it begins with.
    """
    found = _blocks(text, line - 1, within)
    return [block for block in found if not block.text.isspace()]


def _blocks(text: str, before: int, within: str | None) -> Iterator[Block]:
    for section in split_sections(text):
        heading, source = section.heading, section.source
        if within is not None and not section.start:
            for block in _long_section(source, within, 1 + before):
                yield block._replace(begins=False)
        elif len(source) <= _BLOCK_CHARACTERS:
            first, last = section.lines
            yield Block(first + before, last + before, heading, source)
        else:
            yield from _long_section(source, heading, section.first_line + before)


def _long_section(source: str, heading: str, line: int) -> Iterator[Block]:
    start, end, first = 0, 0, line
    while end < len(source):
        after = source.find("\n", end) + 1 or len(source)
        if after - start > _BLOCK_CHARACTERS and end > start:
            yield Block(first, line - 1, heading, source[start:end], not start)
            start, first = end, line
        end, line = after, line + 1
    if start < end:
        yield Block(first, line - 1, heading, source[start:end], not start)


def equal_blocks(old: Sequence[Block], new: Sequence[Block]) -> int:
    """Return the number of equal blocks at the start of two versions."""
    pairs = enumerate(zip(old, new, strict=False))
    shorter = min(len(old), len(new))
    return next((index for index, (a, b) in pairs if a != b), shorter)


def line_start(text: str, line: int, end: int) -> int:
    """Return the offset of the start of a line that ends before `end`."""
    place = end
    for _ in range(text.count("\n", 0, end) - line + 2):
        place = text.rfind("\n", 0, place)
    return place + 1


def entries_of(
    path: str, blocks: Sequence[Block], day: date | None, *, after: int = 0
) -> Iterator[tuple[Block, Entry]]:
    """Yield the blocks from index `after` on, with their index entries.

    A day in a heading is that of the blocks behind it too; one in a file's first
    heading or front matter only if its path has none.
    """
    for index, block in enumerate(blocks):
        own_day = heading_day(block.heading) or day or _front_day(block)
        if day is None or (block.heading and block.first_line > 1):
            day = own_day
        if index >= after:
            yield block, _entry(path, block, own_day)


def _entry(path: str, block: Block, day: date | None) -> Entry:
    own = block.text
    return Entry(
        indexed_text(f"{block.body}\n{place_words(path, day)}"),
        " ".join(
            sorted({*map(name_token, names(own)), *run_ends(own), *day_tokens(day)})
        ),
        day.toordinal() if day else None,
    )


@lru_cache(maxsize=1024)
def day_tokens(day: date | None) -> tuple[str, ...]:
    """Return the index terms of a day, its month and its year."""
    return tuple(map(day_token, day_names(day))) if day else ()


@lru_cache(maxsize=1024)
def file_day(path: str) -> date | None:
    """Return the day in a file's name, else in its folders."""
    folder, _, name = path.rpartition("/")
    return _day_in(name) or _day_in(folder)


@lru_cache(maxsize=1024)
def heading_day(heading: str) -> date | None:
    """Return the day in a heading: 2026-05-08, 8 May 2026, 8.5.2026, 2026年5月8日."""
    if not _YEAR.search(heading):
        return None
    return _day_in(heading) or day_in(heading)


def _front_day(block: Block) -> date | None:
    """Return the ``date`` in the front matter of a file's first block."""
    if block.first_line > 1 or not block.text.startswith("---"):
        return None
    return day_in(frontmatter.split(block.text).get("date"))


def _day_in(text: str) -> date | None:
    for found in _DAY.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None


@lru_cache(maxsize=1024)
def place_words(path: str, day: date | None) -> str:
    """Return words that also find a block: its day, the name of its file.

    A day is given in the forms people search for: 8 March 2026, 2026-03-08.
    """
    name = path.rpartition("/")[2].rpartition(".")[0]
    words = _DAY.sub(" ", name)
    if day is None:
        return words
    return f"{day.year} {day:%B} {day.day} {day:%m %d} {words}"


def changed_paths(workspace: Workspace, after: int, until: int) -> set[str]:
    """Return the paths of the revisions behind a seq, up to another."""
    rows = _REVISED(workspace.pk, after, until)
    return {path for both in rows for path in both if path}


_REVISED: Prepared[tuple[str, str]] = Prepared(
    lambda workspace_id, after, until: Revision.objects.filter(
        workspace_id=workspace_id, seq__gt=after, seq__lte=until
    ).values_list("path", "moved_from"),
    int,
    int,
    int,
)


class File(NamedTuple):
    """A file with the version that is to be indexed; `day`: of its change on disk."""

    id: int
    path: str
    present: bool
    sha256: str | None
    day: date


_COLUMNS = ("id", "path", "present", "blob__sha256", "mtime_ns", "recorded_at")


def _files(**values: Any) -> QuerySet[SourceFile]:
    """Return files with the time on disk of their newest version."""
    newest = Revision.objects.filter(
        workspace_id=OuterRef("workspace_id"), seq=OuterRef("seq")
    )
    rows = SourceFile.objects.filter(**values)
    return rows.annotate(mtime_ns=Subquery(newest.values("mtime_ns")[:1]))


_FILE: Prepared[tuple[Any, ...]] = Prepared(
    lambda workspace_id, path, until: _files(
        workspace_id=workspace_id, path=path, seq__lte=until
    ).values_list(*_COLUMNS),
    int,
    str,
    int,
)


def changed_files(
    workspace: Workspace, paths: Collection[str], until: int
) -> list[File]:
    """Return the files at paths with their versions up to a seq, oldest first."""
    zone = ZoneInfo(workspace.time_zone)
    if len(paths) == 1:
        (path,) = paths
        return [_file(row, zone) for row in _FILE(workspace.pk, path, until)]
    rows = _files(workspace=workspace, path__in=paths, seq__lte=until)
    return [_file(row, zone) for row in rows.order_by("seq").values_list(*_COLUMNS)]


def _file(row: Sequence[Any], zone: tzinfo) -> File:
    row_id, path, present, sha256, mtime_ns, recorded_at = row
    changed_at = time_on_disk(mtime_ns or 0, recorded_at)
    return File(row_id, path, present, sha256, changed_at.astimezone(zone).date())


#: Entries of the journal that are indexed at a time.
_BATCH = 1_000
#: By workspace.
_RUNS: dict[UUID, SharedSync] = {}
_LOCK = Lock()
_log = logging.getLogger(__name__)


class _OutOfStep(Exception):
    """The index does not match the journal and has to be rebuilt."""


def follow(workspace: Workspace) -> None:
    """Index newly recorded revisions; concurrent callers share a run."""
    with _LOCK:
        shared = _RUNS.setdefault(workspace.uuid, SharedSync(bring_up_to_date))
    shared(workspace)


def bring_up_to_date(workspace: Workspace) -> None:
    """Index all versions in the journal that the index lacks.

    A killed run is continued by the next. Failures are logged, never raised: an import
    or edit must not fail because of the index.
    """
    try:
        _catch_up(workspace)
    except (_OutOfStep, sqlite3.DatabaseError) as error:
        if isinstance(error, sqlite3.OperationalError) and _is_passing(error):
            _log.warning("search index of %s: %s", workspace.slug, error)
            return
        _log.warning("search index is made anew: %s", error)
        try:
            if isinstance(error, _OutOfStep):
                with store.opened() as connection, store.writing(connection):
                    store.forget(connection, str(workspace.uuid))
            else:
                store.remove_file()
            _catch_up(workspace)
        except (_OutOfStep, sqlite3.DatabaseError, OSError):
            _log.exception("the search index of %s cannot be made", workspace.slug)
    except Exception:
        _log.exception("search index of %s", workspace.slug)


def rebuild(workspace: Workspace) -> None:
    """Delete the index of a workspace and build it again."""
    try:
        with store.opened() as connection, store.writing(connection):
            store.forget(connection, str(workspace.uuid))
    except sqlite3.DatabaseError as error:
        if not _is_passing(error):
            store.remove_file()
    bring_up_to_date(workspace)


def renew(workspace: Workspace) -> None:
    """Build the index of a workspace again, leaving nothing of the old one.

    Raises:
        sqlite3.DatabaseError: the old one cannot be deleted now.
    """
    with store.opened() as connection, store.writing(connection):
        store.forget(connection, str(workspace.uuid))
    bring_up_to_date(workspace)


def forget(workspace: Workspace) -> None:
    """Delete the index of a workspace that is about to be removed."""
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
    """Return whether waiting may help: a lock, a full disk, a missing folder."""
    return isinstance(error, sqlite3.OperationalError) and "no such" not in str(error)


def _catch_up(workspace: Workspace) -> None:
    workspace.refresh_from_db(
        fields=["projected_seq", "last_seq", "projection_version"]
    )
    is_behind = workspace.projected_seq < workspace.last_seq
    journal = journal_of(workspace)
    with store.opened() as connection:
        state = store.state_of(connection, journal.workspace)
        if (
            is_behind
            and state is not None
            and (state.journal != journal.identity or state.seq > journal.seq)
        ):
            # A rebuild: the old index answers until all rows are made again.
            return
        if state is not None and state[1:4] == (
            store.RULES_VERSION,
            journal.identity,
            journal.seq,
        ):
            return
        batches = 1
        while _index_batch(connection, workspace, journal):
            batches += 1
        if state := store.state_of(connection, journal.workspace):
            store.count_terms(connection, state.number)
        if batches > 1:
            store.shrink(connection)


def _index_batch(
    connection: sqlite3.Connection, workspace: Workspace, journal: Journal
) -> bool:
    """Index the files of the next revisions; return whether there are more."""
    with store.writing(connection):
        state = store.begin(connection, journal)
        until = min(journal.seq, state.seq + _BATCH)
        paths = changed_paths(workspace, state.seq, until)
        writer = _Writer(connection, state.number)
        more = writer.write(changed_files(workspace, paths, until))
        store.note_seq(connection, state.number, until, more)
    return until < journal.seq


def _texts_of(pairs: Sequence[tuple[bytes, bytes]]) -> dict[bytes, str]:
    """Return the texts of versions and those before, by hash; of one that grew in one.

    Damaged and gone ones are empty.
    """
    data = bytes_by_hash({now.hex() for now, _ in pairs if now})
    known = {bytes.fromhex(sha): decode(found) for sha, found in data.items()}
    texts = {sha: decoded.text for sha, decoded in known.items()}
    for now, then in pairs:
        if now in known and then and then not in texts:
            grown = data[now.hex()]
            for before in (grown[:size] for size in _SIZES(then.hex())):
                if sha256(before).digest() == then:
                    length = shared_length(before, grown, known[now])
                    start = known[now].text[:length]
                    texts[then] = start if length else decode(before).text
    left = {sha for pair in pairs for sha in pair if sha} - texts.keys()
    for name, found in bytes_by_hash({sha.hex() for sha in left}).items():
        texts[bytes.fromhex(name)] = decode(found).text
    for sha in left - texts.keys():
        _log.warning("a version is damaged in storage: %s", sha.hex())
        texts[sha] = ""
    return {sha: settled(text) for sha, text in texts.items()}


#: The sizes of the versions with a hash: one.
_SIZES: Prepared[int] = Prepared(
    lambda sha: Blob.objects.filter(sha256=sha).values_list("size", flat=True), str
)


def _heading_at(text: str, line: int, offset: int) -> str | None:
    """Return the heading of the section that begins at a line before an offset.

    None where that is unknown, or a code fence above the offset may hide others.
    """
    if any(text.find(fence, 0, offset) >= 0 for fence in ("```", "~~~")):
        return None
    start = text.rfind("\n#", 0, offset) + 1 if line > 1 else 0
    if text.count("\n", 0, start) != line - 1:
        return None
    return split_sections(text[start : text.find("\n", start) + 1])[0].heading


def _sha_of(file: File) -> bytes:
    return bytes.fromhex(file.sha256) if file.sha256 else b""


@dataclass(slots=True)
class _Writer:
    """Writes blocks of one workspace within a transaction."""

    connection: sqlite3.Connection
    number: int
    _deleted: list[store.Row] = field(default_factory=list)
    _moved: list[store.Row] = field(default_factory=list)
    _added: list[tuple[int, Block, Entry]] = field(default_factory=list)
    _files: list[store.Row] = field(default_factory=list)
    _gone: list[store.Row] = field(default_factory=list)

    def write(self, files: list[File]) -> int:
        """Update the blocks of these files; return the change of their number."""
        known = self._known(files)
        pairs = [
            (_sha_of(file) if file.present else b"", known[file.id][2])
            if file.id in known
            else (_sha_of(file), b"")
            for file in files
            if file.present or file.id in known
        ]
        texts = _texts_of(pairs)
        rows = self._all("SELECT coalesce(max(number), 0) + 1 FROM files_{n}")
        next_file = int(rows[0][0])
        for file in files:
            before = known.get(file.id)
            if not file.present:
                if before:
                    self._drop(before, texts)
            elif before is None:
                cut = Cut.whole(file.path)
                entries = entries_of(
                    file.path, cut.blocks_of(texts[_sha_of(file)]), cut.day
                )
                self._put(file, next_file, entries, {})
                next_file += 1
            elif before[1:3] != (file.path, _sha_of(file)):
                self._change(file, before, texts)
        return self._flush()

    def _known(self, files: list[File]) -> dict[int, store.Row]:
        """Return the indexed rows of files: number, path, hash and id of each."""
        rows = self._all(
            "SELECT number, path, sha, id FROM files_{n}"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([file.id for file in files]),),
        )
        return {row[3]: row for row in rows}

    def _change(self, file: File, before: store.Row, texts: dict[bytes, str]) -> None:
        """Write the blocks that differ from those of the previous version."""
        number, path, sha = before[:3]
        old, new, moved = texts[sha], texts[_sha_of(file)], path != file.path
        cut = self._cut(number, path, old, 0 if moved else shared_start(old, new))
        cut_new = Cut.whole(file.path) if moved else cut
        old_blocks, new_blocks = cut.blocks_of(old), cut_new.blocks_of(new)
        equal = 0 if moved else equal_blocks(old_blocks, new_blocks)
        entries = entries_of(file.path, new_blocks, cut_new.day, after=equal)
        known = self._indexed(number, path, old_blocks, cut, after=equal)
        self._put(file, number, entries, known)

    def _put(
        self,
        file: File,
        number: int,
        entries: Iterable[tuple[Block, Entry]],
        old: dict[Entry, list[int]],
    ) -> None:
        for block, entry in entries:
            if same := old.get(entry):
                row = (block.first_line, block.last_line, block.begins, same.pop())
                self._moved.append(row)
            else:
                self._added.append((number, block, entry))
        self._delete(old)
        day = file.day.toordinal()
        self._files.append((number, file.id, file.path, _sha_of(file), day))

    def _drop(self, before: store.Row, texts: dict[bytes, str]) -> None:
        number, path, sha = before[:3]
        cut = Cut.whole(path)
        self._delete(self._indexed(number, path, cut.blocks_of(texts[sha]), cut))
        self._gone.append((number,))

    def _cut(self, number: int, path: str, text: str, same: int) -> Cut:
        """Return the cut at the last block that begins within the unchanged start.

        Where a code fence may be open in a section, it is cut at the section's start.
        """
        lines = text.count("\n", 0, same)
        newest = "SELECT first FROM blocks_{n} WHERE file = ? AND first <= ?"
        block, section = (
            self._all(f"{newest} {wanted} ORDER BY first DESC LIMIT 1", (number, lines))
            for wanted in ("", "AND begins")
        )
        if not section:
            return Cut.whole(path)
        first, begun = block[0][0], section[0][0]
        offset, within = line_start(text, first, same), None
        if first > begun:
            within = _heading_at(text, begun, offset)
            if within is None:
                first, offset = begun, line_start(text, begun, same)
        before = self._all(
            "SELECT first, day FROM blocks_{n} WHERE file = ? AND first < ?"
            " ORDER BY first DESC LIMIT 1",
            (number, first),
        )
        day = file_day(path)
        if before and (day is None or before[0][0] > 1):
            day = date.fromordinal(before[0][1]) if before[0][1] else None
        return Cut(offset, first, day, within)

    def _delete(self, old: dict[Entry, list[int]]) -> None:
        self._deleted += (
            (row_id, *entry[:2]) for entry, row_ids in old.items() for row_id in row_ids
        )

    def _indexed(
        self,
        number: int,
        path: str,
        blocks: Sequence[Block],
        cut: Cut,
        *,
        after: int = 0,
    ) -> dict[Entry, list[int]]:
        """Return the entries indexed for blocks of a file, with their row ids.

        Raises:
            _OutOfStep: the rows do not match the blocks.
        """
        rows = self._all(
            "SELECT first, last, id FROM blocks_{n} WHERE file = ? AND first >= ?"
            " ORDER BY first",
            (number, cut.line),
        )
        if [row[:2] for row in rows] != [block[:2] for block in blocks]:
            raise _OutOfStep(path)
        found: dict[Entry, list[int]] = defaultdict(list)
        entries = entries_of(path, blocks, cut.day, after=after)
        for (_, entry), row in zip(entries, rows[after:], strict=True):
            found[entry].append(row[2])
        return found

    def _flush(self) -> int:
        self._many(
            "INSERT INTO texts_{n}(texts_{n}, rowid, body, names)"
            " VALUES ('delete', ?, ?, ?)",
            self._deleted,
        )
        gone = [row[:1] for row in self._deleted]
        self._many("DELETE FROM blocks_{n} WHERE id = ?", gone)
        self._many(
            "UPDATE blocks_{n} SET first = ?, last = ?, begins = ? WHERE id = ?",
            self._moved,
        )
        self._insert()
        self._many("DELETE FROM files_{n} WHERE number = ?", self._gone)
        self._many(
            "INSERT OR REPLACE INTO files_{n}(number, id, path, sha, day)"
            " VALUES (?, ?, ?, ?, ?)",
            self._files,
        )
        return len(self._added) - len(self._deleted)

    def _insert(self) -> None:
        added = list(enumerate(self._added, self._next_block()))
        self._many(
            "INSERT INTO blocks_{n}(id, file, first, last, day, begins)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (row_id, number, *block[:2], entry.day, block.begins)
                for row_id, (number, block, entry) in added
            ],
        )
        self._many(
            "INSERT INTO texts_{n}(rowid, body, names) VALUES (?, ?, ?)",
            [(row_id, *entry[:2]) for row_id, (_, _, entry) in added],
        )

    def _next_block(self) -> int:
        """Return a block id that was never used before."""
        rows = self._all("SELECT seq FROM sqlite_sequence WHERE name = 'blocks_{n}'")
        return int(rows[0][0]) + 1 if rows else 1

    def _all(self, sql: str, parameters: store.Row = ()) -> list[store.Row]:
        return self.connection.execute(sql.format(n=self.number), parameters).fetchall()

    def _many(self, sql: str, rows: list[store.Row]) -> None:
        if rows:
            self.connection.executemany(sql.format(n=self.number), rows)
