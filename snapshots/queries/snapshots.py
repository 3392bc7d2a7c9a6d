"""Queries on snapshots, what was done since, and on session memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.db.models import Q, QuerySet

from memoryhub.events.models import Event
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.authors import owners_of
from memoryhub.journal.models import Revision, Source, Workspace
from memoryhub.journal.untimed import UNDATED
from memoryhub.journal.versions import bytes_of, earlier_paths, text_of, version_at
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.values.identity import id_of
from snapshots.models import (
    NEWEST_FIRST,
    OpenItem,
    SessionMemory,
    Snapshot,
    SnapshotSection,
)
from snapshots.queries.open_items import reported_done
from topics.models import Decision
from topics.queries.topics import topic_ids_named


def snapshots_named(workspace: Workspace, address: str) -> list[Snapshot]:
    """Return the snapshots of a URL's name: by code, else by the files' own id."""
    rows = Snapshot.objects.filter(workspace=workspace).select_related(
        "agent", "topic", "file", "copy_of"
    )
    try:
        return list(rows.filter(pk=id_of(address)))
    except ValueError:
        return list(rows.filter(snapshot_id=address).order_by(*NEWEST_FIRST))


def newest_snapshots(
    workspace: Workspace, *, agent: str = "", topic: str = "", private: bool = True
) -> QuerySet[Snapshot]:
    """Return the snapshots currently in files, newest first, without copies.

    Of those of one second the later in its file is the newer. Those of the private file
    only with `private`.
    """
    rows = Snapshot.objects.filter(
        workspace=workspace, last_seq__isnull=True, copy_of__isnull=True
    )
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    if agent:
        rows = rows.filter(agent__name=agent)
    if topic:
        rows = rows.filter(topic__in=topic_ids_named(workspace, topic))
    ordered = rows.order_by(*NEWEST_FIRST)
    return ordered.select_related("agent", "topic", "file")


def sections_of(snapshot: Snapshot) -> list[SnapshotSection]:
    """Return a snapshot's sections in the order of the file."""
    return list(snapshot.sections.order_by("position"))


def sections_of_each(*snapshots: Snapshot) -> list[list[SnapshotSection]]:
    """Return the sections of some snapshots, each in the order of its file."""
    found: dict[int, list[SnapshotSection]] = {row.pk: [] for row in snapshots}
    rows = SnapshotSection.objects.filter(snapshot__in=found).order_by("position")
    for row in rows:
        found[row.snapshot_id].append(row)
    return [found[row.pk] for row in snapshots]


@dataclass(frozen=True, slots=True)
class Scope:
    """The snapshots to page through: those of a filter, else of the topic.

    `kind` alone means every snapshot of the workspace, as on its timeline.
    """

    kind: str = ""
    agent: str = ""
    topic: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that pass it on."""
        said = {"kind": self.kind, "agent": self.agent, "topic": self.topic}
        return {name: value for name, value in said.items() if value}


def _within(snapshot: Snapshot, scope: Scope) -> QuerySet[Snapshot]:
    """Return the other snapshots of a filter, without copies."""
    rows = Snapshot.objects.filter(
        workspace=snapshot.workspace_id, copy_of__isnull=True
    ).exclude(pk=snapshot.pk)
    if not scope.query:
        topic = snapshot.topic_id
        return rows.filter(topic=topic) if topic else rows.filter(topic__isnull=True)
    if scope.agent:
        rows = rows.filter(agent__name=scope.agent)
    if not scope.topic:
        return rows
    workspace = snapshot.workspace
    return rows.filter(topic__in=topic_ids_named(workspace, scope.topic))


def older_than(
    snapshot: Snapshot, scope: Scope = Scope(), limit: int = 1
) -> list[Snapshot]:
    """Return the snapshots of a filter before this one, nearest first."""
    rows = _within(snapshot, scope).filter(behind(snapshot))
    return list(rows.order_by(*NEWEST_FIRST)[:limit])


def behind(snapshot: Snapshot, side: Literal["lt", "gt"] = "lt") -> Q:
    """Return the filter for snapshots after this one in a list by `NEWEST_FIRST`.

    With "gt" those before it.
    """
    at, seq = snapshot.occurred_at, snapshot.first_seq
    there = Q(**{f"first_seq__{side}": seq}) | Q(
        **{f"position__{side}": snapshot.position}, first_seq=seq
    )
    there = Q(**{f"occurred_at__{side}": at}) | Q(there, occurred_at=at)
    if side == "lt":
        return UNDATED | there if snapshot.stated_at else UNDATED & there
    return ~UNDATED & there if snapshot.stated_at else ~UNDATED | there


def newer_than(
    snapshot: Snapshot, scope: Scope = Scope(), limit: int = 1
) -> list[Snapshot]:
    """Return the snapshots of a filter after this one, nearest first."""
    rows = _within(snapshot, scope).filter(behind(snapshot, "gt"))
    return list(rows.order_by(*NEWEST_FIRST).reverse()[:limit])


def outdated_decisions(snapshot: Snapshot) -> list[Decision]:
    """Return decisions in a snapshot that are no longer valid.

    Those already replaced when it was taken are excluded.
    """
    held = Source.objects.filter(
        workspace=snapshot.workspace_id,
        target_kind=Source.Target.DECISION,
        file=snapshot.file_id,
        first_line__gte=snapshot.first_line,
        last_line__lte=snapshot.last_line,
    )
    gone = (Decision.State.SUPERSEDED, Decision.State.REJECTED)
    rows = Decision.objects.filter(
        pk__in=held.values("target_id"), state__in=gone
    ).prefetch_related("superseded_by")
    return [row for row in rows if _was_later(row, snapshot)]


def _was_later(decision: Decision, snapshot: Snapshot) -> bool:
    if decision.state == Decision.State.REJECTED:
        return True
    return any(
        newer.first_seq > snapshot.first_seq or newer.occurred_at > snapshot.occurred_at
        for newer in decision.superseded_by.all()
    )


def block_of(workspace: Workspace, snapshot: Snapshot) -> list[str]:
    """Return the lines of a snapshot's block from the last file version with it."""
    version = version_at(workspace, snapshot.file.path, snapshot.newest_seq)
    if version is None:
        return []
    lines = split_text(text_of(version))
    return lines[max(0, snapshot.first_line - 1) : snapshot.last_line]


