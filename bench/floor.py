"""Floors: cost of the same work on this machine without the product.

The product is measured as a multiple of these, in the same run, so that a limit
holds on a fast machine and on a slow one. ``python -m bench.floor ROOT FOLDER`` prints
them as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeAlias

from memoryhub.formats.text.source import split_sections

#: The level that the product packs its journal with; a test keeps them equal.
COMPRESSION_LEVEL = 1

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE document (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INTEGER, mtime_ns INTEGER,
    sha256 BLOB, content BLOB
);
CREATE TABLE section (
    id INTEGER PRIMARY KEY, document_id INTEGER, line INTEGER, level INTEGER,
    title TEXT, body TEXT
);
CREATE VIRTUAL TABLE section_index USING fts5 (
    title, body, content = 'section', content_rowid = 'id'
);
"""
_INSERT_DOCUMENT = "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_SECTION = (
    "INSERT INTO section (document_id, line, level, title, body) VALUES (?, ?, ?, ?, ?)"
)
_INDEX_SECTIONS = "INSERT INTO section_index (section_index) VALUES ('rebuild')"


class Found(NamedTuple):
    """A file as the folder lists it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ImportFloor:
    """Cost of a minimal import of a folder."""

    seconds: float
    files: int
    text_bytes: int
    sections: int
    database_bytes: int


def first_import(
    root: Path, database: Path, *, level: int = COMPRESSION_LEVEL
) -> ImportFloor:
    """Import all files below `root` into a new database in one transaction.

    Walk, read, sha256, compress, cut at headings, insert documents and sections,
    index the sections.
    """
    start = perf_counter()
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(_SCHEMA)
        documents, sections, size = _read_all(root, level)
        with connection:
            connection.executemany(_INSERT_DOCUMENT, documents)
            connection.executemany(_INSERT_SECTION, sections)
            connection.execute(_INDEX_SECTIONS)
    seconds = perf_counter() - start
    return ImportFloor(
        seconds, len(documents), size, len(sections), database.stat().st_size
    )


def no_change(root: Path, database: Path) -> float:
    """Return the seconds of finding out that nothing changed since `first_import`."""
    start = perf_counter()
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT path, size, mtime_ns FROM document")
        known = {path: (size, mtime_ns) for path, size, mtime_ns in rows}
        changed = sum(
            known.get(found.path) != (found.size, found.mtime_ns)
            for found in scan(str(root))
        )
    seconds = perf_counter() - start
    if changed:
        raise ValueError(f"{changed} files changed under {root}")
    return seconds


def export(database: Path, target: Path) -> float:
    """Return the seconds of writing every file of a `first_import` to a new folder."""
    start = perf_counter()
    with closing(sqlite3.connect(database)) as connection:
        folders: set[Path] = set()
        for path, content in connection.execute("SELECT path, content FROM document"):
            place = target / path.lstrip("/")
            if place.parent not in folders:
                place.parent.mkdir(parents=True, exist_ok=True)
                folders.add(place.parent)
            place.write_bytes(zlib.decompress(content))
    return perf_counter() - start


def scan(folder: str) -> Iterator[Found]:
    """Return every file below a folder, by its full path."""
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                    continue
                status = entry.stat(follow_symlinks=False)
                yield Found(entry.path, status.st_size, status.st_mtime_ns)


_Rows: TypeAlias = list[tuple[object, ...]]


def _read_all(root: Path, level: int) -> tuple[_Rows, _Rows, int]:
    documents: _Rows = []
    sections: _Rows = []
    size = 0
    for number, found in enumerate(scan(str(root)), start=1):
        data = _read(found)
        size += len(data)
        digest, content = hashlib.sha256(data).digest(), zlib.compress(data, level)
        documents.append((number, *found, digest, content))
        sections.extend(_section_rows(number, data))
    return documents, sections, size


def _read(found: Found) -> bytes:
    handle = os.open(found.path, os.O_RDONLY)
    try:
        return os.read(handle, found.size + 1)
    finally:
        os.close(handle)


def _section_rows(document: int, data: bytes) -> Iterator[tuple[object, ...]]:
    for part in split_sections(data.decode("utf-8", "replace")):
        yield document, part.first_line, part.level, part.title, part.body


def measure(root: Path, folder: Path) -> dict[str, float]:
    """Return every floor of the files below `root`, in seconds and megabytes.

    `folder` is where the databases go; it must not exist yet.
    """
    folder.mkdir(parents=True)
    database = folder / "floor.sqlite3"
    imported = first_import(root, database)
    return {
        "first_import": imported.seconds,
        "no_change": min(no_change(root, database) for _ in range(6)),
        "export": export(database, folder / "export"),
        "text": imported.text_bytes / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), Path(sys.argv[2]))))
