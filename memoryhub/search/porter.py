"""Porter stems by SQLite's own tokenizer: they equal the terms of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from functools import cache
from threading import Lock

#: Limit of cached stems.
_MOST = 65_536
_known: dict[str, str] = {}
_lock = Lock()


def stem(word: str) -> str:
    """Return the stem of a folded word; short and very long words are unchanged."""
    return stems([word])[0]


def stems(words: Collection[str]) -> list[str]:
    """Return the stem of each folded word. A batch takes a tenth of the time."""
    new = {word: word for word in words if word not in _known}
    if new:
        new |= _tokenized(list(new))
    if len(_known) < _MOST:
        _known.update(new)
    return [new[word] if word in new else _known[word] for word in words]


def _tokenized(words: list[str]) -> dict[str, str]:
    rows = [(n, word.encode("utf-8", "replace")) for n, word in enumerate(words)]
    with _lock:
        tokenizer = _tokenizer()
        tokenizer.executemany("INSERT INTO t(rowid, b) VALUES (?, ?)", rows)
        found = tokenizer.execute("SELECT doc, term FROM v").fetchall()
        tokenizer.rollback()
    return {words[n]: term for n, term in found}


@cache
def _tokenizer() -> sqlite3.Connection:
    """Return an index in memory whose words end at ASCII signs alone."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(b, content='', tokenize='porter ascii')"
    )
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    return connection
