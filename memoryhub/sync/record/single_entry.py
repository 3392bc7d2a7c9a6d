"""Recording of single versions and operations, outside a sync.

Each is recorded with its rows, in a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import DONE, fact_of, record_facts
from memoryhub.disk.files import FileBytes
from memoryhub.events.importers import add_operation_event
from memoryhub.journal.blobs import store_in
from memoryhub.journal.models import Agent, FileStat, Operation, Revision, Workspace
from memoryhub.journal.ownership import is_agent, names_of_people
from memoryhub.journal.packing import pack
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.reading import read_document
from memoryhub.journal.rows import Rows
from memoryhub.sync.read.garbage import collected_by_batch
from memoryhub.sync.read.reader import base_of_tail
from memoryhub.sync.record.projection import Entry, Projection, come_again, project_all
from memoryhub.sync.record.recording import add_revision, note_stats
from memoryhub.sync.scan.plan import KnownFile
from memoryhub.values.identity import derive

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
    packed = pack(data.data, data.sha256, base_of_tail(before, data.size))
    ids, again = store_in(workspace.pk, [packed])
    reading = read_document(workspace.root, entry.path, data.data)
    blob = ids[data.sha256], data.size
    entry = replace(entry, blob=blob, reading=reading, mtime_ns=data.mtime_ns)
    return come_again(workspace.root, entry) if again else entry
