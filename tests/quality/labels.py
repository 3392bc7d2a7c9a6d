"""Sets of memory files with labels, as a careful reader wrote them.

A set has a folder for each workspace, and `labels.jsonl` with a line for each file.
docs/testing.md describes the columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

NAME = "labels.jsonl"
#: A time that the text itself gives in UTC.
_UTC = re.compile(r"\d(?: ?Z| ?UTC| ?GMT)\b")


class Label(NamedTuple):
    """A text that a reader finds at a line; `more` has the columns of its kind."""

    line: int
    text: str
    more: dict[str, Any]


class FileLabels(NamedTuple):
    """What a reader finds in one file."""

    workspace: str
    path: str
    day: str | None
    agent: str | None
    zone: str | None
    entries: list[Label]
    decisions: list[Label]
    directives: list[Label]
    open_items: list[Label]
    topics: list[str]
    #: The lines with a time in UTC, which counts as it is written.
    utc_lines: frozenset[int] = frozenset()


def sets_below(folder: Path) -> list[Path]:
    """Return the sets in a folder: itself, or those right below it."""
    found = folder if (folder / NAME).exists() else None
    return [found] if found else sorted(p.parent for p in folder.glob(f"*/{NAME}"))


def read_labels(group: Path) -> dict[str, list[FileLabels]]:
    """Return the labels of a set by workspace, each in the order of the file."""
    found: dict[str, list[FileLabels]] = {}
    for labels in _read_lines(group / NAME):
        text = (group / labels.workspace / labels.path).read_text(encoding="utf-8")
        labels = labels._replace(utc_lines=_in_utc(text))
        found.setdefault(labels.workspace, []).append(labels)
    return found


def _in_utc(text: str) -> frozenset[int]:
    lines = enumerate(text.split("\n"), 1)
    return frozenset(number for number, line in lines if _UTC.search(line))


def _read_lines(path: Path) -> Iterator[FileLabels]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield _file_labels(json.loads(line))


def _file_labels(row: dict[str, Any]) -> FileLabels:
    return FileLabels(
        row["workspace"],
        row["path"],
        row.get("day"),
        row.get("agent"),
        row.get("zone"),
        _labels(row, "entries", "first_line", "title"),
        _labels(row, "decisions"),
        _labels(row, "directives"),
        _labels(row, "open"),
        row.get("topics") or [],
    )


def _labels(
    row: dict[str, Any], name: str, line: str = "line", text: str = "text"
) -> list[Label]:
    return [Label(one[line], one[text], one) for one in row.get(name) or []]
