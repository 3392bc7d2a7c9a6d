"""Record what a sync read into the journal, with its rows, one transaction a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from memoryhub.files import FileBytes, Stamp
from memoryhub.identity import derive
from memoryhub.sync.plan import KnownFile
from memoryhub.sync.projection import Entry, Projection
from memoryhub.sync.reader import NewVersion, ReadBatch
from memoryhub.sync.scan import FoundFile
from memoryhub.timeline.importers import add_operation_event, add_run_event
from memoryhub.workspaces.journal import predecessor, store
from memoryhub.workspaces.models import (
    Agent,
    FileStat,
    Operation,
    Revision,
    SyncRun,
    Workspace,
)
from memoryhub.workspaces.packing import Predecessor, pack
from memoryhub.workspaces.reading import read_document
from memoryhub.workspaces.rows import Rows

#: A file whose time is this near to the scan may change again within one tick.
_RACY_NS = 2_000_000_000


@dataclass(slots=True)
class Recorder:
    """Writes what one sync found; makes the run when there is something to write."""

    workspace: Workspace
    scanned_ns: int
    started_at: datetime
    run: SyncRun | None = None
    _projection: Projection | None = None
    _projected_seq: int = -1

    def record(self, batch: ReadBatch, at: datetime) -> list[FoundFile]:
        """Record the new versions of a batch, and what its files look like on disk.

        Return the files to read again: others recorded a version of them meanwhile,
        and which is the newer one nobody can tell.
        """
        with transaction.atomic():
            now = self._recorded_now(batch)
            fresh = [v for v in batch.versions if now(v.found) == v.known_sha]
            if fresh:
                self._record_versions(fresh, at)
            stats = [(v.found.path, v.stamp) for v in fresh]
            stats += [
                (found.path, stamp)
                for found, stamp in batch.touched
                if now(found) == stamp.sha256
            ]
            _note_stats(self.workspace, stats, self.scanned_ns)
        return [v.found for v in batch.versions if now(v.found) != v.known_sha]

    def _recorded_now(self, batch: ReadBatch) -> Callable[[FoundFile], str]:
        """Return what gives the hash of a file's newest version in the journal."""
        files = [v.found for v in batch.versions] + [
            found for found, _ in batch.touched
        ]
        rows = FileStat.objects.filter(
            workspace=self.workspace, path__in=[file.path for file in files]
        )
        shas = dict(rows.values_list("path", "sha256"))
        return lambda file: shas.get(file.path, "")

    def record_gone(self, known: Mapping[str, KnownFile], at: datetime) -> None:
        """Record that files are no longer there, but for those an edit made anew."""
        if not known:
            return
        with transaction.atomic():
            paths = self._still_as(known)
            if not paths:
                return
            run = self._begin()
            projection = self._current_projection()
            rows = Rows()
            for path in paths:
                entry = self._entry(Revision.Kind.DELETED, path, at)
                _add_revision(rows, self.workspace, run, entry)
                projection.project(entry)
            run.deleted += len(paths)
            FileStat.objects.filter(workspace=self.workspace, path__in=paths).delete()
            self._commit(rows, projection)

    def _still_as(self, known: Mapping[str, KnownFile]) -> list[str]:
        rows = FileStat.objects.filter(workspace=self.workspace, path__in=known)
        stats = rows.values_list("path", "size", "mtime_ns", "sha256")
        return sorted(path for path, *now in stats if [*known[path][:3]] == now)

    def finish(
        self, at: datetime, *, files: int, problems: int, seconds: float
    ) -> None:
        """Close the run, if there is one, and note when the hub looked."""
        with transaction.atomic():
            Workspace.objects.filter(pk=self.workspace.pk).update(checked_at=at)
            if self.run is not None:
                self.run.files = files
                self.run.problem_count = problems
                self.run.seconds = seconds
                self.run.finished_at = at
                self.run.last_seq = self._projected_seq
                self.run.save()
                projection = self._current_projection()
                projection.project_run(self.run)
                projection.flush()
        self.workspace.refresh_from_db()

    def close_interrupted(self) -> None:
        """Close the runs that a kill left open; what they recorded was complete."""
        left_open = self.workspace.runs.filter(finished_at__isnull=True)
        if not left_open.exists():
            return
        with transaction.atomic():
            rows = Rows()
            for run in left_open:
                last = run.revisions.order_by("-seq").first()
                run.finished_at = last.recorded_at if last else run.started_at
                run.last_seq = last.seq if last else None
                run.save()
                if last is not None:
                    uuid = self.workspace.uuid.bytes
                    add_run_event(rows, uuid, run, last.seq)
            rows.flush()

    def _record_versions(self, versions: Sequence[NewVersion], at: datetime) -> None:
        run = self._begin()
        projection = self._current_projection()
        blob_ids = store(version.packed for version in versions)
        rows = Rows()
        for version in versions:
            entry = self._entry(
                Revision.Kind.MOVED if version.moved_from else Revision.Kind.SEEN,
                version.found.path,
                at,
                version,
                blob_ids[version.stamp.sha256],
            )
            _add_revision(rows, self.workspace, run, entry, version.stamp.mtime_ns)
            projection.project(entry)
            _count(run, version)
        moved = [version.moved_from for version in versions if version.moved_from]
        FileStat.objects.filter(workspace=self.workspace, path__in=moved).delete()
        self._commit(rows, projection)

    def _begin(self) -> SyncRun:
        """Read the workspace under the write lock; make the run at its first entry."""
        self.workspace.refresh_from_db()
        if self.run is None:
            self.workspace.last_run += 1
            self.run = SyncRun.objects.create(
                workspace=self.workspace,
                number=self.workspace.last_run,
                started_at=self.started_at,
            )
        return self.run

    def _current_projection(self) -> Projection:
        """Return the projection, a new one where others wrote in between."""
        seq = self.workspace.projected_seq
        if self._projection is None or seq != self._projected_seq:
            self._projection = Projection(self.workspace)
            self._projected_seq = seq
        return self._projection

    def _entry(
        self,
        kind: Revision.Kind,
        path: str,
        at: datetime,
        version: NewVersion | None = None,
        blob_id: int = 0,
    ) -> Entry:
        self.workspace.last_seq += 1
        return Entry(
            seq=self.workspace.last_seq,
            kind=kind.value,
            path=path,
            moved_from=version.moved_from if version else "",
            recorded_at=at,
            actor="",
            run_number=self.workspace.last_run,
            blob=(blob_id, version.stamp.size) if version else None,
            reading=version.reading if version else None,
        )

    def _commit(self, rows: Rows, projection: Projection) -> None:
        assert self.run is not None
        rows.flush()
        projection.flush()
        self.run.save()
        self.workspace.projected_seq = self.workspace.last_seq
        self._projected_seq = self.workspace.last_seq
        self.workspace.save(update_fields=["last_seq", "projected_seq", "last_run"])


