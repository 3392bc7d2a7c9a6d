"""Recording of a sync's files with their rows, one transaction per batch.

Outside a sync each version and operation is recorded with its rows, in a transaction of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import DONE, fact_of, record_facts
from memoryhub.disk.files import FileBytes, Stamp
from memoryhub.events.importers import add_operation_event, add_run_event
from memoryhub.journal.blobs import store_in
from memoryhub.journal.models import (
    Agent,
    FileStat,
    Operation,
    Revision,
    SyncRun,
    Workspace,
)
from memoryhub.journal.ownership import is_agent, names_of_people
from memoryhub.journal.packing import pack
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.reading import read_document
from memoryhub.journal.rows import Rows
from memoryhub.sync.read.garbage import collected_by_batch
from memoryhub.sync.read.reader import NewVersion, ReadBatch, base_of_tail
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


#: Fields of an operation that depend on the bytes it is written to.
_MADE_OF_BYTES = (
    "state", "base", "after", "inverse", "before_sha", "after_sha", "version_seq",
)  # fmt: skip


@contextmanager
def next_seqs(workspace: Workspace, count: int) -> Iterator[range]:
    """Allocate the next seqs of the journal, in a transaction.

    For entries without rows of their own, such as operations still pending.
    """
    with transaction.atomic(savepoint=False):
        workspace.refresh_from_db(fields=["last_seq", "projected_seq"])
        first = workspace.last_seq + 1
        if workspace.projected_seq == workspace.last_seq:
            workspace.projected_seq += count
        workspace.last_seq += count
        yield range(first, first + count)
        _store_seqs(workspace)


def _store_seqs(workspace: Workspace) -> None:
    """Write how far the journal and its rows have come."""
    rows, seqs = Rows(), (workspace.last_seq, workspace.projected_seq)
    rows.update(Workspace, workspace.pk, last_seq=seqs[0], projected_seq=seqs[1])
    rows.flush()


class Lone(NamedTuple):
    """A version of a file found outside a sync, with the operations that wrote it.

    `data` is None for a deleted file.
    """

    path: str
    data: FileBytes | None
    kind: Revision.Kind
    operations: Sequence[Operation] = ()


@collected_by_batch()
def record_versions(workspace: Workspace, found: Sequence[Lone], at: datetime) -> None:
    """Record versions outside a sync, in one transaction and in their order.

    A version equal to the newest is not recorded again. During a replay its rows are
    left to it.
    """
    fresh = [
        version
        for version in found
        if version.operations
        or _is_new(known_file(workspace, version.path), version.data)
    ]
    if not fresh:
        return
    with transaction.atomic():
        workspace.refresh_from_db()
        is_current = workspace.projected_seq == workspace.last_seq
        rows = Rows()
        people = names_of_people()
        entries: list[Entry] = []
        paths: set[str] = set()
        for version in fresh:
            if version.path in paths:
                # Its stats are those of the version before.
                rows.flush()
            paths.add(version.path)
            if entry := _record(workspace, version, at, rows, people):
                entries.append(entry)
        rows.flush()
        if entries and is_current:
            project_all(workspace, Projection(workspace, people=people), entries)
            workspace.projected_seq = workspace.last_seq
        _store_seqs(workspace)


def _record(
    workspace: Workspace,
    version: Lone,
    at: datetime,
    rows: Rows,
    people: frozenset[str],
) -> Entry | None:
    """Record a version in the journal; return None if there is nothing to record."""
    path, data, kind, operations = version
    before = known_file(workspace, path)
    is_new = _is_new(before, data)
    if not operations and (not is_new or _is_pending(workspace, path, data)):
        return None
    entry = None
    if is_new:
        workspace.last_seq += 1
        actor = operations[0].actor if operations else ""
        entry = Entry(workspace.last_seq, kind.value, path, at, actor=actor)
        if data is not None:
            entry = _stored(workspace, entry, data, before)
        add_revision(rows, workspace, None, entry)
        if data is not None:
            note_stats(workspace, [(entry.path, data.stamp)], data.mtime_ns, rows)
        else:
            FileStat.objects.filter(workspace=workspace, path=entry.path).delete()
    for operation in operations:
        version_seq = entry.seq if entry else _read_as(workspace, operation)
        _note_written(workspace, operation, data, version_seq, rows, people)
    audit_operations(workspace, operations, DONE)
    return entry


def known_file(workspace: Workspace, path: str) -> KnownFile | None:
    """Return the newest recorded state of a file; None if there is none."""
    rows = _KNOWN(workspace.pk, path)
    return KnownFile(*rows[0]) if rows else None


_KNOWN = Prepared(
    lambda workspace_id, path: FileStat.objects.filter(
        workspace_id=workspace_id, path=path
    ).values_list(*KnownFile._fields),
    int,
    str,
)


def _is_new(before: KnownFile | None, data: FileBytes | None) -> bool:
    return (before.sha256 if before else "") != (data.sha256 if data else "")


def _is_pending(workspace: Workspace, path: str, data: FileBytes | None) -> bool:
    """Return whether a pending operation will record this version itself."""
    if data is None:
        return False
    pending = Operation.objects.filter(
        workspace=workspace,
        state=Operation.State.PENDING,
        target=path,
        after_sha=data.sha256,
    )
    return pending.exists()


def _read_as(workspace: Workspace, operation: Operation) -> int | None:
    """Return the seq of the operation's version if it was recorded as read."""
    versions = Revision.objects.filter(
        workspace=workspace, path=operation.target, seq__gt=operation.seq
    )
    newest = versions.order_by("-seq").first()
    return newest.seq if newest and not newest.actor else None


