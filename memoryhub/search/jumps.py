"""Direct navigation: rows whose exact id, key, path or name is the query."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Model, Q, QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import of_sides
from memoryhub.journal.models import Source, SourceFile, Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.search.things import Thing
from memoryhub.search.words import name_in
from memoryhub.values.identity import id_of
from snapshots.models import LogEntry, OpenItem, SessionMemory, Snapshot
from topics.models import Decision, SessionBinding, Topic

_LONGEST = 300
#: Current sources before former ones.
_THERE = F("last_seq").desc(nulls_first=True)


#: The row named exactly by a query, and whether the match is unambiguous, so that a
#: page may redirect to it.
Jump = tuple[Thing, bool]


def jump_target(workspace: Workspace, text: str) -> Jump | None:
    """Return the row that a text names: by id, key, path, topic, title; else None."""
    named = text.strip().strip("\"`'")
    if not named or len(named) > _LONGEST or "\0" in named:
        return None
    return (
        _by_code(workspace, named)
        or _by_name(workspace, named, sure=bool(name_in(named)))
        or _by_ending(workspace, named)
        or _by_topic(workspace, named)
        or _by_title(workspace, named)
    )


def _by_code(workspace: Workspace, text: str) -> Jump | None:
    """Return the row of an id in the form used in URLs."""
    try:
        row_id = id_of(text)
    except ValueError:
        return None
    for kind, model in _ROWS:
        row = _of(workspace, model).filter(pk=row_id).first()
        if row is not None:
            return _jump(kind, row)
    return None


_ROWS: tuple[tuple[str, type[Model]], ...] = (
    ("snapshot", Snapshot),
    ("decision", Decision),
    ("topic", Topic),
    ("handoff", Handoff),
    ("memory", SessionMemory),
    ("item", OpenItem),
    ("note", LogEntry),
    ("file", SourceFile),
)


#: Names typed in full: their column, and the order of their rows.
_NAMED: dict[str, tuple[type[Model], str, tuple[Any, ...]]] = {
    "snapshot": (Snapshot, "snapshot_id", (_THERE, UNDATED_LAST, "-occurred_at")),
    "handoff": (Handoff, "task_id", (_THERE, UNDATED_LAST, "-occurred_at")),
    "memory": (SessionMemory, "memory_id", (_THERE, UNDATED_LAST, "-occurred_at")),
    "session": (SessionBinding, "session_key", ("-recorded_at",)),
    "file": (SourceFile, "path", ("-present", "-seq")),
}


def _by_name(workspace: Workspace, text: str, *, sure: bool) -> Jump | None:
    """Return the row that a text names by id, session key or path."""
    for kind, (model, column, order) in _NAMED.items():
        rows = _of(workspace, model).filter(**{column: text})
        row = rows.order_by(*order).first()
        if isinstance(row, SessionBinding):
            row = row.topic
        if row is not None:
            to = "topic" if isinstance(row, Topic) else kind
            return _jump(to, row, sure=sure or kind == "file")
    return None


def _of(workspace: Workspace, model: type[Model]) -> QuerySet[Any]:
    """Return the rows of a workspace, with the handoffs that it sent elsewhere."""
    if model is Handoff:
        return of_sides(Handoff.objects.all(), [workspace])
    return model._default_manager.filter(workspace=workspace)


def _by_ending(workspace: Workspace, text: str) -> Jump | None:
    """Return the only file whose path ends with the text, if any."""
    if "/" not in text and "." not in text:
        return None
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    ending = rows.filter(path__endswith=f"/{text.lstrip('./')}").order_by("-seq")
    found = list(ending[:2])
    return _jump("file", found[0]) if len(found) == 1 else None


def _by_topic(workspace: Workspace, text: str) -> Jump | None:
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    found = list(rows.filter(Q(slug__iexact=text) | Q(name__iexact=text))[:2])
    return _jump("topic", found[0], sure=False) if len(found) == 1 else None


def _by_title(workspace: Workspace, text: str) -> Jump | None:
    """Return the only file with a title, such as that of a decision record."""
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    found = list(rows.filter(title__iexact=text)[:2])
    return _jump("file", found[0], sure=False) if len(found) == 1 else None


def _jump(kind: str, row: Model, *, sure: bool = True) -> Jump:
    path, line, slug = "", 0, ""
    if isinstance(row, SourceFile):
        path = row.path
    elif isinstance(row, Topic):
        path, slug = row.file.path, row.slug
    elif isinstance(row, Snapshot | Handoff | SessionMemory | LogEntry | OpenItem):
        path, line = row.file.path, row.first_line
    elif isinstance(row, Decision):
        # Its current place in a file, else its last one.
        sources = Source.objects.filter(target_id=row.pk).select_related("file")
        if source := sources.order_by(_THERE, "-first_seq").first():
            path, line = source.file.path, source.first_line
    title = str(row)[:200] or path
    return Thing(kind, row.pk, title, path, line, line, topic_slug=slug), sure
