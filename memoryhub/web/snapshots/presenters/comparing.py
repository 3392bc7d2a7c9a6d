"""Presenter of a snapshot's sections, compared with another snapshot's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryhub.formats.big_memory.task_snapshot import SECTIONS
from memoryhub.formats.text.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    hunks,
    split_text,
)
from snapshots.models import SnapshotSection


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section: its row, none if missing or gone, and its difference from the base.

    `html` is its text in the sections view. `markable` if its text changed, so that a
    person can review it; `next` marks the first one not reviewed yet.
    """

    number: int
    title: str
    row: SnapshotSection | None
    state: str
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    html: str = ""
    reviewed: bool = False
    next: bool = False
    markable: bool = False

    @property
    def body(self) -> str:
        return self.row.body.strip("\r\n") if self.row else ""

    @property
    def sha(self) -> str:
        return self.row.body_sha if self.row else ""

    @property
    def known(self) -> bool:
        """True for a section of the schema."""
        return self.title in SECTIONS


def shown_sections(
    sections: Sequence[SnapshotSection], base: Sequence[SnapshotSection] | None
) -> list[ShownSection]:
    """Return the eight sections of the schema in order, then all others.

    Sections that the file lacks are "missing". Without a base nothing is compared.
    """
    mine, theirs = _by_title(sections), _by_title(base or ())
    titles = [*SECTIONS, *(t for t in [*mine, *theirs] if t not in SECTIONS)]
    return [
        _shown(number, title, mine.get(title), theirs.get(title), base is not None)
        for number, title in enumerate(dict.fromkeys(titles), 1)
    ]


def _by_title(sections: Sequence[SnapshotSection]) -> dict[str, SnapshotSection]:
    """Index sections by title; repeated titles get a number."""
    found: dict[str, SnapshotSection] = {}
    for section in sections:
        title, number = section.title, 1
        while title in found:
            number += 1
            title = f"{section.title} ({number})"
        found[title] = section
    return found


def _shown(
    number: int,
    title: str,
    mine: SnapshotSection | None,
    theirs: SnapshotSection | None,
    compared: bool,
) -> ShownSection:
    if mine is None and theirs is None:
        return ShownSection(number, title, mine, "missing")
    if not compared:
        return ShownSection(number, title, mine, "same")
    lines = diff_lines(
        _lines(theirs),
        _lines(mine),
        first_old=theirs.first_line + 1 if theirs else 1,
        first_new=mine.first_line + 1 if mine else 1,
        items=True,
    )
    added, removed = change_counts(lines)
    state = "changed" if added or removed else "same"
    if mine is None:
        state = "missing" if title in SECTIONS else "gone"
    elif theirs is None:
        state = "new"
    found = tuple(hunks(lines))
    return ShownSection(number, title, mine, state, found, added, removed)


def _lines(section: SnapshotSection | None) -> list[str]:
    """Return a section's lines without blank ones at its end."""
    lines = split_text(section.body) if section else []
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
