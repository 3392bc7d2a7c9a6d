"""Data of the frame around every page of a workspace, and of lists of workspaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count as Counted
from django.db.models import F, Q, QuerySet

from memoryhub.events.models import Event
from memoryhub.journal.models import (
    FileStat,
    Operation,
    Problem,
    Revision,
    SourceFile,
    SyncRun,
    Workspace,
)
from memoryhub.journal.problems import current_problems
from memoryhub.journal.rows import table_of
from memoryhub.journal.untimed import LATEST_NS, time_on_disk
from memoryhub.journal.versions import path_has
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.timeline.queries.filters import sent_from, topics_of
from snapshots.models import Snapshot
from topics.models import Decision, Topic
from topics.queries.topics import Standing, standings

#: Topics that the sidebar names.
SIDEBAR_TOPICS = 6
#: Limit of counts of news, so that a long absence costs no more than a short one.
NEWS_LIMIT = 2_000
#: Page size of problems, imports and files of an import.
PAGE_SIZE = 100
#: Limit of problems searched for those to show as one.
PROBLEM_LIMIT = 2_000


class Counts(NamedTuple):
    """Numbers of a workspace's topics, files and open problems."""

    topics: int
    files: int
    problems: int


def counts_of(workspace_ids: Collection[int]) -> dict[int, Counts]:
    """Return the numbers of workspaces' rows, by workspace id."""
    files = SourceFile.objects.filter(present=True)
    problems = Problem.objects.filter(until_seq__isnull=True, cleared_seq__isnull=True)
    counts = [
        count_by_workspace(rows, workspace_ids)
        for rows in (Topic.objects.all(), files, problems)
    ]
    return {
        row_id: Counts(*(numbers.get(row_id, 0) for numbers in counts))
        for row_id in workspace_ids
    }


def count_by_workspace(
    rows: QuerySet[Any], workspace_ids: Collection[int]
) -> dict[int, int]:
    """Return the number of rows of each workspace that has any."""
    chosen = rows.filter(workspace__in=workspace_ids).order_by()
    return dict(chosen.values_list("workspace").annotate(n=Counted("pk")))


def frame_facts(workspace: Workspace) -> tuple[list[tuple[Topic, Standing]], Counts]:
    """Return the most recently active topics with their states, and the counts."""
    rows = Topic.objects.filter(workspace=workspace)
    order = (F("updated_on").desc(nulls_last=True), "-status_seq", "name")
    topics = list(rows.order_by(*order)[:SIDEBAR_TOPICS])
    found = standings(workspace, topics)

    def activity(topic: Topic) -> tuple[date, float]:
        snapshot = found[topic.pk].latest
        at = snapshot.stated_at if snapshot else None
        return topic.updated_on or date.min, at.timestamp() if at else 0.0

    topics.sort(key=activity, reverse=True)
    counts = counts_of([workspace.pk])[workspace.pk]
    return [(topic, found[topic.pk]) for topic in topics], counts


