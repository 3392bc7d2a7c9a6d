"""Walk over a workspace's memory files. Reads names, never contents.

Markdown counts anywhere below the root; JSON, JSONL, text and YAML inside memory
folders; elsewhere what a dialect names. Links are followed into allowed folders alone,
and named otherwise. Inner workspaces are skipped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memoryhub.dialects.registry import is_scanned
from memoryhub.disk.files import disk_path, text_path
from memoryhub.disk.replacing import is_draft
from memoryhub.formats.copies import backed_up
from memoryhub.formats.openclaw.memory_files import MEMORY_FOLDERS
from memoryhub.sync.scan.ignored import is_ignored, is_left_out, ways
from memoryhub.sync.scan.links import SKIPPED_FOLDERS, is_refused, target_of

MARKDOWN = (".md", ".markdown", ".mdx", ".mdc")
#: What counts inside memory folders.
MEMORY_FILES = (*MARKDOWN, ".json", ".jsonl", ".txt", ".yaml", ".yml")


#: Folders of ``.claude`` with JSON of agent teams, where that is the workspace.
_TEAM_FOLDERS = frozenset({"tasks", "teams"})


#: What lists the entries of a folder.
Listing = Callable[[str], Iterator[os.DirEntry[str]]]


def listed(place: str) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder."""
    with os.scandir(place) as entries:
        yield from entries


