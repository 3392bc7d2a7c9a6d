"""Watcher: imports changes of the workspaces' folders.

Guarantee: a change is imported within moments where the system reports it, else within
a minute, such as on a network drive or past its limit of watches. Successive changes
are imported in groups: after an import the watcher rests in proportion to its duration,
leaving most of the time to others.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from watchfiles import Change, watch

from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.disk.files import folder_of
from memoryhub.disk.replacing import State, draft_named, is_draft
from memoryhub.errors.hindrances import hindrance_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import NOT_WATCHED
from memoryhub.sync.engine import SyncReport, WorkspaceGone, sync_workspace
from memoryhub.sync.scan.links import SKIPPED_FOLDERS
from memoryhub.sync.scan.problems import note_problems
from memoryhub.sync.scan.walk import MEMORY_FILES, ScanProblem
from memoryhub.sync.uploads import is_own_folder

#: Milliseconds: changes this near to each other are grouped.
_DEBOUNCE, _STEP = 50, 10
#: Seconds between checks for added or removed workspaces.
_LOOK_SECONDS = 1.0
_RESCAN_SECONDS = 60.0
#: Seconds: a file with this long the same size and time is written; after the second
#: limit it is imported anyway, and again when it is done.
_STABLE_SECONDS, _PATIENCE_SECONDS = 0.02, 2.0
#: Rest as a multiple of the work before it, and its limits in seconds.
_REST_TIMES, _REST_LEAST, _REST_MOST = 4, 0.1, 0.5

Notify = Callable[[Workspace, SyncReport], None]
_log = logging.getLogger(__name__)
#: Word by which watchfiles reports the limit; it has no exception class for it.
_LIMIT = "limit"
_AT_ONCE = 1


class Watcher:
    """Continuous import of workspaces until `stop` is set; runs in a thread of its own.

    `notify` is called after every sync that imported something, and after the first of
    each workspace. `slug` limits it to one workspace.
    """

    def __init__(
        self,
        stop: threading.Event,
        notify: Notify,
        *,
        slug: str | None = None,
        rescan: float = _RESCAN_SECONDS,
    ) -> None:
        self._stop = stop
        self._notify = notify
        self._slug = slug
        self._rescan = rescan
        self._due = 0.0
        self._known: set[str] = set()
        self._failed: set[str] = set()
        self._begun = False
        self._limited = False
        self._hindered = ""

    def run(self) -> None:
        """Import everything, then changes until stopped.

        Raises:
            OtherVersion: another program has migrated the database.
        """
        try:
            while not self._stop.is_set():
                try:
                    if not self._begun:
                        self.sync_all()
                        self._begun = True
                        # The first look catches changes made before the first watch.
                        self._due = 0.0
                    self._watch_or_wait()
                    self._hindered = ""
                except DatabaseError as error:
                    if hindrance_of(error) is None:
                        raise
                    if str(error) != self._hindered:
                        _log.warning("cannot watch while the database fails: %s", error)
                    self._hindered = str(error)
                    self._stop.wait(_LOOK_SECONDS)
        finally:
            connection.close()

    def sync_all(self) -> None:
        """Import the changes of every workspace."""
        for workspace in self._workspaces():
            if self._stop.is_set():
                return
            self.sync(workspace)
        self._due = time.monotonic() + self._rescan

    def sync(self, workspace: Workspace) -> None:
        """Import one workspace's changes; a failure is logged once and retried."""
        try:
            ensure_current()
            report = sync_workspace(workspace)
        except OtherVersion:
            raise
        except Workspace.DoesNotExist:  # it was deleted meanwhile
            return
        except WorkspaceGone:
            self._fail(workspace, f"{workspace.slug}: {workspace.root} is not there")
            return
        except Exception:  # one workspace must not end the watch over all others
            self._fail(workspace, f"{workspace.slug}: the import failed", trace=True)
            return
        self._failed.discard(workspace.slug)
        if not report.is_empty or workspace.slug not in self._known:
            self._known.add(workspace.slug)
            self._notify(workspace, report)

    def _workspaces(self) -> list[Workspace]:
        ensure_current()
        known = Workspace.objects.all()
        return list(known.filter(slug=self._slug) if self._slug else known)

    def _roots(self) -> dict[Path, Workspace]:
        places = {folder_of(w.root): w for w in self._workspaces()}
        return {root: w for root, w in places.items() if root.is_dir()}

    def _watch_or_wait(self) -> None:
        roots = self._roots()
        for workspace in roots.values():
            if workspace.slug not in self._known:
                self.sync(workspace)
                # The next look catches changes made before the watch began.
                self._due = 0.0
        try:
            if roots:
                self._follow(roots)
                return
        except OSError as error:
            _log.warning("cannot watch (%s): looking every minute", error)
            self._note_limit(roots, is_reached=True)
        while not self._stop.wait(_LOOK_SECONDS):
            if time.monotonic() >= self._due:
                self.sync_all()
            if self._roots().keys() != roots.keys():
                return

    def _follow(self, roots: Mapping[Path, Workspace]) -> None:
        """Import changes below these roots until the set of roots changes."""
        self._note_limit(roots, is_reached=is_limit_reached(roots))
        for changes in watch(
            *roots,
            watch_filter=concerns,
            debounce=_DEBOUNCE,
            step=_STEP,
            stop_event=self._stop,
            rust_timeout=int(_LOOK_SECONDS * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            self._import(roots, [path for _, path in changes])
            if time.monotonic() >= self._due:
                self.sync_all()
            if self._roots().keys() != roots.keys():
                return

    def _import(self, roots: Mapping[Path, Workspace], paths: list[str]) -> None:
        """Import changes, then rest: the system collects further ones meanwhile."""
        wait_until_stable(paths, self._stop)
        begun = time.monotonic()
        for root in touched(roots, paths):
            self.sync(roots[root])
        if paths:
            rest = _REST_TIMES * (time.monotonic() - begun)
            self._stop.wait(min(max(rest, _REST_LEAST), _REST_MOST))

    def _note_limit(self, roots: Mapping[Path, Workspace], *, is_reached: bool) -> None:
        if is_reached and not self._limited:
            _log.warning(
                "the system's limit of watches is reached: looking every minute;"
                " raise fs.inotify.max_user_watches"
            )
        self._limited = is_reached
        note_limit(roots.values(), timezone.now(), is_reached=is_reached)

    def _fail(self, workspace: Workspace, message: str, *, trace: bool = False) -> None:
        if workspace.slug not in self._failed:
            self._failed.add(workspace.slug)
            _log.warning(message, exc_info=trace)


def concerns(change: Change, path: str) -> bool:
    """Return whether a change on disk may concern a memory file or folder."""
    parts = path.split("/")
    if SKIPPED_FOLDERS.intersection(parts):
        return False
    if Path(path).is_relative_to(settings.MEMORYHUB_DATA) and not is_own_folder(path):
        return False
    name = parts[-1].lower()
    if is_draft(name):
        # A program may still write to an old version; its lines are carried over.
        draft = draft_named(name)
        return draft is not None and draft.state is State.HELD
    return "." not in name[1:] or name.endswith(MEMORY_FILES)


def touched(roots: Collection[Path], paths: Iterable[str]) -> list[Path]:
    """Return the roots that contain the changed files, the innermost of nested ones.

    If a folder of one root is linked in another, the system reports either path.
    """
    deepest = sorted(roots, key=lambda root: len(root.parts), reverse=True)
    found = {
        next((root for root in deepest if Path(place).is_relative_to(root)), None)
        for path in paths
        for place in (path, os.path.realpath(path))
    }
    return [root for root in roots if root in found]


def wait_until_stable(paths: Collection[str], stop: threading.Event) -> None:
    """Wait until files keep their size and time, at most two seconds."""
    patience = time.monotonic() + _PATIENCE_SECONDS
    before = _looks(paths)
    while paths and time.monotonic() < patience and not stop.wait(_STABLE_SECONDS):
        now = _looks(paths)
        if now == before:
            return
        before = now


def _looks(paths: Iterable[str]) -> list[Any]:
    return [_look(path) for path in paths]


def _look(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).lstat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def is_limit_reached(roots: Iterable[Path]) -> bool:
    """Return whether the system cannot watch all folders below these roots.

    Opens a second, short watch: one that ignores denied permissions ignores the limit
    silently, too.
    """
    tried = watch(
        *roots,
        debounce=_AT_ONCE,
        step=_AT_ONCE,
        rust_timeout=_AT_ONCE,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    try:
        with closing(tried), suppress(StopIteration):
            next(tried)
    except OSError as error:
        return _LIMIT in str(error)
    return False


def note_limit(
    workspaces: Iterable[Workspace], at: datetime, *, is_reached: bool
) -> None:
    """Set or clear the problem of late changes (limit of watches) in workspaces."""
    problems = [ScanProblem(".", NOT_WATCHED)] if is_reached else []
    for workspace in workspaces:
        note_problems(workspace, problems, at, only=(NOT_WATCHED,))
