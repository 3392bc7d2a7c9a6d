"""Recording of a sync's files with their rows, one transaction per batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from memoryhub.disk.files import Stamp
from memoryhub.events.importers import add_run_event
from memoryhub.journal.blobs import store_in
from memoryhub.journal.models import FileStat, Operation, Revision, SyncRun, Workspace
from memoryhub.journal.rows import Rows
from memoryhub.sync.read.reader import NewVersion, ReadBatch
from memoryhub.sync.record.projection import Entry, Projection, come_again, project_all
from memoryhub.sync.scan.plan import KnownFile
from memoryhub.sync.scan.walk import FoundFile
from memoryhub.values.identity import derive

#: Nanoseconds: a file modified this shortly before the scan may change again within one
#: clock tick.
_RACY_NS = 2_000_000_000


@dataclass(slots=True)
class Recorder:
    """Recorder of one sync; creates the run with its first entry."""

    workspace: Workspace
    scanned_ns: int
    started_at: datetime
    run: SyncRun | None = None
    _projection: Projection | None = None
    _projected_seq: int = -1

    def record(self, batch: ReadBatch, at: datetime) -> list[FoundFile]:
        """Record the new versions of a batch, and the file stats.

        Return the files to read again: another version was recorded meanwhile, and
        which is newer is unknown; or a pending operation writes the file, and the bytes
        read may be its own.
        """
        with transaction.atomic():
            now = self._recorded_now(batch)
            written = self._being_written(batch)
            fresh = [
                version
                for version in batch.versions
                if now(version.found) == version.known_sha
                and version.found.path not in written
            ]
            if fresh:
                self._record_versions(fresh, at)
            stats = [(v.found.path, v.stamp) for v in fresh]
            stats += [
                (found.path, stamp)
                for found, stamp in batch.touched
                if now(found) == stamp.sha256
            ]
            rows = Rows()
            note_stats(self.workspace, stats, self.scanned_ns, rows)
            rows.flush()
        recorded = {version.found.path for version in fresh}
        return [v.found for v in batch.versions if v.found.path not in recorded]

    def _being_written(self, batch: ReadBatch) -> set[str]:
        """Return the paths of new versions with a pending operation."""
        paths = [version.found.path for version in batch.versions]
        pending = Operation.objects.filter(
            workspace=self.workspace, state=Operation.State.PENDING, target__in=paths
        )
        return set(pending.values_list("target", flat=True))

    def _recorded_now(self, batch: ReadBatch) -> Callable[[FoundFile], str]:
        """Return a lookup of the hash of a file's newest version in the journal."""
        files = [v.found for v in batch.versions] + [
            found for found, _ in batch.touched
        ]
        rows = FileStat.objects.filter(
            workspace=self.workspace, path__in=[file.path for file in files]
        )
        shas = dict(rows.values_list("path", "sha256"))
        return lambda file: shas.get(file.path, "")

    def record_gone(
        self, known: Mapping[str, KnownFile], at: datetime, actor: str = ""
    ) -> None:
        """Record missing files as deleted, except those an edit changed meanwhile.

        `actor` is the person who accepted that, if any.
        """
        if not known:
            return
        with transaction.atomic():
            paths = self._still_as(known)
            if not paths:
                return
            run = self._begin()
            rows, entries = Rows(), []
            for path in paths:
                entry = self._entry(Revision.Kind.DELETED, path, at)
                entries.append(replace(entry, actor=actor))
                add_revision(rows, self.workspace, run, entries[-1])
            run.deleted += len(paths)
            FileStat.objects.filter(workspace=self.workspace, path__in=paths).delete()
            self._commit(rows, entries)

    def _still_as(self, known: Mapping[str, KnownFile]) -> list[str]:
        rows = FileStat.objects.filter(workspace=self.workspace, path__in=known)
        stats = rows.values_list("path", "size", "mtime_ns", "sha256")
        return sorted(path for path, *now in stats if [*known[path][:3]] == now)

    def finish(
        self, at: datetime, *, files: int, problems: int, seconds: float
    ) -> None:
        """Close the run, if any, and set the workspace's last check time."""
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
        """Close the runs that a kill left open; their records are complete."""
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
        ids, again = store_in(self.workspace.pk, (v.packed for v in versions))
        rows, entries = Rows(), []
        for version in versions:
            kind = Revision.Kind.MOVED if version.moved_from else Revision.Kind.SEEN
            entry = replace(
                self._entry(kind, version.found.path, at),
                moved_from=version.moved_from,
                blob=(ids[version.stamp.sha256], version.stamp.size),
                reading=version.reading,
                mtime_ns=version.stamp.mtime_ns,
            )
            if version.stamp.sha256 in again:
                entry = come_again(self.workspace.root, entry)
            add_revision(rows, self.workspace, run, entry)
            entries.append(entry)
            if version.moved_from:
                run.moved += 1
            elif version.is_new:
                run.added += 1
            else:
                run.changed += 1
        moved = [version.moved_from for version in versions if version.moved_from]
        FileStat.objects.filter(workspace=self.workspace, path__in=moved).delete()
        self._commit(rows, entries)

    def _begin(self) -> SyncRun:
        """Reload the workspace under the write lock; create the run if needed."""
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
        """Return the projection, a new one if others wrote in between."""
        seq = self.workspace.projected_seq
        if self._projection is None or seq != self._projected_seq:
            self._projection = Projection(self.workspace)
            self._projected_seq = seq
        return self._projection

    def _entry(self, kind: Revision.Kind, path: str, at: datetime) -> Entry:
        self.workspace.last_seq += 1
        seq, run_number = self.workspace.last_seq, self.workspace.last_run
        return Entry(seq, kind.value, path, at, run_number=run_number)

    def _commit(self, rows: Rows, entries: Sequence[Entry]) -> None:
        assert self.run is not None
        rows.flush()
        projection = self._current_projection()
        self._projection = project_all(self.workspace, projection, entries)
        self.run.save()
        self.workspace.projected_seq = self.workspace.last_seq
        self._projected_seq = self.workspace.last_seq
        self.workspace.save(update_fields=["last_seq", "projected_seq", "last_run"])


def note_stats(
    workspace: Workspace,
    stats: Iterable[tuple[str, Stamp]],
    scanned_ns: int,
    rows: Rows,
) -> None:
    """Save the file stats (size, time, hash) of the last reading."""
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


def add_revision(
    rows: Rows, workspace: Workspace, run: SyncRun | None, entry: Entry
) -> None:
    rows.insert(
        Revision,
        workspace_id=workspace.pk,
        seq=entry.seq,
        kind=entry.kind,
        path=entry.path,
        moved_from=entry.moved_from,
        blob_id=entry.blob[0] if entry.blob else None,
        mtime_ns=entry.mtime_ns,
        recorded_at=entry.recorded_at,
        actor=entry.actor,
        run_id=run.pk if run else None,
    )
