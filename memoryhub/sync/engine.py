"""Import of a workspace: scan, plan, read and record all files, then make their rows.

Nothing is ever written into the workspace. Each batch is one short transaction, so a
killed run leaves a true prefix of its work and the next run does the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any

from django.conf import settings
from django.utils import timezone

from memoryhub.dialects.daily_log import is_daily
from memoryhub.disk.files import UnreadableFile, folder_of, locked
from memoryhub.disk.places import Place, read_file
from memoryhub.formats.text.zones import stated_zone
from memoryhub.journal.follow_ups import codes, follow_ups, journal_grew
from memoryhub.journal.models import FileStat, Problem, SyncRun, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import NOT_WATCHED
from memoryhub.people.policy import OPERATOR
from memoryhub.sync.edit.editing import settle
from memoryhub.sync.edit.holding import held_paths, held_problem, hold, release
from memoryhub.sync.edit.leftovers import finish_all_drafts
from memoryhub.sync.read.moves import find_moves
from memoryhub.sync.read.reader import NewVersion, Reader, place_at
from memoryhub.sync.record.projection import (
    catch_up,
    conclude,
    current_version,
    have_new_roles,
    rebuild,
)
from memoryhub.sync.record.recording import Recorder
from memoryhub.sync.scan.ignored import is_left_out
from memoryhub.sync.scan.plan import KnownFile, SyncPlan, held_back, make_plan
from memoryhub.sync.scan.problems import note_problems, parameters_of
from memoryhub.sync.scan.walk import (
    FoundFile,
    Scan,
    ScanProblem,
    scan,
)
from memoryhub.sync.uploads import data_within

#: Files that tell of a person or an agent; the first that states a zone decides.
_NAMES = (
    *("user.md", "identity.md", "soul.md", "memory.md", "agents.md", "claude.md"),
    *("gemini.md", "tools.md", "readme.md"),
)
_ORDER = {name: number for number, name in enumerate(_NAMES)}
_DEEPEST = 3
_MOST_FILES = 24
_LARGEST = 200_000


def adopt_zone(workspace: Workspace, root: Path, found: Iterable[FoundFile]) -> None:
    """Set the zone that the files state, and project the journal again if it is new.

    The caller holds the workspace's lock.
    """
    if workspace.zone_chosen:
        return
    zone = _zone_of(root, found, first=not workspace.last_seq) or _zone_around(root)
    if not zone or zone == workspace.time_zone:
        return
    workspace.time_zone = zone
    workspace.save(update_fields=["time_zone"])
    if workspace.last_seq:
        rebuild(workspace)


def _zone_of(root: Path, found: Iterable[FoundFile], *, first: bool) -> str:
    """Return the zone that files state; at the first import, of any file but logs."""
    named = [
        (_ORDER.get(path.name.casefold(), len(_NAMES)), len(path.parts), file.path)
        for file in found
        if first or file.path.rpartition("/")[2].casefold() in _ORDER
        for path in (PurePosixPath(file.path),)
        if path.suffix == ".md" and file.size <= _LARGEST and not is_daily(path)
        if len(path.parts) <= _DEEPEST
    ]
    for _, _, path in sorted(named)[:_MOST_FILES]:
        if zone := stated_zone(_text(place_at(root, path))):
            return zone
    return ""


def _zone_around(root: Path) -> str:
    """Return the zone of the innermost workspace that this folder lies in."""
    around = {str(folder): depth for depth, folder in enumerate(root.parents)}
    known = [one for one in _ZONES() if around.get(one[0], _MOST_FILES) < _MOST_FILES]
    return min(known, key=lambda one: around[one[0]], default=("", ""))[1]


#: Root and time zone of each workspace.
_ZONES: Prepared[tuple[str, str]] = Prepared(
    lambda: Workspace.objects.values_list("root", "time_zone")
)


def _text(place: Place) -> str:
    try:
        return read_file(place, limit=_LARGEST).data.decode(errors="replace")
    except UnreadableFile:
        return ""


#: Callback: number of files recorded, total, and path of the next one; after that the
#: number of journal entries with rows, total, and no path.
Progress = Callable[[int, int, str], None]
Clock = Callable[[], datetime]

#: Pause between batches for other writers: SQLite's busy wait is not fair.
_PAUSE_SECONDS = 0.001
#: Seconds after which what has rows meanwhile can be found, too.
_SHOW_SECONDS = 5.0
#: Reads of a file that operations change through the hub meanwhile.
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class RunProblem:
    """A problem of a run: place, code, and parameters for its text."""

    path: str
    line: int
    code: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Result of a sync; `number` is that of the last import, 0 if there was none."""

    number: int
    files: int
    added: int = 0
    changed: int = 0
    moved: int = 0
    deleted: int = 0
    problems: tuple[RunProblem, ...] = ()
    seconds: float = 0.0
    #: Held files: missing, not recorded as deleted.
    held: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if nothing was recorded."""
        return not self.recorded

    @property
    def recorded(self) -> int:
        """Number of files that were recorded."""
        return self.added + self.changed + self.moved + self.deleted


class WorkspaceGone(Exception):
    """The workspace's folder is missing; the hub's records of it stay."""


def workspace_lock(workspace: Workspace) -> Path:
    """Return the lock file that makes syncs and rebuilds of a workspace exclusive."""
    return Path(settings.MEMORYHUB_DATA) / "locks" / f"{workspace.uuid}.sync"


def sync_workspace(
    workspace: Workspace,
    *,
    accept_deletions: bool = False,
    wait: bool = True,
    progress: Progress | None = None,
    clock: Clock = timezone.now,
) -> SyncReport:
    """Import the changes of a workspace's folder since the last sync.

    If most files are missing at once, they are held instead of recorded as deleted, and
    a problem is noted, until they are back or the caller accepts their deletion.

    Raises:
        WorkspaceGone: the folder is missing.
        BlockingIOError: another import is under way, and the caller does not `wait`.
    """
    started = time.perf_counter()
    with locked(workspace_lock(workspace), wait=wait):
        make_current(workspace)
        root = folder_of(workspace.root)
        if not root.is_dir():
            raise WorkspaceGone(workspace.root)
        settle(workspace, clock=clock)
        # Read before the scan: a file made by an edit from here on is not taken for
        # deleted.
        known, held = known_files(workspace), set(held_paths(workspace))
        scanned_ns = time.time_ns()
        seen, drafts_left = _scanned(workspace, root)
        adopt_zone(workspace, root, seen.found)
        plan = make_plan(seen.found, known, (p.path for p in seen.problems))
        recorder = Recorder(workspace, scanned_ns, clock())
        recorder.close_interrupted()
        problems_found, gone = _import(root, plan, known, recorder, progress, clock)
        release(workspace, held & {file.path for file in seen.found})
        _record_gone(recorder, gone, known, held, clock, accepted=accept_deletions)
        _derive(workspace, progress)
        if left := held_paths(workspace):
            problems_found.append(held_problem(left, len(known)))
        elif held:
            # Settle again: operations could not be finished while files were held.
            settle(workspace, clock=clock)
        problems = [*seen.problems, *drafts_left, *problems_found]
        note_problems(workspace, problems, clock(), but=(*codes(), NOT_WATCHED))
        conclude(workspace)
        imported = next(iter(_IMPORTED(workspace.pk)), None) or 0
        report = _finish(recorder, len(seen.found), problems, started, clock())
        if have_new_roles(workspace, imported):
            rebuild(workspace)
        report = replace(report, held=tuple(left))
    journal_grew.send(Workspace, workspace=workspace)
    later = _follow_up(workspace, clock())
    return replace(report, problems=(*report.problems, *map(_run_problem, later)))


def make_current(workspace: Workspace) -> None:
    """Bring a workspace's rows up to its journal and this version's importers."""
    workspace.refresh_from_db()
    if workspace.projection_version != current_version():
        rebuild(workspace)
    else:
        catch_up(workspace)


def scan_of(workspace: Workspace, root: Path) -> Scan:
    """Scan a workspace's folder."""
    ignore = tuple(workspace.ignore_patterns)
    linked = settings.MEMORYHUB_LINKED_FOLDERS
    return scan(root, ignore=ignore, without=data_within(root), linked=linked)