def _note_written(
    workspace: Workspace,
    operation: Operation,
    data: FileBytes | None,
    version_seq: int | None,
    rows: Rows,
    people: frozenset[str],
) -> None:
    """Mark an operation as applied; add its event if the replay is past it."""
    operation.state = Operation.State.APPLIED
    operation.after_sha = data.sha256 if data else ""
    operation.version_seq = version_seq
    values = {name: getattr(operation, name) for name in _MADE_OF_BYTES}
    rows.update(Operation, operation.pk, **values)
    if operation.seq > workspace.projected_seq:
        return
    acts = is_agent(operation.actor, people)
    agent_id = _acted(workspace, operation) if acts else None
    uuid = workspace.uuid.bytes
    add_operation_event(rows, workspace.pk, uuid, operation, agent_id)


def audit_operations(
    workspace: Workspace, operations: Sequence[Operation], outcome: str
) -> None:
    """Record operations in the audit log, in the transaction that saves them."""
    facts = []
    for operation in operations:
        origin = operation.origin or current_origin()
        origin.entries += 1
        facts.append(
            fact_of(
                f"write.{operation.verb}",
                workspace=workspace.slug,
                subject=operation.target,
                outcome=outcome,
                actor=operation.actor,
                origin=origin,
            )
        )
    if facts:
        record_facts(facts)


def _acted(workspace: Workspace, operation: Operation) -> int:
    """Return the id of the acting agent's row, created if missing."""
    name, seq = operation.actor, operation.seq
    row_id = derive(workspace.uuid.bytes, Agent.__name__, name)
    known = _FIRST_SEQ(row_id)
    if not known:
        Agent.objects.create(id=row_id, workspace=workspace, name=name, first_seq=seq)
    elif known[0] > seq:
        # A file named the agent while the operation was pending.
        Agent.objects.filter(pk=row_id).update(first_seq=seq)
    return row_id


_FIRST_SEQ: Prepared[int] = Prepared(
    lambda row_id: Agent.objects.filter(pk=row_id).values_list("first_seq", flat=True),
    int,
)


def record_operation(workspace: Workspace, operation: Operation) -> None:
    """Record an operation that writes no file, with its rows.

    During a replay its rows are left to it.
    """
    with transaction.atomic():
        workspace.refresh_from_db()
        is_current = workspace.projected_seq == workspace.last_seq
        projection = Projection(workspace) if is_current else None
        workspace.last_seq += 1
        operation.seq = workspace.last_seq
        operation.state = Operation.State.APPLIED
        operation.save()
        audit_operations(workspace, [operation], DONE)
        if projection is not None:
            projection.project_operation(operation)
            projection.flush()
            workspace.projected_seq = workspace.last_seq
        _store_seqs(workspace)


def _stored(
    workspace: Workspace, entry: Entry, data: FileBytes, before: KnownFile | None
) -> Entry:
    """Read a version and store its bytes, unless they were forgotten."""
    base = base_of_tail(before, data.size)
    packed = pack(data.data, data.sha256, base)
    ids, again = store_in(workspace.pk, [packed])
    known = base.identified if base else None
    reading = read_document(workspace.root, entry.path, data.data, known)
    blob = ids[data.sha256], data.size
    entry = replace(entry, blob=blob, reading=reading, mtime_ns=data.mtime_ns)
    return come_again(workspace.root, entry) if again else entry
