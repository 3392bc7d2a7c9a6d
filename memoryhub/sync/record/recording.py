"""Recording of a sync's files, one transaction per batch; of the first with its rows.

Outside a sync each version and operation is recorded with its rows, in a transaction of
its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import DONE, fact_of, record_facts
from memoryhub.disk.files import FileBytes
from memoryhub.events.importers import (
    add_operation_event,
    add_run_event,
    is_told_by_version,
)
from memoryhub.journal.blobs import store_in
from memoryhub.journal.models import (
    Agent,
    Blob,
    FileStat,
    Operation,
    Problem,
    Revision,
    SyncRun,
    Workspace,
)
from memoryhub.journal.ownership import is_agent, names_of_people
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.rows import Rows
from memoryhub.sync.read.reader import NewVersion, prepare
from memoryhub.sync.record.projection import Projection, Read, project_all
from memoryhub.sync.scan.plan import KnownFile
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
    projection: Projection | None = None

    def record(self, versions: Sequence[NewVersion], at: datetime) -> set[str]:
        """Record the new versions of a batch, and the stats of its files.

        Return the files to read again: another version was recorded meanwhile, and
        which is newer is unknown; or a pending operation writes the file, and the bytes
        read may be its own.
        """
        with transaction.atomic():
            shas = self._recorded_now(versions)
            written = self._being_written(versions)
            as_read = [
                version
                for version in versions
                if shas.get(version.path)
                == (version.before.sha256 if version.before else None)
            ]
            fresh = [v for v in as_read if v.packed and v.path not in written]
            if fresh:
                run = self._begin()
                moved = sum(bool(version.moved_from) for version in fresh)
                changed = sum(version.before is not None for version in fresh)
                run.moved += moved
                run.changed += changed
                run.added += len(fresh) - moved - changed
                self._add(run, fresh, at)
            rows = Rows()
            for version in as_read:
                if not version.packed and version.file:
                    stat = version.path, version.file
                    note_stat(rows, self.workspace, *stat, self.scanned_ns)
            rows.flush()
        recorded = {version.path for version in fresh}
        return {v.path for v in versions if v.packed and v.path not in recorded}

    def _being_written(self, versions: Iterable[NewVersion]) -> set[str]:
        """Return the paths of new versions with a pending operation."""
        paths = [version.path for version in versions if version.packed]
        return set(_WRITTEN_NOW(self.workspace.pk, json.dumps(paths)))

    def _recorded_now(self, versions: Iterable[NewVersion]) -> dict[str, str]:
        """Return the hashes of the files' newest versions in the journal."""
        paths = [version.path for version in versions]
        return dict(_SHAS(self.workspace.pk, json.dumps(paths)))

    def record_gone(
        self, known: Mapping[str, KnownFile], at: datetime, actor: str = ""
    ) -> None:
        """Record missing files as deleted, except those an edit changed meanwhile.

        `actor` is the person who accepted that, if any.
        """
        if not known:
            return
        with transaction.atomic():
            if paths := self._still_as(known):
                run = self._begin()
                run.deleted += len(paths)
                deleted = Revision.Kind.DELETED
                gone = [NewVersion(path, deleted, None, actor=actor) for path in paths]
                self._add(run, gone, at)

    def _still_as(self, known: Mapping[str, KnownFile]) -> list[str]:
        rows = FileStat.objects.filter(workspace=self.workspace, path__in=known)
        stats = rows.values_list("path", "size", "mtime_ns", "sha256")
        return sorted(path for path, *now in stats if [*known[path][:3]] == now)

    def _begin(self) -> SyncRun:
        """Reload the workspace under the write lock; create the run if needed."""
        self.workspace.refresh_from_db()
        if self.run is None:
            self.workspace.last_run += 1
            self.workspace.save(update_fields=["last_run"])
            self.run = SyncRun.objects.create(
                workspace=self.workspace,
                number=self.workspace.last_run,
                started_at=self.started_at,
            )
        return self.run

    def _add(self, run: SyncRun, versions: Sequence[NewVersion], at: datetime) -> None:
        self.projection = _add(
            self.workspace, versions, at, self.scanned_ns, run, self.projection
        )
        run.save()

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
                _close(self.run, at)
        self.workspace.refresh_from_db()

    def close_interrupted(self) -> None:
        """Close the runs that a kill left open; their records are complete."""
        left_open = _LEFT_OPEN(self.workspace.pk)
        if not left_open:
            return
        with transaction.atomic():
            for run in left_open:
                found = Problem.objects.filter(workspace=self.workspace)
                run.problem_count = found.filter(run_number=run.number).count()
                _close(run)