def _scanned(workspace: Workspace, root: Path) -> tuple[Scan, list[ScanProblem]]:
    """Scan a folder after finishing our drafts; return also problems of those left."""
    seen = scan_of(workspace, root)
    if not seen.drafts:
        return seen, []
    left = finish_all_drafts(workspace, seen.drafts)
    return scan_of(workspace, root), left


def known_files(workspace: Workspace) -> dict[str, KnownFile]:
    """Return each file's state at the last sync, by path."""
    return {path: KnownFile(*state) for path, *state in _KNOWN_FILES(workspace.pk)}


_KNOWN_FILES: Prepared[Any] = Prepared(
    lambda workspace_id: FileStat.objects.filter(workspace_id=workspace_id).values_list(
        "path", *KnownFile._fields
    ),
    int,
)
#: The last entry of the newest import that is closed.
_IMPORTED: Prepared[int | None] = Prepared(
    lambda workspace_id: (
        SyncRun.objects.filter(workspace_id=workspace_id)
        .order_by("-last_seq")
        .values_list("last_seq", flat=True)[:1]
    ),
    int,
)


def _import(
    root: Path,
    plan: SyncPlan,
    known: dict[str, KnownFile],
    recorder: Recorder,
    progress: Progress | None,
    clock: Clock,
) -> tuple[list[ScanProblem], dict[str, KnownFile]]:
    """Import the planned files; return problems and unmoved missing files."""
    before = {path: known[path] for path in plan.gone}
    limit = settings.MEMORYHUB_MAX_FILE_BYTES
    moves = find_moves(root, plan, known, limit)
    problems: list[ScanProblem] = []
    done, planned = 0, plan.read
    _report_progress(progress, plan, done)
    for _ in range(_ROUNDS):
        again: set[str] = set()
        for batch in Reader(root, known, moves, limit).batches(planned):
            versions = [one for one in batch if isinstance(one, NewVersion)]
            again |= recorder.record(versions, clock())
            for version in versions:
                if version.path not in again:
                    before.pop(version.moved_from, None)
            problems += [one for one in batch if isinstance(one, ScanProblem)]
            done += len(batch)
            _report_progress(progress, plan, done)
            if done == len(batch) < len(plan.read):
                # The first files can be seen and found while the others are read.
                conclude(recorder.workspace)
                # It changed rows that the projection holds.
                recorder.projection = None
                journal_grew.send(Workspace, workspace=recorder.workspace)
            time.sleep(_PAUSE_SECONDS)
        if not again:
            break
        planned = tuple(file for file in plan.read if file.path in again)
        known = known_files(recorder.workspace)
    return problems, before