def _note_stats(
    workspace: Workspace, stats: Iterable[tuple[str, Stamp]], scanned_ns: int
) -> None:
    """Keep what files looked like on disk when they were read."""
    rows = Rows()
    for path, stamp in stats:
        rows.upsert(
            FileStat,
            id=derive(workspace.uuid.bytes, "FileStat", path),
            workspace_id=workspace.pk,
            path=path,
            size=stamp.size,
            mtime_ns=stamp.mtime_ns,
            sha256=stamp.sha256,
            recheck=stamp.unstable or stamp.mtime_ns > scanned_ns - _RACY_NS,
        )
    rows.flush()


def _add_revision(
    rows: Rows,
    workspace: Workspace,
    run: SyncRun | None,
    entry: Entry,
    mtime_ns: int = 0,
) -> None:
    rows.insert(
        Revision,
        workspace_id=workspace.pk,
        seq=entry.seq,
        kind=entry.kind,
        path=entry.path,
        moved_from=entry.moved_from,
        blob_id=entry.blob[0] if entry.blob else None,
        mtime_ns=mtime_ns,
        recorded_at=entry.recorded_at,
        actor=entry.actor,
        run_id=run.pk if run else None,
    )


def _count(run: SyncRun, version: NewVersion) -> None:
    if version.moved_from:
        run.moved += 1
    elif version.is_new:
        run.added += 1
    else:
        run.changed += 1