_WRITTEN_NOW: Prepared[str] = Prepared(
    lambda workspace_id, paths: Operation.objects.filter(
        workspace_id=workspace_id,
        state=Operation.State.PENDING,
        target__in=listed(paths),
    ).values_list("target", flat=True),
    int,
    str,
)
_SHAS: Prepared[tuple[str, str]] = Prepared(
    lambda workspace_id, paths: FileStat.objects.filter(
        workspace_id=workspace_id, path__in=listed(paths)
    ).values_list("path", "sha256"),
    int,
    str,
)
_LEFT_OPEN: Prepared[SyncRun] = Prepared(
    lambda workspace_id: SyncRun.objects.filter(
        workspace_id=workspace_id, finished_at__isnull=True
    ),
    int,
)
#: The last version that a run recorded.
_LAST_OF: Prepared[Revision] = Prepared(
    lambda run_id: Revision.objects.filter(run_id=run_id).order_by("-seq")[:1], int
)


def _close(run: SyncRun, at: datetime | None = None) -> None:
    """Close a run at a time, that of its last record by default; add it as an event."""
    last = next(iter(_LAST_OF(run.pk)), None)
    run.finished_at = at or (last.recorded_at if last else run.started_at)
    run.last_seq = last.seq if last else None
    run.save()
    rows = Rows()
    add_run_event(rows, run)
    rows.flush()


def _add(
    workspace: Workspace,
    versions: Sequence[NewVersion],
    at: datetime,
    scanned_ns: int | None = None,
    run: SyncRun | None = None,
    projection: Projection | None = None,
) -> Projection | None:
    """Record versions with their rows, in a transaction that has read the workspace.

    Return the projection for further ones. Rows of versions that are not parsed, and of
    all during a replay, are left to `catch_up`.
    """
    is_current = workspace.projected_seq == workspace.last_seq
    added: list[Read] = []
    for some in _one_of_each(versions):
        added += _add_apart(workspace, some, at, scanned_ns, run)
    people = names_of_people()
    _tell_of(workspace, [o for v in versions for o in v.operations], people)
    is_parsed = all(v.reading is not None or not v.packed for v in versions)
    if added and is_current and is_parsed:
        if projection is None or projection.until != workspace.projected_seq:
            projection = Projection(workspace, people=people)
        projection = project_all(workspace, projection, added)
        workspace.projected_seq = workspace.last_seq
    _store_seqs(workspace)
    return projection


def _one_of_each(versions: Iterable[NewVersion]) -> Iterator[list[NewVersion]]:
    """Split versions so that none continues another one of its part."""
    part: dict[str, NewVersion] = {}
    for version in versions:
        if version.path in part:
            yield [*part.values()]
            part = {}
        part[version.path] = version
    yield [*part.values()]


