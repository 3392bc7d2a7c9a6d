"""Read access to the index: matching blocks, term frequencies, files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import forms_of
from memoryhub.search import store
from memoryhub.search.index import journal_of
from memoryhub.search.ranking import Candidate
from memoryhub.search.texts import IndexedText, texts_of

#: Limit of terms with a common prefix that are compared for another spelling.
_SPELLINGS = 20_000


class IndexedFile(NamedTuple):
    """A file's row in the index."""

    number: int
    id: int
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Restriction of the searched blocks: by files, days and paths.

    Of `hidden` paths none is taken.
    """

    files: tuple[int, ...] | None = None
    since: date | None = None
    before: date | None = None
    paths: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Limits()


@dataclass(frozen=True, slots=True)
class Lookup:
    """The index of one workspace, open for reading; `behind` if it lacks versions."""

    connection: sqlite3.Connection
    number: int
    blocks: int
    behind: bool

    @property
    def counts_all(self) -> bool:
        """Whether block counts are exact: those of many blocks are stored."""
        return self.blocks < store.COUNTED_BLOCKS

    def found_in(self, term: str) -> int:
        """Return the number of blocks with a term of the index.

        That of a common one can be up to a fifth out of date.
        """
        ((blocks,),) = self._all(
            "SELECT coalesce((SELECT blocks FROM counts_{n} WHERE term = ?1),"
            " (SELECT doc FROM words_{n} WHERE term = ?1), 0)",
            term,
        )
        return int(blocks)

    def matches(self, match: str) -> int:
        """Return the number of blocks an FTS5 expression matches."""
        rows = self._all(
            "SELECT count(*) FROM texts_{n} WHERE texts_{n} MATCH ?", match
        )
        return int(rows[0][0])

    def has(self, match: str) -> bool:
        """Return whether an FTS5 expression matches a block."""
        select = "SELECT 1 FROM texts_{n} WHERE texts_{n} MATCH ? LIMIT 1"
        return bool(self._all(select, match))

    def has_prefix(self, prefix: str) -> bool:
        """Return whether a term of the index has this prefix."""
        rows = self._all(
            "SELECT 1 FROM words_{n} WHERE term >= ? AND term < ? LIMIT 1",
            prefix,
            f"{prefix}\U0010ffff",
        )
        return bool(rows)

    def starting(self, prefix: str) -> list[tuple[str, int]]:
        """Return terms with this prefix and their block counts, by that count."""
        found = self._all(
            "SELECT term, doc FROM words_{n} WHERE term >= ? AND term < ?",
            prefix,
            f"{prefix}\U0010ffff",
        )
        terms = [(str(term), int(doc)) for term, doc in found]
        return sorted(terms, key=lambda known: (-known[1], known[0]))

    def best(
        self, match: str, limit: int, limits: Limits, *, share: float = 1.0
    ) -> list[Candidate]:
        """Return the best matching blocks; of equal ones those indexed last.

        Without limits, the search can be restricted to a share of the blocks, the
        newest; with none of it, the matches indexed last are returned, not ranked.
        """
        if not share:
            return self._latest(match, limit)
        where, values = _where(limits)
        score = "bm25(texts_{n}, 1.0, 0.0)"
        if where:
            rows = self._all(
                f"SELECT b.file, b.first, b.last, -{score} AS score,"
                " b.day FROM texts_{n}"
                " JOIN blocks_{n} b ON b.id = texts_{n}.rowid"
                " JOIN files_{n} f ON f.number = b.file"
                f" WHERE texts_{{n}} MATCH ? AND texts_{{n}}.rowid >= ?{where}"
                " ORDER BY score DESC, b.id DESC LIMIT ?",
                match,
                self._first_of(share if not replace(limits, hidden=()) else 1.0),
                *values,
                limit,
            )
        else:
            rows = self._all(
                "SELECT b.file, b.first, b.last, -score, b.day"
                f" FROM (SELECT rowid AS id, {score} AS score FROM texts_{{n}}"
                " WHERE texts_{n} MATCH ? AND rowid >= ?"
                " ORDER BY score, rowid DESC LIMIT ?) t"
                " JOIN blocks_{n} b ON b.id = t.id ORDER BY t.score",
                match,
                self._first_of(share),
                limit,
            )
        return [Candidate(*row) for row in rows]

    def _latest(self, match: str, limit: int) -> list[Candidate]:
        """Return the matching blocks that were indexed last."""
        rows = self._all(
            "SELECT b.file, b.first, b.last, 0.0, b.day"
            " FROM (SELECT rowid AS id FROM texts_{n}"
            " WHERE texts_{n} MATCH ? ORDER BY rowid DESC LIMIT ?) t"
            " JOIN blocks_{n} b ON b.id = t.id",
            match,
            limit,
        )
        return [Candidate(*row) for row in rows]

    def some_block(self, match: str) -> Candidate | None:
        """Return any of the matching blocks."""
        rows = self._all(
            "SELECT b.file, b.first, b.last, 0.0, b.day FROM blocks_{n} b WHERE b.id ="
            " (SELECT rowid FROM texts_{n} WHERE texts_{n} MATCH ? LIMIT 1)",
            match,
        )
        return Candidate(*rows[0]) if rows else None

    def _first_of(self, share: float) -> int:
        """Return the id of the first block of the newest share of blocks."""
        if share >= 1.0:
            return 0
        ((first, last),) = self._all(
            "SELECT (SELECT min(id) FROM blocks_{n}), (SELECT max(id) FROM blocks_{n})"
        )
        return int(last - (last - first) * share)

    def newest(self, limit: int, limits: Limits) -> list[Candidate]:
        """Return the blocks of the newest days, those without one last."""
        where, values = _where(limits)
        rows = self._all(
            "SELECT b.file, b.first, b.last, 0.0, b.day"
            " FROM blocks_{n} b JOIN files_{n} f ON f.number = b.file"
            f" WHERE 1{where} ORDER BY b.day DESC, b.file, b.first LIMIT ?",
            *values,
            limit,
        )
        return [Candidate(*row) for row in rows]

    def paths(self) -> list[tuple[int, str]]:
        """Return the number and the path of each file in the index."""
        return [
            (n, path) for n, path in self._all("SELECT number, path FROM files_{n}")
        ]

    def blocks_in(self, files: Sequence[int]) -> int:
        """Return the number of blocks of files, given by their numbers."""
        counted = (
            "SELECT count(*) FROM blocks_{n}"
            " WHERE file IN (SELECT value FROM json_each(?))"
        )
        return int(self._all(counted, json.dumps(files))[0][0]) if files else 0

    def files(self, numbers: Iterable[int]) -> dict[int, IndexedFile]:
        """Return files by their numbers in the index."""
        rows = self._all(
            "SELECT number, id, path, hex(sha) FROM files_{n}"
            " WHERE number IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(numbers))),
        )
        return {
            row[0]: IndexedFile(row[0], row[1], row[2], row[3].lower()) for row in rows
        }

    def spellings(
        self, start: str, sizes: tuple[int, int]
    ) -> Iterator[tuple[str, int]]:
        """Yield the terms with this prefix and the block count of each, unordered.

        `sizes` are the minimum and maximum number of letters.
        """
        sql = (
            "SELECT term, doc FROM words_{n} WHERE term >= ? AND term < ?"
            " AND length(term) BETWEEN ? AND ? LIMIT ?"
        )
        values = (start, f"{start}\U0010ffff", *sizes, _SPELLINGS)
        yield from self.connection.execute(sql.format(n=self.number), values)

    def _all(self, sql: str, *values: object) -> list[store.Row]:
        return self.connection.execute(sql.format(n=self.number), values).fetchall()


@contextmanager
def opened_lookup(workspace: Workspace) -> Iterator[Lookup | None]:
    """Open the index of a workspace; None if there is none that can be read.

    Reads see one snapshot of the index, also while it is written.
    """
    with store.reading() as connection:
        yield lookup_in(connection, workspace) if connection else None


def lookup_in(connection: sqlite3.Connection, workspace: Workspace) -> Lookup | None:
    """Return the index of a workspace in an open file; None if it cannot be read."""
    journal = journal_of(workspace)
    state = store.state_of(connection, journal.workspace)
    if not state or state.rules != store.RULES_VERSION:
        return None
    behind = (state.journal, state.seq) != (journal.identity, journal.seq)
    return Lookup(connection, state.number, state.blocks, behind)


def texts_by_file(files: Iterable[IndexedFile]) -> dict[int, IndexedText]:
    """Return the text of files as they were indexed; none of a damaged file."""
    wanted = {file.number: file.sha256 for file in files}
    texts = texts_of(set(wanted.values()))
    nothing = IndexedText(())
    return {number: texts.get(sha256, nothing) for number, sha256 in wanted.items()}


def lines_of(file: IndexedFile, first: int, last: int) -> str:
    """Return lines of a file as they were indexed."""
    return "\n".join(texts_by_file([file])[file.number][first - 1 : last])


def once(blocks: Iterable[Candidate]) -> list[Candidate]:
    """Return blocks without duplicates, each with its best score."""
    best: dict[tuple[int, int], Candidate] = {}
    for block in blocks:
        key = block[:2]
        if key not in best or block.score > best[key].score:
            best[key] = block
    return list(best.values())


def _where(limits: Limits) -> tuple[str, list[object]]:
    """Return limits as conditions of SQL and their values.

    A path without a star stands for any part of a path.
    """
    parts: list[str] = []
    values: list[object] = []
    if limits.files is not None:
        parts.append("f.id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(limits.files))
    if limits.since:
        parts.append("coalesce(b.day, f.day) >= ?")
        values.append(limits.since.toordinal())
    if limits.before:
        parts.append("coalesce(b.day, f.day) < ?")
        values.append(limits.before.toordinal())
    if limits.hidden:
        parts.append("f.path NOT IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(limits.hidden))
    for path in limits.paths:
        forms = [form.lower().replace("[", "[[]") for form in forms_of(path)]
        parts.append(f"({' OR '.join(['lower(f.path) GLOB ?'] * len(forms))})")
        values += (form if "*" in form else f"*{form}*" for form in forms)
    return "".join(f" AND {part}" for part in parts), values
