"""What pages say of a snapshot: its sections, its block, and those around it."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memoryhub.diffing import split_text
from memoryhub.identity import id_of
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.versions import text_of, version_at
from snapshots.models import Snapshot, SnapshotSection

#: Snapshots that one can compare with, nearest first.
_CHOICES = 50


def snapshots_named(workspace: Workspace, address: str) -> list[Snapshot]:
    """Return the snapshots an address can mean: by code, else by the files' own id."""
    rows = Snapshot.objects.filter(workspace=workspace).select_related(
        "agent", "topic", "file", "copy_of"
    )
    try:
        return list(rows.filter(pk=id_of(address)))
    except ValueError:
        return list(rows.filter(snapshot_id=address).order_by("-occurred_at", "id"))


def snapshot_by_id(workspace: Workspace, row_id: int) -> Snapshot | None:
    """Return a snapshot with its agent, topic and file."""
    rows = Snapshot.objects.select_related("agent", "topic", "file", "copy_of")
    return rows.filter(workspace=workspace, pk=row_id).first()


def sections_of(snapshot: Snapshot) -> list[SnapshotSection]:
    """Return a snapshot's sections in the order of the file."""
    return list(snapshot.sections.order_by("position"))


def _around(snapshot: Snapshot) -> QuerySet[Snapshot]:
    """Return the other snapshots of the same topic, or of no topic, without copies."""
    rows = Snapshot.objects.filter(workspace=snapshot.workspace_id)
    same = Q(topic=snapshot.topic_id) if snapshot.topic_id else Q(topic__isnull=True)
    return rows.filter(same, copy_of__isnull=True).exclude(pk=snapshot.pk)


def older_than(snapshot: Snapshot) -> Snapshot | None:
    """Return the snapshot of the same topic before this one."""
    at = snapshot.occurred_at
    tie = Q(occurred_at=at, first_seq__lte=snapshot.first_seq, pk__lt=snapshot.pk)
    rows = _around(snapshot).filter(Q(occurred_at__lt=at) | tie)
    return rows.order_by("-occurred_at", "-first_seq", "-pk").first()


def newer_than(snapshot: Snapshot) -> Snapshot | None:
    """Return the snapshot of the same topic after this one."""
    at = snapshot.occurred_at
    tie = Q(occurred_at=at, first_seq__gte=snapshot.first_seq, pk__gt=snapshot.pk)
    rows = _around(snapshot).filter(Q(occurred_at__gt=at) | tie)
    return rows.order_by("occurred_at", "first_seq", "pk").first()


def comparable(snapshot: Snapshot) -> list[Snapshot]:
    """Return snapshots of the same topic that one can compare with, newest first."""
    return list(_around(snapshot).order_by("-occurred_at", "-pk")[:_CHOICES])


def block_of(workspace: Workspace, snapshot: Snapshot) -> list[str]:
    """Return the lines of a snapshot's block as its file has, or had, them."""
    last = None if snapshot.last_seq is None else snapshot.last_seq - 1
    version = version_at(workspace, snapshot.file.path, last)
    if version is None:
        return []
    lines = split_text(text_of(version))
    return lines[max(0, snapshot.first_line - 1) : snapshot.last_line]
