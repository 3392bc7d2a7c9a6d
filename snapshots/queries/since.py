"""What was done on a task since a snapshot of it: files, decisions, steps."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q, QuerySet

from memoryhub.events.models import Event
from memoryhub.journal.authors import owners_of
from memoryhub.journal.models import Revision
from memoryhub.journal.versions import earlier_paths
from snapshots.models import OpenItem, Snapshot
from snapshots.queries.open_items import reported_done
from topics.models import Decision


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
