"""A seeded workspace of any size: ``python -m bench.corpus TARGET --files 10000``.

The dialects, name forms and sizes have the proportions of real workspaces; the same
seed and number of files give the same bytes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench import dialects
from bench.prose import Prose

#: The newest day of every corpus; fixed, so that a corpus does not depend on today.
_TODAY = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_DAILY_FOLDERS = ("", "", "", "daily/", "logs/", "archive/{when:%Y-%m}/")
_DAILY_NAMES = (
    ("{when:%Y-%m-%d}", 46),
    ("{when:%Y-%m-%d-%H%M}", 30),
    ("{when:%Y-%m-%d}-{slug}", 20),
    ("{when:%Y-%m-%d}_{slug}", 2),
    ("{when:%Y%m%dT%H%M%S}", 1),
    ("{when:%Y%m%d_%H%M}_{slug} notes", 1),
)
#: The shares of the dialects, topics and the files that exist once left out.
_SHARES = (
    ("daily_log", 62),
    ("transcript", 14),
    ("note", 12),
    ("dreaming", 3),
    ("auto_memory", 3),
    ("handoff", 3),
    ("session_memory", 3),
)


class Draft(NamedTuple):
    """A file that is still to be written: its path, text and time."""

    path: str
    text: str
    when: datetime


@dataclass(frozen=True, slots=True)
class Corpus:
    """Counts of the files written."""

    files: int
    bytes: int


def generate(root: Path, *, files: int, seed: int = 1) -> Corpus:
    """Write a workspace of so many files below `root` and return its size."""
    written, size = 0, 0
    folders: set[Path] = set()
    for draft in _drafts(files, seed):
        path = root / draft.path
        if path.parent not in folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.add(path.parent)
        size += path.write_bytes(draft.text.encode())
        moment = draft.when.timestamp()
        os.utime(path, (moment, moment))
        written += 1
    return Corpus(written, size)


def _drafts(files: int, seed: int) -> Iterator[Draft]:
    prose = Prose(Random(seed))
    fixed = list(_fixed_drafts(prose, min(200, files // 20)))[:files]
    names, weights = zip(*_SHARES, strict=True)
    kinds = prose.rng.choices(names, weights, k=files - len(fixed))
    days = max(30, files // 20)
    taken: set[str] = set()
    yield from fixed
    for kind in kinds:
        prose.turn_page()
        moment = _TODAY - timedelta(seconds=prose.number(60, days * 86_400))
        draft = _WRITERS[kind](prose, moment)
        path = _free_path(draft.path, taken)
        yield Draft(path, _with_quirks(prose, draft.text), moment)


def _fixed_drafts(prose: Prose, topics: int) -> Iterator[Draft]:
    names = [f"{prose.name()}-{number}" for number in range(topics)]
    yield Draft("MEMORY.md", dialects.memory_index(prose, _TODAY), _TODAY)
    yield Draft("IDENTITY.md", "# Identity\n\n- **Name:** Planner\n", _TODAY)
    bound = dialects.session_map(prose, names)
    yield Draft("memory/context-session-map.json", bound, _TODAY)
    for name in names:
        prose.turn_page()
        moment = _TODAY - timedelta(hours=prose.number(1, 600))
        text = dialects.topic_context(prose, moment)
        yield Draft(f"memory/context-{name}.md", text, moment)


def _daily_log(prose: Prose, when: datetime) -> Draft:
    forms, weights = zip(*_DAILY_NAMES, strict=True)
    form = prose.rng.choices(forms, weights)[0]
    folder = prose.rng.choice(_DAILY_FOLDERS)
    path = f"memory/{folder}{form}.md".format(when=when, slug=prose.name())
    return Draft(path, dialects.daily_log(prose, when), when)


def _transcript(prose: Prose, when: datetime) -> Draft:
    path = f"memory/{when:%Y-%m-%d}-{prose.name(3)}.md"
    return Draft(path, dialects.transcript(prose, when), when)


def _note(prose: Prose, when: datetime) -> Draft:
    folder = prose.rng.choice(("", "", "projects/", "people/", "lessons/"))
    return Draft(f"memory/{folder}{prose.name()}.md", dialects.note(prose, when), when)


def _dreaming(prose: Prose, when: datetime) -> Draft:
    path = f"memory/dreaming/light/{when:%Y-%m-%d}.md"
    return Draft(path, dialects.dreaming(prose, when), when)


def _auto_memory(prose: Prose, when: datetime) -> Draft:
    path = f".claude/memory/{prose.name()}.md"
    return Draft(path, dialects.auto_memory(prose, when), when)


def _handoff(prose: Prose, when: datetime) -> Draft:
    task_id = f"{when:%Y%m%d}-{prose.number(1, 99):02}"
    text = dialects.handoff(prose, when, task_id)
    return Draft(f"memory/handoffs/{task_id}.md", text, when)


def _session_memory(prose: Prose, when: datetime) -> Draft:
    memory_id = f"CMEM-{when:%Y%m%d-%H%M%S}"
    text = dialects.session_memory(prose, when, memory_id)
    return Draft(f"memory/sessions/{memory_id}.md", text, when)


_WRITERS: dict[str, Callable[[Prose, datetime], Draft]] = {
    "daily_log": _daily_log,
    "transcript": _transcript,
    "note": _note,
    "dreaming": _dreaming,
    "auto_memory": _auto_memory,
    "handoff": _handoff,
    "session_memory": _session_memory,
}


def _free_path(path: str, taken: set[str]) -> str:
    """Number a name that is taken, as agents do: ``-2``, ``-3``."""
    stem = path.removesuffix(".md")
    names = (f"{stem}-{number}.md" for number in count(2))
    free = path if path not in taken else next(n for n in names if n not in taken)
    taken.add(free)
    return free


def _with_quirks(prose: Prose, text: str) -> str:
    """End lines and files as they end in the wild."""
    kind = prose.rng.random()
    if kind < 0.106:
        return text.rstrip("\n")
    if kind < 0.111:
        return text.replace("\n", "\r\n")
    if kind < 0.113:
        return "\ufeff" + text
    return text


def main() -> None:
    """Write the corpus that the command line asks for."""
    parser = argparse.ArgumentParser(prog="bench.corpus", description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.target.exists() and any(options.target.iterdir()):
        parser.error(f"{options.target} is not empty")
    corpus = generate(options.target, files=options.files, seed=options.seed)
    print(f"{corpus.files:,} files, {corpus.bytes / 1e6:.1f} MB in {options.target}")


if __name__ == "__main__":
    main()
