"""Seeded edits of a workspace's files between two syncs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from bench import dialects
from bench.prose import Prose


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a workspace: append, edit, add, delete or move, and to where."""

    verb: str
    path: str
    target: str = ""


def grow(root: Path, seed: int) -> tuple[Edit, ...]:
    """Append to a log, edit, add, delete and move a file; return these changes.

    The same files and seed give the same edits, whose paths are relative to `root`.
    """
    prose = Prose(Random(seed))
    when = datetime.fromtimestamp(1_700_000_000 + seed, UTC)
    files = [path for path in sorted(root.rglob("*.md")) if path.is_file()]
    appended, edited, deleted, moved = prose.rng.sample(files, 4)
    return (
        append_entry(root, appended, prose, when),
        _edit_line(root, edited, prose),
        _add_log(root, prose, when),
        _delete(root, deleted),
        _move(root, moved, prose),
    )


def append_entry(root: Path, path: Path, prose: Prose, when: datetime) -> Edit:
    """Append a log entry to a file, as an agent does."""
    with path.open("ab") as file:
        file.write(f"\n\n{dialects.entry(prose, when)}".encode())
    return Edit("append", _relative(root, path))


def _edit_line(root: Path, path: Path, prose: Prose) -> Edit:
    lines = path.read_bytes().split(b"\n")
    lines[prose.number(0, len(lines) - 1)] = f"- {prose.sentence()}".encode()
    path.write_bytes(b"\n".join(lines))
    return Edit("edit", _relative(root, path))


def _add_log(root: Path, prose: Prose, when: datetime) -> Edit:
    path = root / "memory" / f"{when:%Y-%m-%d}-{prose.name(3)}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(dialects.daily_log(prose, when).encode())
    return Edit("add", _relative(root, path))


def _delete(root: Path, path: Path) -> Edit:
    path.unlink()
    return Edit("delete", _relative(root, path))


def _move(root: Path, path: Path, prose: Prose) -> Edit:
    target = root / "memory" / "archive" / f"{prose.name(3)}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)
    return Edit("move", _relative(root, path), _relative(root, target))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()
