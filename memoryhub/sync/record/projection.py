"""Projection of the journal to rows: all importers in order, per entry; replay.

Rows are a function of the journal and the workspace's settings alone. State in memory
is a cache of the database.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import PurePosixPath
from typing import TypeAlias

from django.apps import apps
from django.db import InterfaceError, OperationalError, models, transaction
from django.db.models import F

from memoryhub.dialects.registry import by_name
from memoryhub.events.importers import (
    add_file_event,
    add_operation_event,
    add_run_event,
    is_told_by_version,
    untold_of,
)
from memoryhub.journal.blobs import CorruptBlob, Gone, NoBytes, blob_bytes
from memoryhub.journal.changes import (
    Change,
    WorkspaceFacts,
    pointed_notes,
)
from memoryhub.journal.importers.losses import text_of
from memoryhub.journal.importing import Session, importers
from memoryhub.journal.models import (
    Blob,
    Operation,
    Problem,
    Revision,
    SourceFile,
    Tombstone,
    Workspace,
)
from memoryhub.journal.models.projections import DerivedModel, FileStat
from memoryhub.journal.problems import (
    BRING_BACK,
    CLEAR,
    NO_ROWS,
    open_problems,
    project_clearing,
)
from memoryhub.journal.reading import Reading, read_document, unreadable_version
from memoryhub.journal.rows import Rows
from memoryhub.journal.untimed import time_on_disk
from memoryhub.people.roles import is_team
from memoryhub.sync.record.ahead import Ahead, Version

#: Increase when importers give different rows for the same journal: every workspace is
#: then projected anew at its next sync.
PROJECTION_VERSION = 89

#: Journal entries of one transaction of a rebuild, and the bytes of their files: others
#: wait to write meanwhile.
_REPLAY_BATCH, _REPLAY_BYTES = 30, 500_000
#: Entries from which on another process parses ahead: its start takes a tenth of a
#: second, as long as a dozen files.
_MANY = 200
#: Failures of the machine, unrelated to the file being imported.
_OF_THE_MACHINE = (OperationalError, InterfaceError, MemoryError)
_log = logging.getLogger(__name__)


#: A revision with its reading, if it was just read.
Read: TypeAlias = tuple[Revision, Reading | None]


def projected() -> tuple[type[models.Model], ...]:
    """Return the models whose tables a rebuild empties."""
    return tuple(
        model
        for model in apps.get_models()
        if issubclass(model, DerivedModel) and model not in (FileStat, Problem)
    )


def conclude(workspace: Workspace) -> None:
    """Have all importers write the rows that depend on all others."""
    for importer in importers():
        importer.conclude(workspace)


class Projection:
    """One session of turning journal entries into rows.

    It must see every entry of the workspace behind `until` in order, within
    transactions that hold the write lock; `flush` at the end of each.
    """

    def __init__(
        self,
        workspace: Workspace,
        until: int | None = None,
        people: frozenset[str] | None = None,
    ) -> None:
        facts = WorkspaceFacts.of(workspace, people)
        self.until = workspace.projected_seq if until is None else until
        self._workspace = facts
        self._rows = Rows()
        self._touched: set[str] = set()
        self._written: list[Change] = []
        self._session = Session(facts, self.until)
        self._files, self._agents = self._session.files, self._session.agents

    @property
    def root(self) -> str:
        return self._workspace.root

    def project(self, revision: Revision, reading: Reading | None = None) -> None:
        """Project one revision; without a reading its bytes are read."""
        path, moved_from, blob = revision.path, revision.moved_from, revision.blob
        reading = reading or self.read(revision)
        if path in self._touched or moved_from in self._touched:
            self.flush()
        self._touched |= {path, moved_from} - {""}
        gone = blob is not None and blob.encoding == Blob.Encoding.GONE
        if reading is not None and not gone:
            reading = self._files.as_stated(path, reading)
        change = self._change(revision, reading)
        if blob and reading and not self._stands(change, revision, reading):
            whole = Blob.objects.select_related("base").get(pk=blob.pk)
            reading = _reading_of(self.root, path, whole)
            change = self._change(revision, reading)
        if gone:
            self._files.pass_over(change, reading, blob, again=_is_again(revision))
            add_file_event(change)
            self._note_written(change)
            return
        self._files.take(change, reading, blob)
        if revision.kind == Revision.Kind.MOVED:
            self._files.leave(moved_from)
        self._agents.take(change)
        for importer in self._session:
            importer.take(change)
        self._note_written(change)
        is_told = change.is_told or change.told_later
        if not is_told or revision.kind == Revision.Kind.MOVED:
            add_file_event(change)

    def look_up(self, paths: Iterable[str]) -> None:
        """Read the rows of the files at paths ahead of their versions."""
        self._files.look_up(paths)

    def is_new(self, path: str) -> bool:
        """Return whether no file at a path has a row yet."""
        return self._files.known(path) is None

    def read(self, revision: Revision) -> Reading | None:
        """Read the bytes of a stored revision; None for a deleted file."""
        blob = revision.blob
        if blob is None:
            return None
        is_whole = blob.encoding == Blob.Encoding.GONE or revision.moved_from
        before = None if is_whole else self._version_before(revision.path)
        return _reading_of(self.root, revision.path, blob, before)

    def project_operation(self, operation: Operation) -> None:
        """Project an operation."""
        agent_id = self._agents.acted(operation.actor, operation.seq)
        if not is_told_by_version(operation):
            self._tell_of(operation, agent_id)
        for importer in self._session:
            if operation.verb in importer.verbs:
                self.flush()
                importer.take_operation(operation)
        if operation.verb in (CLEAR, BRING_BACK):
            self.flush()
            project_clearing(operation)

    def flush(self) -> None:
        """Write all rows collected so far."""
        self._files.flush(self._rows)
        for importer in self._session:
            importer.flush(self._rows)
        for operation in untold_of(self._written):
            agent_id = self._agents.acted(operation.actor, operation.seq)
            self._tell_of(operation, agent_id)
        self._agents.flush(self._rows)
        self._rows.flush()
        self._written.clear()
        self._touched.clear()

    def _note_written(self, change: Change) -> None:
        """Note a version that was written through the hub."""
        if change.actor:
            self._written.append(change)

    def _tell_of(self, operation: Operation, agent_id: int | None) -> None:
        place = self._workspace.id, self._workspace.uuid
        add_operation_event(self._rows, *place, operation, agent_id)

    def _version_before(self, path: str) -> tuple[int, bytes] | None:
        """Return blob and bytes of the present version of a log, if it can be read."""
        if path in self._touched:
            self.flush()
        row = self._files.known(path)
        if row is None or not by_name(row["format"]).append_only:
            return None
        with suppress(NoBytes, Blob.DoesNotExist):
            blob = Blob.objects.select_related("base").get(pk=row["blob_id"])
            return row["blob_id"], blob_bytes(blob)
        return None

    def _stands(self, change: Change, revision: Revision, reading: Reading) -> bool:
        """Return whether the rows stand that a reading goes on from, if from any."""
        if not reading.goes_on:
            return True
        row = self._files.known(revision.path)
        assert row is not None
        before = row["blob_id"], row["format"], row["role"], row["present"]
        return (
            before == (reading.goes_on, reading.format, change.role, True)
            and not revision.moved_from
            and not any(o.first < change.since <= o.last for o in change.secrets)
            and not any(
                p.code_name in NO_ROWS for p in open_problems(change, revision.path)
            )
        )

    def _change(self, revision: Revision, reading: Reading | None) -> Change:
        before = self._files.known(revision.moved_from or revision.path)
        if before is None:
            file_id, origin = self._files.name(revision.path, revision.seq)
        else:
            file_id, origin = before["id"], before["origin"]
        dialect, text = (reading.format, reading.text) if reading else ("", "")
        role = self._workspace.role_of(revision.path, dialect, text)
        return Change(
            workspace=self._workspace,
            rows=self._rows,
            seq=revision.seq,
            recorded_at=revision.recorded_at,
            changed_at=time_on_disk(revision.mtime_ns, revision.recorded_at),
            run_number=revision.run.number if revision.run else None,
            actor=revision.actor,
            kind=revision.kind,
            path=revision.path,
            pure_path=reading.path if reading else PurePosixPath(revision.path),
            file_id=file_id,
            origin=origin,
            text=reading.stated if reading else "",
            document=reading.taken_as(role) if reading else None,
            role=role,
            secrets=reading.secrets if reading else (),
            fresh=before is None,
            previous_format=before["format"] if before else "",
            previous_path=before["path"] if before else "",
            previous_seq=before["seq"] if before else 0,
            previous_at=before["recorded_at"] if before else None,
            assigned=self._session.assigned,
            accepted=self._session.accepted,
        )


def project_all(
    workspace: Workspace, projection: Projection, items: Sequence[Read | Operation]
) -> Projection:
    """Project journal entries; return the projection for further ones.

    A version whose import raises gives only the problem ``not-imported``; the others
    are imported as if it were empty.
    """
    try:
        _project(projection, items)
    except _OF_THE_MACHINE:
        raise
    except Exception:
        for item in items:
            seq = _seq_of(item)
            projection = Projection(workspace, seq - 1)
            try:
                _project(projection, [item])
            except _OF_THE_MACHINE:
                raise
            except Exception as error:
                if isinstance(item, Operation):
                    raise
                projection = Projection(workspace, seq - 1)
                revision = item[0]
                reading = item[1] or projection.read(revision)
                if reading is None:
                    raise
                _log.exception("%s (seq %d) could not be imported", revision.path, seq)
                _project(projection, [(revision, reading.not_imported(error))])
    return projection


def _seq_of(item: Read | Operation) -> int:
    return item.seq if isinstance(item, Operation) else item[0].seq


def _project(projection: Projection, items: Sequence[Read | Operation]) -> None:
    """Project all entries in one transaction."""
    with transaction.atomic():
        projection.look_up(
            item[0].path for item in items if not isinstance(item, Operation)
        )
        for item in items:
            if isinstance(item, Operation):
                projection.project_operation(item)
            else:
                projection.project(*item)
        projection.flush()
    if items:
        projection.until = _seq_of(items[-1])


def current_version() -> int:
    """Return the version of rows as importers make them now.

    Negative in a team, where a file alone gives its workspace no part in others.
    """
    return -PROJECTION_VERSION if is_team() else PROJECTION_VERSION


def have_new_roles(workspace: Workspace, since: int) -> bool:
    """Return whether a change of ``MEMORY.md`` after a seq gives files other roles."""
    pointed = pointed_notes(workspace.pk)
    return are_other_roles(workspace, pointed ^ pointed_notes(workspace.pk, since))


def are_other_roles(workspace: Workspace, paths: Collection[str]) -> bool:
    """Return whether files at these paths would be read in another role now."""
    if not paths:
        return False
    facts = WorkspaceFacts.of(workspace)
    files = SourceFile.objects.filter(
        workspace=workspace, present=True, path__in=paths, blob__isnull=False
    )
    return any(
        file.role != facts.role_of(file.path, file.format, text_of(file.blob_id))
        for file in files
    )


def rebuild(
    workspace: Workspace, *, progress: Callable[[int, int], None] | None = None
) -> None:
    """Delete a workspace's projected rows and replay its journal.

    The caller holds the workspace's lock. Killed midway, the next `catch_up` continues
    where it stopped.
    """
    with transaction.atomic():
        for model in projected():
            model._default_manager.filter(workspace=workspace).delete()
        Problem.objects.filter(workspace=workspace, seq__isnull=False).delete()
        workspace.projected_seq = workspace.linked_seq = 0
        workspace.projection_version = current_version()
        workspace.handoff_changes = F("handoff_changes") + 1
        workspace.save(
            update_fields=[
                *("projected_seq", "linked_seq"),
                *("projection_version", "handoff_changes"),
            ]
        )
    catch_up(workspace, progress=progress)


def catch_up(
    workspace: Workspace, *, progress: Callable[[int, int], None] | None = None
) -> None:
    """Project the journal entries that have no rows yet.

    The caller holds the workspace's lock. `progress` is called with the seq of the last
    entry that has rows, and that of the last one.
    """
    workspace.refresh_from_db()
    behind = workspace.last_seq - workspace.projected_seq
    if behind <= 0:
        return
    projection = Projection(workspace)
    with ExitStack() as stack:
        ahead = stack.enter_context(Ahead(workspace.root)) if behind > _MANY else None
        until, revisions = _versions_after(workspace, workspace.projected_seq)
        while workspace.projected_seq < until:
            began = time.monotonic()
            following = _versions_after(workspace, until)
            readings = ahead.take() if ahead else {}
            if ahead:
                ahead.give(_to_parse(projection, following[1], revisions))
            with transaction.atomic():
                workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
                items = _entries(workspace, until, revisions, readings)
                projection = project_all(workspace, projection, items)
                _end_batch(workspace, until)
            # Other processes look every tenth of a second whether they may write.
            time.sleep((time.monotonic() - began) / 10)
            if progress:
                progress(workspace.projected_seq, workspace.last_seq)
            until, revisions = following
            if until == workspace.projected_seq:
                until, revisions = _versions_after(workspace, until)
    conclude(workspace)


def _versions_after(workspace: Workspace, after: int) -> tuple[int, list[Revision]]:
    """Return the revisions of the next batch behind a seq, and the last seq of it."""
    until = min(after + _REPLAY_BATCH, workspace.last_seq)
    behind = Revision.objects.filter(workspace=workspace, seq__gt=after)
    size = 0
    for seq, of_file in behind.filter(seq__lte=until).values_list("seq", "blob__size"):
        size += of_file or 0
        if size > _REPLAY_BYTES:
            until = seq
            break
    found = behind.filter(seq__lte=until).select_related("blob__base", "run")
    return until, list(found)


def _to_parse(
    projection: Projection, revisions: Sequence[Revision], before: Sequence[Revision]
) -> list[Version]:
    """Return the first versions of files among revisions, with their bytes.

    A further version may go on from the one before, which only its rows tell.
    """
    seen, found = {revision.path for revision in before}, []
    for one in revisions:
        is_first = one.path not in seen and projection.is_new(one.path)
        seen.add(one.path)
        if is_first and one.blob is not None and not one.moved_from:
            with suppress(NoBytes):
                found.append((one.seq, one.path, blob_bytes(one.blob)))
    return found


def _entries(
    workspace: Workspace,
    until: int,
    revisions: Sequence[Revision],
    readings: Mapping[int, Reading],
) -> list[Read | Operation]:
    """Return revisions and the operations among them, in the journal's order."""
    operations = Operation.objects.filter(
        workspace=workspace,
        seq__gt=workspace.projected_seq,
        seq__lte=until,
        state=Operation.State.APPLIED,
    )
    found: list[Read | Operation] = [(one, readings.get(one.seq)) for one in revisions]
    return sorted([*found, *operations], key=_seq_of)


def _end_batch(workspace: Workspace, until: int) -> None:
    """Add the events of the imports that ended in a batch; note how far rows are."""
    rows = Rows()
    ended = workspace.runs.filter(
        last_seq__gt=workspace.projected_seq, last_seq__lte=until
    )
    for run in ended:
        add_run_event(rows, run)
    rows.flush()
    workspace.projected_seq = until
    workspace.save(update_fields=["projected_seq"])


def _reading_of(
    root: str, path: str, blob: Blob, before: tuple[int, bytes] | None = None
) -> Reading:
    try:
        return read_document(root, path, blob_bytes(blob), before)
    except CorruptBlob:
        return unreadable_version(path)
    except Gone:
        return read_document(root, path, b"")


def _is_again(revision: Revision) -> bool:
    """Return whether a version is recorded now, or was, after it was forgotten."""
    assert revision.blob is not None
    if revision.pk is None:
        return True
    known = Tombstone.objects.filter(
        workspace=revision.workspace_id,
        sha256=revision.blob.sha256,
        kind=Tombstone.Kind.FORGOTTEN,
        at__lt=revision.recorded_at,
    )
    return known.exists()
