"""Discovery of memory folders: candidates by host, each measured without being read."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from memoryhub.discovery.allowance import Allowance
from memoryhub.discovery.folders import matching
from memoryhub.discovery.projects import Projects
from memoryhub.disk.files import disk_path
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
#: Host whose layout has workspaces inside a folder: ``workspace-<name>``.
_INNER_HOST = "OpenClaw"


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
    measured = _with_inner(places.values(), allowance)
    found = [one for one in measured if one.files or one.was_cut or one.is_unreadable]
    return Discovery(home, tuple(sorted(found, key=_newest_first)), allowance.was_cut)


def workspaces_inside(
    root: Path, *, ignore: tuple[str, ...] = (), seconds: float = SECONDS
) -> list[Found]:
    """Find the workspaces that an import of a folder leaves out, by path.

    `ignore` are patterns of paths below the folder that are left alone.
    """
    allowance = Allowance(ENTRIES, Budget.of(seconds))
    _, *inner = _with_inner([Candidate("", root)], allowance, ignore)
    return sorted(inner, key=lambda found: found.place.root)


def _with_inner(
    places: Iterable[Candidate], allowance: Allowance, ignore: tuple[str, ...] = ()
) -> Iterator[Found]:
    """Measure folders, and each workspace inside them as one of its own."""
    waiting = deque(places)
    known = {place.root for place in waiting}
    while waiting:
        found, inner = _measured(waiting.popleft(), allowance, ignore)
        yield found
        waiting += (place for place in inner if place.root not in known)
        known |= {place.root for place in inner}


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


def _measured(
    place: Candidate, allowance: Allowance, ignore: tuple[str, ...]
) -> tuple[Found, list[Candidate]]:
    """Return a folder with its size, and the workspaces inside, not counted in it."""
    part = allowance.part(ENTRIES_EACH)
    before = part.entries
    seen = scan(place.root, ignore=ignore, listing=part.listing)
    allowance.entries -= before - part.entries
    allowance.was_cut = allowance.was_cut or part.was_cut
    found = Found(
        place,
        files=len(seen.found),
        size=sum(file.size for file in seen.found),
        newest=_newest(seen.found),
        was_cut=part.was_cut,
        is_unreadable=any(problem.path == "." for problem in seen.problems),
    )
    roots = (place.root / disk_path(path) for path in sorted(seen.inner))
    return found, [Candidate(_INNER_HOST, root) for root in roots]


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