class FoundFile(NamedTuple):
    """A memory file on disk: its path below the root, in text form, and its stat."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ScanProblem:
    """A problem of a scan: an unreadable file or folder, or missing files.

    `about` is the code of the affected row, where a file has several; `more` are
    further parameters of the problem's text.
    """

    path: str
    code: str
    reason: str = ""
    about: str = ""
    more: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(slots=True)
class Scan:
    """Files found below a root, unordered, and the scan's problems.

    `drafts` are the paths of our own drafts, present while a file is replaced;
    `inner` are those of workspaces below the root, which were left out.
    """

    found: list[FoundFile] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    problems: list[ScanProblem] = field(default_factory=list)


def scan(
    root: Path,
    *,
    ignore: tuple[str, ...] = (),
    without: frozenset[str] = frozenset(),
    listing: Listing = listed,
    linked: Sequence[Path] = (),
) -> Scan:
    """Scan for the memory files and inner workspaces below `root`.

    `ignore` are shell patterns on the path or any of its parts; `without` are paths of
    folders to leave out; `listing` may end early, to bound the scan; links into the
    folders `linked` are followed. Files that vanish meanwhile are left out. A workspace
    is a folder ``workspace-<name>`` or ``agents/<name>/workspace`` that holds a
    MEMORY.md or a memory folder.
    """
    result = Scan()
    walk = _Walk(result, ignore, without, listing, linked)
    walk.folder(os.fspath(root), "", in_memory=_is_of_teams(root, ""))
    return result


def _is_of_teams(root: Path, top: str) -> bool:
    """Return whether a folder right below a root, or the root, is of agent teams."""
    folder = root / top if top else root
    return folder.name in _TEAM_FOLDERS and folder.parent.name == ".claude"


@dataclass(frozen=True, slots=True)
class _Walk:
    result: Scan
    ignore: tuple[str, ...]
    without: frozenset[str]
    listing: Listing
    linked: Sequence[Path]

    def folder(self, place: str, prefix: str, *, in_memory: bool) -> None:
        way: tuple[Path, ...] = (Path(os.path.realpath(place)),)
        stack = [(place, prefix, in_memory, way)]
        while stack:
            place, prefix, in_memory, way = stack.pop()
            for entry in self._entries(place, prefix):
                path = text_path(prefix + entry.name)
                if self.ignore and self._ignored(path):
                    continue
                if entry.is_symlink():
                    inside = in_memory or entry.name in MEMORY_FOLDERS
                    if target := self._link(entry, path, way, in_memory=in_memory):
                        below, end = f"{prefix}{entry.name}/", (*way, target)
                        stack.append((os.fspath(target), below, inside, end))
                elif entry.is_dir():
                    if entry.name in SKIPPED_FOLDERS or path in self.without:
                        continue
                    if _is_inner(path) and self._holds_memory(entry.path):
                        self.result.inner.append(path)
                        continue
                    inside = (
                        in_memory
                        or entry.name in MEMORY_FOLDERS
                        or (not prefix and _is_of_teams(Path(place), entry.name))
                    )
                    stack.append((entry.path, prefix + entry.name + "/", inside, way))
                else:
                    self._file(entry, path, in_memory=in_memory)

    def _entries(self, place: str, prefix: str) -> Iterator[os.DirEntry[str]]:
        try:
            yield from self.listing(place)
        except OSError as error:
            # A subfolder may vanish during the walk; an unreadable root is a problem.
            if prefix and isinstance(error, FileNotFoundError):
                return
            self._problem(text_path(prefix.rstrip("/") or "."), "unreadable", error)

    def _holds_memory(self, place: str) -> bool:
        return _holds_memory(place, self.listing)

    def _file(self, entry: os.DirEntry[str], path: str, *, in_memory: bool) -> None:
        if not (_is_memory_file(entry.name, in_memory=in_memory) or is_scanned(path)):
            of, code = backed_up(entry.name)
            is_kind = bool(of) and _is_memory_file(of, in_memory=in_memory)
            if is_kind and Path(entry.path).with_name(of).exists():
                folder, slash, _ = path.rpartition("/")
                more = {"of": f"{folder}{slash}{text_path(of)}"}
                self.result.problems.append(ScanProblem(path, code, more=more))
            if is_draft(entry.name):
                self.result.drafts.append(path)
            return
        try:
            if not entry.is_file(follow_symlinks=False):
                return
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problem(path, "unreadable", error)
            return
        self.result.found.append(FoundFile(path, status.st_size, status.st_mtime_ns))

    def _link(
        self,
        entry: os.DirEntry[str],
        path: str,
        way: Sequence[Path],
        *,
        in_memory: bool,
    ) -> Path | None:
        """Return the folder that a link is followed to; take a file, name others."""
        is_named = entry.name.lower().endswith(MARKDOWN) or entry.name in MEMORY_FOLDERS
        is_closed = entry.name in SKIPPED_FOLDERS or _is_inner(path)
        link = Path(entry.path)
        target = None if is_closed else target_of(link, way, self.linked)
        with suppress(OSError):
            is_named = is_named or target is not None or (in_memory and entry.is_dir())
            if target is not None:
                status = target.whole.lstat()
                if stat.S_ISDIR(status.st_mode):
                    return target.whole
                if _is_memory_file(entry.name, in_memory=in_memory) or is_scanned(path):
                    found = FoundFile(path, status.st_size, status.st_mtime_ns)
                    self.result.found += [found] * stat.S_ISREG(status.st_mode)
                return None
        if is_named:
            self.result.problems.append(ScanProblem(path, "link-not-followed"))
        return None

    def _ignored(self, path: str) -> bool:
        return is_ignored(path, self.ignore)

    def _problem(self, path: str, code: str, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.result.problems.append(ScanProblem(path, code, reason))


def takes(
    root: Path,
    path: str,
    *,
    ignore: tuple[str, ...] = (),
    linked: Sequence[Path] = (),
) -> bool:
    """Return whether a scan of `root` would find a file at a path.

    Other paths are never written to: their files would not be imported.
    """
    *folders, name = path.split("/")
    if "\0" in path or not _is_text_form(path):
        return False
    if {"", ".", ".."} & {*folders, name} or SKIPPED_FOLDERS & {*folders}:
        return False
    top = folders[0] if folders else ""
    of_teams = _is_of_teams(root, "") or _is_of_teams(root, top)
    in_memory = of_teams or not MEMORY_FOLDERS.isdisjoint(folders)
    if not (_is_memory_file(name, in_memory=in_memory) or is_scanned(path)):
        return False
    if is_left_out(path, ignore):
        return False
    try:
        return not is_refused(root, path, linked) and not any(
            _is_inner(way) and _holds_memory(os.fspath(root / disk_path(way)))
            for way in ways(path)
        )
    except (OSError, ValueError):
        return False


def _is_text_form(path: str) -> bool:
    """Return whether a path is in the text form of `text_path`."""
    try:
        return text_path(os.fsdecode(os.fsencode(disk_path(path)))) == path
    except UnicodeError:
        return False


@lru_cache(maxsize=16_384)
def _is_memory_file(name: str, *, in_memory: bool) -> bool:
    wanted = MEMORY_FILES if in_memory else MARKDOWN
    return name.lower().endswith(wanted) and not is_draft(name)


def _is_inner(path: str) -> bool:
    parts = path.split("/")
    if parts[-1].startswith("workspace-") and parts[-1] != "workspace-":
        return True
    return len(parts) >= 3 and parts[-1] == "workspace" and parts[-3] == "agents"


def _holds_memory(place: str, listing: Listing = listed) -> bool:
    names = {"MEMORY.md", "AGENTS.md", "IDENTITY.md", *MEMORY_FOLDERS}
    try:
        return any(entry.name in names for entry in listing(place))
    except OSError:
        return False
