"""Measure search in a large workspace: ``python -m bench.retrieval.scale TARGET``.

Writes logs of so many blocks, imports them, and prints CPU times: of the import, of
usual queries, and of strange ones, of which none may take more than 250 ms.
With ``MEMORYHUB_SEMANTIC=0`` the extra is left out.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.retrieval.indexing import index_folders
from bench.retrieval.plain_text import Logs, words_of_documentation
from bench.retrieval.strange import strange_queries

if TYPE_CHECKING:
    from memoryhub.journal.models import Workspace

#: Milliseconds of CPU that a strange query may take.
MOST = 250
#: How agents, pages, the palette and agents after news ask.
_WAYS: tuple[dict[str, Any], ...] = (
    {"token_budget": 1_000, "jumps": False},
    {},
    {"typing": True, "limit": 30},
    {"token_budget": 1_000, "jumps": False, "recent": True},
)


def main() -> int:
    """Print the figures; return 1 if a query took too long."""
    options = _options()
    words = words_of_documentation(options.text)
    logs, root = Logs(options.seed, words), options.target / "logs"
    if not root.exists():
        files = max(1, options.blocks // options.entries)
        size = logs.write(root, files=files, entries=options.entries)
        print(f"{files:,} files, {size / 1e6:.0f} MB")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    index_folders({"scale": root}, options.target / "data")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"import and index: {_spent(after) - _spent(before):.0f} s of CPU")
    index = options.target / "data" / "search.sqlite3"
    text = sum(path.stat().st_size for path in root.rglob("*.md"))
    print(f"index: {index.stat().st_size / text:.2f} of the text")
    usual = [("usual", text) for text in _usual(logs, options.queries)]
    strange = strange_queries(options.seed, words, options.queries)
    _print("usual queries", usual[:10], ways=_WAYS[:1], shown=False)
    _print("usual queries", usual[10:], ways=_WAYS[:1])
    slowest = _print("strange queries", strange, ways=_WAYS)
    return int(slowest > MOST)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.scale")
    parser.add_argument("target", type=Path, help="an empty folder")
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=10, help="entries of a log")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", type=Path, help="a folder of texts with the words")
    return parser.parse_args()


def _spent(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _usual(logs: Logs, number: int) -> Iterable[str]:
    """Yield queries as people type them: phrases of the text, questions, words."""
    logs.rng = rng = Random(99)
    for at in range(number):
        some, word = " ".join(logs.phrase(2, 5)), rng.choice(logs.words)
        yield (
            some,
            f"what did {logs.person()} say about {some}",
            f"{word} {rng.choice(logs.words)}",
            f"how does {word} work with {some}",
        )[at % 4]


def _print(
    name: str,
    queries: Iterable[tuple[str, str]],
    *,
    ways: tuple[dict[str, Any], ...],
    shown: bool = True,
) -> float:
    """Print the CPU times of queries, each asked in one of the ways; return the most.

    What the extra encodes after a search, for the next, is not counted.
    """
    from memoryhub.journal.models import Workspace
    from memoryhub.search.paraphrases import finish

    workspace = Workspace.objects.get()
    for way in _WAYS:
        _milliseconds(workspace, "first use of caches, models and OTHER_PARTS", way)
    finish()
    rows = []
    rng = Random(1)
    for kind, text in queries:
        taken = _milliseconds(workspace, text, rng.choice(ways))
        rows.append((taken, kind, text[:60]))
        finish()
    times = [row[0] for row in rows]
    if shown:
        p95 = statistics.quantiles(times, n=20)[-1]
        print(f"{name}: median {statistics.median(times):.1f} ms of CPU, p95 {p95:.1f}")
        for taken, kind, text in sorted(rows, reverse=True)[:5]:
            print(f"    {taken:.0f} ms: {kind}: {text!r}")
    return max(times)


def _milliseconds(workspace: Workspace, text: str, way: dict[str, Any]) -> float:
    from memoryhub.search.queries import search

    began = time.process_time()
    search(workspace, text, **way)
    return (time.process_time() - began) * 1e3


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