def _derive(workspace: Workspace, progress: Progress | None) -> None:
    """Make the rows of all that was recorded without; index them on the way."""
    workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
    start, shown = workspace.projected_seq, time.monotonic()

    def note(seq: int, last: int) -> None:
        nonlocal shown
        if progress is not None:
            progress(seq - start, last - start, "")
        if time.monotonic() - shown > _SHOW_SECONDS:
            journal_grew.send(Workspace, workspace=workspace)
            shown = time.monotonic()

    catch_up(workspace, progress=note)


def _record_gone(
    recorder: Recorder,
    gone: dict[str, KnownFile],
    known: Collection[str],
    held: Collection[str],
    clock: Clock,
    *,
    accepted: bool,
) -> None:
    """Record missing files as deleted; hold those missing at once.

    Newly ignored files count as deleted.
    """
    workspace = recorder.workspace
    patterns = tuple(workspace.ignore_patterns)
    ignored = {path for path in gone if is_left_out(path, patterns)}
    missing = gone.keys() - ignored
    held_now = held_back(missing, len(known), held, accepted=accepted)
    deleted = gone.keys() - held_now
    # What a person accepted, or chose to ignore, is no loss.
    seen = ignored | ((deleted & set(held) or deleted) if accepted else set())
    for actor, paths in (("", deleted - seen), (OPERATOR, deleted & seen)):
        recorder.record_gone({path: gone[path] for path in paths}, clock(), actor)
    hold(workspace, held_now, clock())


def _report_progress(progress: Progress | None, plan: SyncPlan, done: int) -> None:
    total = len(plan.read)
    if progress is not None and total:
        progress(min(done, total), total, plan.read[done].path if done < total else "")


def _run_problem(problem: ScanProblem) -> RunProblem:
    return RunProblem(problem.path, 0, problem.code, parameters_of(problem))


def _finish(
    recorder: Recorder,
    files: int,
    problems: list[ScanProblem],
    started: float,
    at: datetime,
) -> SyncReport:
    workspace, run = recorder.workspace, recorder.run
    problems_found = [_run_problem(problem) for problem in problems]
    if run is not None:
        problems_found += [
            RunProblem(row.path, row.line, row.code_name, row.parameters)
            for row in _PROBLEMS_OF(workspace.pk, run.number)
        ]
    seconds = time.perf_counter() - started
    recorder.finish(at, files=files, problems=len(problems_found), seconds=seconds)
    if run is None:
        return SyncReport(
            workspace.last_run, files, problems=tuple(problems_found), seconds=seconds
        )
    return SyncReport(
        number=run.number,
        files=files,
        added=run.added,
        changed=run.changed,
        moved=run.moved,
        deleted=run.deleted,
        problems=tuple(problems_found),
        seconds=seconds,
    )


#: The problems of the versions that a run recorded.
_PROBLEMS_OF: Prepared[Problem] = Prepared(
    lambda workspace_id, number: Problem.objects.filter(
        workspace_id=workspace_id, run_number=number, seq__isnull=False
    ).order_by("path", "line"),
    int,
    int,
)


def _follow_up(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Run the registered follow-ups of a sync; return the problems they report.

    The caller holds no lock of the workspace: follow-ups may write to it and to others.
    """
    problems_found = []
    for known in follow_ups():
        work: Callable[[Workspace, datetime], list[ScanProblem]]
        work = resolve_name(known.work)
        problems = work(workspace, at)
        if known.codes:
            note_problems(workspace, problems, at, only=known.codes)
        problems_found += problems
    return problems_found