def _add_apart(
    workspace: Workspace,
    versions: Sequence[NewVersion],
    at: datetime,
    scanned_ns: int | None,
    run: SyncRun | None,
) -> list[Read]:
    """Add versions of different files to the journal, without their rows."""
    wanted = [v for v in versions if v.packed or _is_wanted(workspace, v)]
    packed = [version.packed for version in wanted if version.packed]
    ids, again = store_in(workspace.pk, packed)
    left = {v.moved_from if v.file else v.path for v in wanted} - {""}
    if left:
        FileStat.objects.filter(workspace=workspace, path__in=left).delete()
    rows = Rows()
    added: list[Read] = []
    for version in wanted:
        seq, file = None, version.file
        if version.is_new:
            workspace.last_seq = seq = workspace.last_seq + 1
            reading = version.reading
            revision = _revision(workspace, seq, version, at, run)
            if file:
                revision.blob = Blob(ids[file.sha256], size=file.size)
                note_stat(rows, workspace, version.path, file, scanned_ns)
                if file.sha256 in again:
                    # Its bytes were forgotten before it came again.
                    revision.blob.encoding, reading = Blob.Encoding.GONE, None
            rows.add(Revision, {name: getattr(revision, name) for name in _COLUMNS})
            added.append((revision, reading))
        for operation in version.operations:
            version_seq = seq or _read_as(workspace, operation)
            _note_written(operation, file, version_seq, rows)
        audit_operations(workspace, version.operations, DONE)
    rows.flush()
    return added


#: Columns of a revision but its id, which the database assigns.
_COLUMNS = [
    field.attname for field in Revision._meta.concrete_fields if not field.primary_key
]


def _revision(
    workspace: Workspace,
    seq: int,
    version: NewVersion,
    at: datetime,
    run: SyncRun | None,
) -> Revision:
    operations = version.operations
    return Revision(
        workspace_id=workspace.pk,
        seq=seq,
        kind=version.kind.value,
        path=version.path,
        moved_from=version.moved_from,
        mtime_ns=version.file.mtime_ns if version.file else 0,
        recorded_at=at,
        actor=operations[0].actor if operations else version.actor,
        run=run,
    )


def _is_wanted(workspace: Workspace, version: NewVersion) -> bool:
    """Return whether a version found outside a sync is to be recorded; prepare it.

    The newest one is not recorded again, nor one that a pending operation will record.
    """
    version.before = known_file(workspace, version.path)
    if version.is_new and (file := version.file):
        if not version.operations and _is_pending(workspace, version.path, file):
            return False
        prepare(version, workspace.root, file.data)
    return version.is_new or bool(version.operations)


def note_stat(
    rows: Rows,
    workspace: Workspace,
    path: str,
    file: FileBytes,
    scanned_ns: int | None,
) -> None:
    """Save the file stats (size, time, hash) of the last reading.

    Without the time of a scan it may change again in any case.
    """
    is_racy = scanned_ns is None or file.mtime_ns > scanned_ns - _RACY_NS
    rows.upsert(
        FileStat,
        id=derive(workspace.uuid.bytes, "FileStat", path),
        workspace_id=workspace.pk,
        path=path,
        size=file.size,
        mtime_ns=file.mtime_ns,
        sha256=file.sha256,
        recheck=file.unstable or is_racy,
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


def record_versions(
    workspace: Workspace, found: Sequence[NewVersion], at: datetime
) -> None:
    """Record versions outside a sync, in one transaction and in their order.

    A version equal to the newest is not recorded again.
    """
    with transaction.atomic():
        workspace.refresh_from_db()
        _add(workspace, found, at)


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


def _is_pending(workspace: Workspace, path: str, data: FileBytes) -> bool:
    """Return whether a pending operation will record this version itself."""
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
    operation: Operation,
    data: FileBytes | None,
    version_seq: int | None,
    rows: Rows,
) -> None:
    """Mark an operation as applied."""
    operation.state = Operation.State.APPLIED
    operation.after_sha = data.sha256 if data else ""
    operation.version_seq = version_seq
    values = {name: getattr(operation, name) for name in _MADE_OF_BYTES}
    rows.update(Operation, operation.pk, **values)


def _tell_of(
    workspace: Workspace, operations: Iterable[Operation], people: frozenset[str]
) -> None:
    """Add the events of operations that the replay is past."""
    rows = Rows()
    for operation in operations:
        if operation.seq <= workspace.projected_seq:
            acts = is_agent(operation.actor, people)
            agent_id = _acted(workspace, operation) if acts else None
            if not is_told_by_version(operation):
                uuid = workspace.uuid.bytes
                add_operation_event(rows, workspace.pk, uuid, operation, agent_id)
    rows.flush()


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