def news_by_topic(
    workspace: Workspace, position: int, since: datetime | None
) -> dict[int, int]:
    """Return the number of events recorded after a position, by topic id.

    `since` is the time of the position, for handoffs that were sent elsewhere.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT topic_id, COUNT(*) FROM (SELECT topic_id"
            f" FROM {table_of(Event)} WHERE workspace_id = %s AND position > %s"
            f" ORDER BY position DESC LIMIT {NEWS_LIMIT}) AS news GROUP BY topic_id",
            [workspace.pk, position],
        )
        found = Counter(dict(cursor.fetchall()))
    sent = _news_elsewhere(workspace, since) if since else []
    topics = topics_of(workspace.pk, sent)
    found.update(topics[row_id].pk for row_id in sent if row_id in topics)
    return found


def _news_elsewhere(workspace: Workspace, since: datetime) -> list[int]:
    """Return the handoffs sent elsewhere, once for each event recorded after a time."""
    rows = sent_from(workspace.pk).filter(recorded_at__gt=since).order_by()
    targets = rows.values_list("target_id", flat=True)[:NEWS_LIMIT]
    return [row_id for row_id in targets if row_id is not None]


@dataclass(frozen=True, slots=True)
class WorkspaceCard:
    """A workspace in the list of all."""

    workspace: Workspace
    topics: int
    files: int
    snapshots: int
    problems: int
    last_run: SyncRun | None
    decisions: int = 0


def workspace_cards(workspaces: list[Workspace]) -> list[WorkspaceCard]:
    """Return workspaces with the counts of their lists, and their last import.

    Topics, decisions and snapshots that no file has any more are in these lists.
    """
    ids = [workspace.pk for workspace in workspaces]
    counts = counts_of(ids)
    copied_once = Snapshot.objects.filter(copy_of__isnull=True)
    snapshots = count_by_workspace(copied_once, ids)
    decisions = count_by_workspace(Decision.objects.all(), ids)
    runs = SyncRun.objects.filter(workspace__in=ids, number=F("workspace__last_run"))
    last = {run.workspace_id: run for run in runs}
    return [
        WorkspaceCard(
            workspace,
            counts[workspace.pk].topics,
            counts[workspace.pk].files,
            snapshots.get(workspace.pk, 0),
            counts[workspace.pk].problems,
            last.get(workspace.pk),
            decisions.get(workspace.pk, 0),
        )
        for workspace in workspaces
    ]


def never_read(workspace: Workspace, paths: Collection[str]) -> int:
    """Return how many of the currently unreadable files have never been read."""
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    return len(paths) - rows.filter(path__in=paths).count() if paths else 0


def open_problems(workspace: Workspace) -> list[Problem]:
    """Return the current problems by file and line, up to a limit."""
    rows = current_problems(workspace)
    return list(rows.order_by("path", "line", "id")[:PROBLEM_LIMIT])


def problems_of_run(workspace: Workspace, number: int) -> list[Problem]:
    """Return the problems that an import found."""
    rows = Problem.objects.filter(workspace=workspace, run_number=number)
    return list(rows.order_by("path", "line", "id")[: PAGE_SIZE + 1])


def staged_payloads(workspace: Workspace, verb: str) -> list[dict[str, Any]]:
    """Return the payloads of staged operations of one verb, oldest first."""
    rows = Operation.objects.filter(
        workspace=workspace, state=Operation.State.STAGED, verb=verb
    )
    return list(rows.order_by("seq").values_list("payload", flat=True)[:PAGE_SIZE])


def runs_of(workspace: Workspace, *, below: int | None = None) -> list[SyncRun]:
    """Return imports, newest first; with `below` those before that number."""
    rows = SyncRun.objects.filter(workspace=workspace)
    if below is not None:
        rows = rows.filter(number__lt=below)
    return list(rows[: PAGE_SIZE + 1])


def run_or_none(workspace: Workspace, number: int) -> SyncRun | None:
    """Return an import by its number."""
    return SyncRun.objects.filter(workspace=workspace, number=number).first()


def files_of_run(run: SyncRun, *, after: int = 0) -> list[Revision]:
    """Return one page of the files that an import read, in order."""
    rows = Revision.objects.filter(run=run, seq__gt=after).select_related("blob")
    return list(rows.defer("blob__data").order_by("seq")[: PAGE_SIZE + 1])


def files_in(
    workspace: Workspace,
    *,
    text: str = "",
    after: str = "",
    role: str = "",
    gone: bool = False,
    private: bool = True,
) -> list[SourceFile]:
    """Return one page of files by path, of a role; with `gone` the deleted ones.

    Without `private` the file of private sessions is left out.
    """
    rows = SourceFile.objects.filter(workspace=workspace, present=not gone)
    if not private:
        rows = rows.exclude(path__iexact=PRIVATE)
    if text:
        rows = rows.filter(path_has(text) | Q(title__icontains=text))
    if role:
        rows = rows.filter(role=role)
    if after:
        rows = rows.filter(path__gt=after)
    return list(rows.order_by("path")[: PAGE_SIZE + 1])


def changed_on_disk(
    workspace: Workspace, rows: Iterable[SourceFile]
) -> dict[str, datetime]:
    """Return modification times of files on disk, not the times of their imports."""
    read_at = {row.path: row.recorded_at for row in rows if row.present}
    stats = FileStat.objects.filter(workspace=workspace, path__in=read_at)
    return {
        path: time_on_disk(ns, read_at[path])
        for path, ns in stats.values_list("path", "mtime_ns")
        if 0 < ns < LATEST_NS
    }
