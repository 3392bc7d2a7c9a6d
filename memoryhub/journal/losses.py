"""Lines that a file lost between two versions: which files count, how many, and where.

A log only grows, so any loss counts. A long-lived file, such as ``MEMORY.md``, is
edited: only a marked loss counts, and it holds until most of the lines are back.
"""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.openclaw import wiki_page
from memoryhub.formats.openclaw.daily_log import NAME as DAILY_LOG
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.optimizer import decision_log, memory_index, project_notes
from memoryhub.formats.others import (
    agent_roles,
    auto_memory,
    basic_memory,
    decision_record,
    exec_plan,
    instructions,
    memory_bank,
    plain,
)
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.text.source import split_sections

#: Dialects of files that an agent keeps for long.
_LONG_LIVED = frozenset(
    {memory_index.NAME, agent_roles.NAME, memory_bank.NAME, auto_memory.NAME}
    | {topic_context.NAME, project_notes.NAME, decision_log.NAME}
    | {basic_memory.NAME, wiki_page.NAME}
)
#: Records that are no memory, but have decisions and their reasons.
_RECORDS = frozenset({decision_record.NAME, exec_plan.NAME})
#: Files without a dialect that hosts read at the start of each session.
_BOOTSTRAP = frozenset(
    {"SOUL.md", "TOOLS.md", "IDENTITY.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"}
)
#: A loss of so many lines counts, and of fewer if they are a fifth of the file.
_MANY, _FEW, _SHARE = 20, 5, 5
#: Sections that are listed with their losses.
_SECTIONS = 8


class SectionLoss(NamedTuple):
    """Lines that a section lost and gained; its title is empty before any heading."""

    title: str
    lost: int
    gained: int
    is_gone: bool


def is_log(format_name: str) -> bool:
    """Return whether a dialect is that of a log, which only grows."""
    return format_name == DAILY_LOG


def is_long_lived(path: str, format_name: str) -> bool:
    """Return whether an agent keeps a file for long: memory, roles, notes, topics."""
    if format_name not in (plain.NAME, instructions.NAME):
        return format_name in _LONG_LIVED
    place = PurePosixPath(path)
    is_note = place.suffix.casefold() in (".md", ".markdown")
    return is_note and (place.name in _BOOTSTRAP or in_memory_folder(place))


def may_not_shrink(path: str, format_name: str) -> bool:
    """Return whether a marked loss of lines counts: long-lived files, and records."""
    return format_name in _RECORDS or is_long_lived(path, format_name)


def lost_lines(before: str, after: str, *, log: bool) -> int:
    """Return the number of lines a file lost, 0 if it was merely edited.

    A log: more lines lost than gained, or more than half of all. Another file: the
    difference is many lines, a fifth of the file, or more than half of all. A reworded
    line counts as one lost and one gained.
    """
    lost = missing_lines(before, after)
    if not lost:
        return 0
    net = lost - missing_lines(after, before)
    total = _line_counts(before).total()
    if log:
        return lost if net > 0 or lost * 2 > total else 0
    is_marked = net >= _FEW and net * _SHARE >= total
    return lost if net >= _MANY or is_marked or net * 2 > total else 0


def is_still_lost(lines: int, before: str, after: str, *, log: bool) -> bool:
    """Return whether a loss of so many lines holds: until they, or most, are back."""
    missing = missing_lines(before, after)
    return missing > 0 if log else missing * 2 > lines


def count_lines(text: str) -> int:
    """Return the number of non-blank lines."""
    return _line_counts(text).total()


def missing_lines(before: str, after: str) -> int:
    """Return the number of non-blank lines of `before` missing in `after`."""
    if after.startswith(before):
        return 0
    return (_line_counts(before) - _line_counts(after)).total()


def section_losses(before: str, after: str) -> list[SectionLoss]:
    """Return the sections that lost lines, those with the greatest loss first.

    A line that another section has now is not lost.
    """
    old, new = _by_section(before), _by_section(after)
    left, come = _line_counts(after), _line_counts(before)
    found = []
    for title, lines in old.items():
        lost = (lines - left).total()
        gained = (new.get(title, Counter()) - come).total()
        if lost:
            found.append(SectionLoss(title, lost, gained, title not in new))
    found.sort(key=lambda one: -one.lost)
    return found[:_SECTIONS]


def _by_section(text: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for section in split_sections(text):
        lines = found.setdefault(section.title, Counter())
        lines.update(_line_counts(section.source))
    return found


def _line_counts(text: str) -> Counter[str]:
    lines = (line.strip() for line in text.split("\n"))
    return Counter(line for line in lines if line)