@contextmanager
def next_seq(workspace: Workspace) -> Iterator[int]:
    """Give the next place in the journal, within a transaction that takes it.

    For an entry that has no rows of its own, such as an operation still pending.
    """
    with transaction.atomic():
        workspace.refresh_from_db(fields=["last_seq", "projected_seq"])
        is_current = workspace.projected_seq == workspace.last_seq
        workspace.last_seq += 1
        if is_current:
            workspace.projected_seq = workspace.last_seq
        yield workspace.last_seq
        workspace.save(update_fields=["last_seq", "projected_seq"])


def record_version(
    workspace: Workspace,
    path: str,
    data: FileBytes | None,
    kind: Revision.Kind,
    at: datetime,
    operation: Operation | None = None,
) -> None:
    """Record one version of a file outside a sync, with the operation that wrote it.

    Without `data` the file is no longer there. A version that the hub has already is
    not recorded again. Rows are left to the replay that is under way, if there is one.
    """
    with transaction.atomic():
        workspace.refresh_from_db()
        before = FileStat.objects.filter(workspace=workspace, path=path).first()
        is_new = (before.sha256 if before else "") != (data.sha256 if data else "")
        if operation is None and not is_new:
            return
        is_current = workspace.projected_seq == workspace.last_seq
        projection = Projection(workspace) if is_current else None
        if operation is not None:
            operation.state = Operation.State.APPLIED
            operation.save()
            if operation.seq <= workspace.projected_seq:
                # A replay has passed it while it was pending, or there is none.
                _tell_operation(workspace, operation)
        if is_new:
            entry = _lone_entry(workspace, path, data, kind, at)
            if operation is not None:
                entry = replace(entry, actor=operation.actor)
            if data is not None:
                entry = replace(entry, blob=_store_one(data, before))
            _write_lone(workspace, entry, data)
            if projection is not None:
                projection.project(entry)
        if projection is not None:
            projection.flush()
            workspace.projected_seq = workspace.last_seq
        workspace.save(update_fields=["last_seq", "projected_seq"])


def _tell_operation(workspace: Workspace, operation: Operation) -> None:
    rows = Rows()
    agents = Agent.objects.filter(
        workspace=workspace, name=operation.actor, first_seq__lt=operation.seq
    )
    agent_id = agents.values_list("pk", flat=True).first()
    add_operation_event(rows, workspace.pk, workspace.uuid.bytes, operation, agent_id)
    rows.flush()


def record_operation(workspace: Workspace, operation: Operation) -> None:
    """Record an operation that writes no file, with what it does to rows.

    Rows are left to the replay that is under way, if there is one.
    """
    with transaction.atomic():
        workspace.refresh_from_db()
        is_current = workspace.projected_seq == workspace.last_seq
        projection = Projection(workspace) if is_current else None
        workspace.last_seq += 1
        operation.seq = workspace.last_seq
        operation.state = Operation.State.APPLIED
        operation.save()
        if projection is not None:
            projection.project_operation(operation)
            projection.flush()
            workspace.projected_seq = workspace.last_seq
        workspace.save(update_fields=["last_seq", "projected_seq"])


def _tail_base(before: FileStat | None, data: FileBytes) -> Predecessor | None:
    if before is None or before.size >= data.size:
        return None
    return predecessor(before.sha256)


def _store_one(data: FileBytes, before: FileStat | None) -> tuple[int, int]:
    packed = pack(data.data, data.sha256, _tail_base(before, data))
    return store([packed])[data.sha256], data.size


def _lone_entry(
    workspace: Workspace,
    path: str,
    data: FileBytes | None,
    kind: Revision.Kind,
    at: datetime,
) -> Entry:
    workspace.last_seq += 1
    return Entry(
        seq=workspace.last_seq,
        kind=kind.value,
        path=path,
        moved_from="",
        recorded_at=at,
        actor="",
        run_number=None,
        blob=None,
        reading=read_document(path, data.data) if data else None,
    )


def _write_lone(workspace: Workspace, entry: Entry, data: FileBytes | None) -> None:
    rows = Rows()
    _add_revision(rows, workspace, None, entry, data.mtime_ns if data else 0)
    rows.flush()
    if data is not None:
        _note_stats(workspace, [(entry.path, data.stamp)], data.mtime_ns)
    else:
        FileStat.objects.filter(workspace=workspace, path=entry.path).delete()