def block_bytes(workspace: Workspace, snapshot: Snapshot) -> bytes:
    """Return the bytes of a snapshot's block; UTF-8 even if the file is not."""
    version = version_at(workspace, snapshot.file.path, snapshot.newest_seq)
    data = bytes_of(version) if version else b""
    text = decode(data).text
    if text.encode("utf-8", "replace") != data.removeprefix(b"\xef\xbb\xbf"):
        data = text.encode("utf-8", "replace")
    lines = data.split(b"\n")
    block = lines[max(0, snapshot.first_line - 1) : snapshot.last_line]
    end = b"\n" if snapshot.last_line < len(lines) else b""
    return b"\n".join(block) + end


#: Page size of the list of memories.
PAGE_SIZE = 50


def memories_named(workspace: Workspace, address: str) -> list[SessionMemory]:
    """Return the memories of a URL's name: by code, else by the files' own id."""
    rows = SessionMemory.objects.filter(workspace=workspace).select_related(
        "agent", "topic", "file"
    )
    try:
        return list(rows.filter(pk=id_of(address)))
    except ValueError:
        return list(rows.filter(memory_id=address).order_by("last_seq", *NEWEST_FIRST))


def memories_of(
    workspace: Workspace, *, text: str = "", page: int = 1
) -> list[SessionMemory]:
    """Return memories, newest first; one more than a page where there are more."""
    rows = SessionMemory.objects.filter(workspace=workspace)
    if text:
        rows = rows.filter(
            Q(objective__icontains=text)
            | Q(summary__icontains=text)
            | Q(memory_id__icontains=text)
            | Q(session_ref__icontains=text)
        )
    ordered = rows.select_related("agent", "topic", "file").order_by(*NEWEST_FIRST)
    start = (page - 1) * PAGE_SIZE
    return list(ordered[start : start + PAGE_SIZE + 1])


def memory_text(workspace: Workspace, memory: SessionMemory) -> str:
    """Return the text of the last file version with a memory."""
    version = version_at(workspace, memory.file.path, memory.newest_seq)
    return text_of(version) if version else ""


def memory_bytes(workspace: Workspace, memory: SessionMemory) -> bytes:
    """Return the bytes of the last file version with a memory."""
    version = version_at(workspace, memory.file.path, memory.newest_seq)
    return bytes_of(version) if version else b""


class Since(NamedTuple):
    """Paths of changed files, the number of decisions, texts of the steps done."""

    files: list[str]
    decisions: int
    steps: list[str]


def done_since(snapshot: Snapshot) -> Since:
    """Return files changed, decisions and steps done since a snapshot was saved.

    What somebody else than its agent is known to have done is left out, and so are
    decisions on other topics. The snapshot's own file is none that was changed.
    """
    workspace, agent = snapshot.workspace, snapshot.agent
    owner = owners_of(workspace)
    own = {snapshot.file.path, *earlier_paths(workspace, snapshot.file.path)}
    name = agent.name.casefold() if agent else ""
    files, seqs = set[str](), set[int]()
    for seq, path, actor in _later(snapshot).values_list("seq", "path", "actor"):
        if name and (actor or owner(path)).casefold() not in ("", name):
            continue
        seqs.add(seq)
        if path not in own:
            files.add(path)
    made = Decision.objects.filter(
        workspace=workspace, is_stated=True, first_seq__gt=snapshot.first_seq
    )
    if agent:
        made = made.filter(Q(agent=agent) | Q(agent=None))
    if snapshot.topic:
        made = made.filter(Q(topic=snapshot.topic) | Q(topic=None))
    decided = sum(seq in seqs for seq in made.values_list("first_seq", flat=True))
    return Since(sorted(files), decided, _steps_done(snapshot))


def _later(snapshot: Snapshot) -> QuerySet[Revision]:
    """Return the versions since a snapshot was saved.

    A file that was changed before that and read after it is no later one.
    """
    rows = Revision.objects.filter(workspace=snapshot.workspace)
    saved_at = rows.get(seq=snapshot.first_seq).recorded_at
    written = Q(mtime_ns=0) | Q(mtime_ns__gt=saved_at.timestamp() * 10**9)
    return rows.filter(written, seq__gt=snapshot.first_seq)


def _steps_done(snapshot: Snapshot) -> list[str]:
    """Return the items of a snapshot that were open when it was saved, and are done."""
    items = OpenItem.objects.filter(
        workspace=snapshot.workspace,
        file=snapshot.file,
        last_seq__isnull=True,
        first_line__range=(snapshot.first_line, snapshot.last_line),
    ).order_by("position")
    ticked = set(
        Event.objects.filter(
            workspace=snapshot.workspace,
            target_id__in=items.values("id"),
            verb="ticked",
        ).values_list("target_id", flat=True)
    )
    done = reported_done(snapshot.workspace)
    return [
        item.text
        for item in items
        if item.id in done and (not item.done or item.id in ticked)
    ]
