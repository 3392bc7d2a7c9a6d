"""Discovery of memory folders: candidates by host, each measured without being read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from memoryhub.discovery.allowance import Allowance
from memoryhub.discovery.folders import matching
from memoryhub.discovery.projects import Projects
from memoryhub.sync.scan.walk import FoundFile, scan
from memoryhub.values.budgets import Budget

#: Directory entries listed in all and in one place, and seconds.
ENTRIES, ENTRIES_EACH, SECONDS = 200_000, 20_000, 20.0

_CLAUDE_PROJECTS = ".claude/projects/*/memory"
#: Folders of a home folder: host, pattern, name of the workspace; "" is the folder's.
_OF_HOME = (
    ("Claude Code", ".claude/agent-memory", "claude-agents"),
    ("Claude Code", ".claude/tasks", "claude-tasks"),
    ("Claude Code", ".claude/teams", "claude-teams"),
    ("Codex", ".codex/memories", "codex"),
    ("OpenClaw", ".openclaw/workspace", "openclaw"),
    ("OpenClaw", ".openclaw/workspace-*", ""),
    ("Hermes", ".hermes", "hermes"),
)
#: Folders of a repository: host, path, and what follows the repository's name.
_OF_REPOSITORY = (
    ("Serena", ".serena/memories", "serena"),
    ("Memory Bank", "memory-bank", "memory-bank"),
    ("Claude Code", ".claude", "claude"),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder of a host: where it lies, and the project it belongs to, if any.

    `name` is that of its workspace; "" leaves it to the folder's name.
    """

    host: str
    root: Path
    name: str = ""
    project: str = ""

    @property
    def key(self) -> str:
        """Identify the folder in a form: names may hold bytes that no form sends."""
        return sha256(os.fsencode(self.root)).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Found:
    """A memory folder with the number, size and newest change of its files.

    `was_cut`: there are more files than were counted; `is_unreadable`: the folder
    cannot be listed.
    """

    place: Candidate
    files: int
    size: int
    newest: datetime | None
    was_cut: bool = False
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Discovery:
    """The memory folders of a home folder, those that changed last first.

    `was_cut`: a limit ended the search, so there may be more.
    """

    home: Path
    found: tuple[Found, ...]
    was_cut: bool


def discover(
    home: Path,
    repositories: Sequence[Path] = (),
    *,
    seconds: float = SECONDS,
    entries: int = ENTRIES,
) -> Discovery:
    """Find the memory folders of a home folder and of the named repositories.

    Only folders in these are looked at; their files are not opened. Folders without a
    memory file are left out.
    """
    allowance = Allowance(entries, Budget.of(seconds))
    places = {
        place.root: place
        for place in (*_of_home(home, allowance), *_of_all(repositories, allowance))
        if place.root != home / ".claude"
    }
    measured = [_measured(place, allowance) for place in places.values()]
    found = [one for one in measured if one.files or one.was_cut or one.is_unreadable]
    return Discovery(home, tuple(sorted(found, key=_newest_first)), allowance.was_cut)


def _of_home(home: Path, allowance: Allowance) -> Iterator[Candidate]:
    for host, pattern, name in _OF_HOME:
        for _, root in matching(home, pattern, allowance):
            yield Candidate(host, root, name)
    projects = Projects(home, allowance.part(ENTRIES_EACH))
    for way, root in matching(home, _CLAUDE_PROJECTS, allowance):
        project = projects.path_of(way.parent.name)
        yield Candidate("Claude Code", root, Path(project).name.strip("-"), project)


def _of_all(repositories: Sequence[Path], allowance: Allowance) -> Iterator[Candidate]:
    for folder in repositories:
        for host, path, suffix in _OF_REPOSITORY:
            for _, root in matching(folder, path, allowance):
                yield Candidate(host, root, f"{folder.name}-{suffix}", str(folder))


def _measured(place: Candidate, allowance: Allowance) -> Found:
    part = allowance.part(ENTRIES_EACH)
    before = part.entries
    seen = scan(place.root, listing=part.listing)
    allowance.entries -= before - part.entries
    allowance.was_cut = allowance.was_cut or part.was_cut
    return Found(
        place,
        files=len(seen.found),
        size=sum(file.size for file in seen.found),
        newest=_newest(seen.found),
        was_cut=part.was_cut,
        is_unreadable=any(problem.path == "." for problem in seen.problems),
    )


def _newest(files: Sequence[FoundFile]) -> datetime | None:
    """Return the newest change; None without files or beyond the calendar."""
    newest = max((file.mtime_ns for file in files), default=None)
    try:
        return None if newest is None else datetime.fromtimestamp(newest / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _newest_first(found: Found) -> tuple[float, str]:
    newest = found.newest.timestamp() if found.newest else 0.0
    return -newest, str(found.place.root)
