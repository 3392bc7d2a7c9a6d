"""Rows of a labelled workspace, imported by the product itself."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from memoryhub.dialects import handoff_note, raw_memories
from memoryhub.journal.grades import Grade, of_grade
from memoryhub.journal.models import Source, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.scan.walk import scan
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import AuthoredSpan, LogEntry, OpenItem
from snapshots.queries.open_items import open_work
from topics.models import Decision, Directive, Topic

#: Formats whose rows stand on the timeline like entries, and are none of a log: a
#: handoff, and what Codex remembers of a thread that has a summary of its own.
_NO_LOGS = (handoff_note.NAME, raw_memories.NAME)


class Found(NamedTuple):
    """A text that the product found, and what it says about it."""

    path: str
    first: int
    last: int
    text: str
    reason: str = ""
    agent: str = ""
    topic: str = ""
    at: datetime.datetime | None = None
    precision: str = ""
    #: The file that reports an open item as done.
    closed_in: str = ""
    #: Whether the form of the text declares it; else its words suggest it.
    declared: bool = True


class Imported(NamedTuple):
    """Everything that the product found in a workspace, by kind."""

    entries: list[Found]
    decisions: list[Found]
    directives: list[Found]
    open_items: list[Found]
    topics: list[Found]


def import_workspace(folder: Path, slug: str) -> Imported:
    """Add and sync a workspace and those inside it; return what the product found."""
    parts = [_import(folder, slug, "")]
    for number, inner in enumerate(scan(folder).inner):
        parts.append(_import(folder / inner, f"{slug}-{number}", f"{inner}/"))
    return Imported(
        *([one for kind in kinds for one in kind] for kinds in zip(*parts, strict=True))
    )


def _import(folder: Path, slug: str, prefix: str) -> Imported:
    workspace = add_workspace(folder, slug=slug)
    sync_workspace(workspace)
    kinds = _found_in(workspace)
    return Imported(*([_below(prefix, one) for one in kind] for kind in kinds))


def _below(prefix: str, one: Found) -> Found:
    return one._replace(path=prefix + one.path)


def _found_in(workspace: Workspace) -> Imported:
    entries = LogEntry.objects.filter(workspace=workspace)
    entries = entries.exclude(file__format__in=_NO_LOGS)
    directives = of_grade(Directive, "all").filter(workspace=workspace)
    items = of_grade(OpenItem, "all").filter(workspace=workspace, done=False)
    return Imported(
        _authored(entries, "title"),
        _decisions(workspace),
        _authored(directives, "text"),
        _open_items(workspace, items),
        _topics(workspace),
    )


def _authored(rows: Iterable[AuthoredSpan | Directive], text: str) -> list[Found]:
    return [
        Found(
            row.file.path,
            row.first_line,
            row.last_line,
            getattr(row, text),
            agent=row.agent.name if row.agent else "",
            topic=row.topic.name if row.topic else "",
            at=row.occurred_at,
            precision=row.precision,
            declared=getattr(row, "grade", Grade.DECLARED) == Grade.DECLARED,
        )
        for row in rows
        if row.last_seq is None
    ]


def _open_items(workspace: Workspace, items: Iterable[OpenItem]) -> list[Found]:
    """Return the open items that are listed, with the file that closes each."""
    closed = _closing_files(workspace)
    current = [row for row in items if row.last_seq is None]
    found = _authored(current, "text")
    pairs = zip(current, found, strict=True)
    return [one._replace(closed_in=closed.get(row.pk, "")) for row, one in pairs]


def _closing_files(workspace: Workspace) -> dict[int, str]:
    """Return the path of the file that closes each open statement."""
    works = [work for work in open_work(workspace) if work.closing]
    files = {work.closing.file_id for work in works if work.closing}
    paths = dict(SourceFile.objects.filter(pk__in=files).values_list("id", "path"))
    return {
        statement.id: paths[work.closing.file_id]
        for work in works
        for statement in work.open
        if work.closing
    }


def _decisions(workspace: Workspace) -> list[Found]:
    """Return the decisions of a workspace, one for each place in a file."""
    rows = {
        row.pk: row for row in of_grade(Decision, "all").filter(workspace=workspace)
    }
    spans = Source.objects.filter(
        workspace=workspace,
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    )
    return [
        _decision(rows[span.target_id], span)
        for span in spans
        if span.target_id in rows
    ]


def _decision(row: Decision, span: Source) -> Found:
    return Found(
        span.file.path,
        span.first_line,
        span.last_line,
        row.text,
        row.reason,
        row.agent.name if row.agent else "",
        row.topic.name if row.topic else "",
        row.occurred_at,
        row.precision,
        declared=row.grade == Grade.DECLARED,
    )


def _topics(workspace: Workspace) -> list[Found]:
    """Return the topics of a workspace at the files that hold them."""
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    return [Found(row.file.path, 1, 1, row.name, topic=row.name) for row in rows]
