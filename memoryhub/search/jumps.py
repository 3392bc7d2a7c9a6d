"""Exact ids: what somebody who types one wants to open at once."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Model, Q

from memoryhub.handoffs.models import Handoff
from memoryhub.identity import id_of
from memoryhub.search.words import name_in
from memoryhub.workspaces.models import Source, SourceFile, Workspace
from snapshots.models import LogEntry, SessionMemory, Snapshot
from topics.models import Decision, SessionBinding, Topic

_LONGEST = 300
#: What files still say comes before what they no longer do.
_THERE = F("last_seq").desc(nulls_first=True)


@dataclass(frozen=True, slots=True)
class Jump:
    """One thing that a query names by its id.

    `sure` where nothing else can have been meant, so that a page may go there.
    """

    kind: str
    id: int
    title: str
    path: str
    line: int = 0
    slug: str = ""
    sure: bool = True


def jump_target(workspace: Workspace, text: str) -> Jump | None:
    """Return what a text names exactly: an id, a key, a path, a topic; else None."""
    named = text.strip().strip("\"`'")
    if not named or len(named) > _LONGEST or "\0" in named:
        return None
    sure = bool(name_in(named))
    return (
        _by_code(workspace, named)
        or _by_id(workspace, named, sure=sure)
        or _by_path(workspace, named)
        or _by_topic(workspace, named)
    )


def _by_code(workspace: Workspace, text: str) -> Jump | None:
    """Return the row of a code as it stands in addresses."""
    try:
        row_id = id_of(text)
    except ValueError:
        return None
    for kind, model in _ROWS:
        row = model._default_manager.filter(workspace=workspace, pk=row_id).first()
        if row is not None:
            return _jump(kind, row)
    return None


_ROWS: tuple[tuple[str, type[Model]], ...] = (
    ("snapshot", Snapshot),
    ("decision", Decision),
    ("topic", Topic),
    ("handoff", Handoff),
    ("memory", SessionMemory),
    ("note", LogEntry),
    ("file", SourceFile),
)


def _by_id(workspace: Workspace, text: str, *, sure: bool) -> Jump | None:
    rows: tuple[tuple[str, type[Model], Q], ...] = (
        ("snapshot", Snapshot, Q(snapshot_id=text)),
        ("handoff", Handoff, Q(task_id=text)),
        ("memory", SessionMemory, Q(memory_id=text)),
    )
    for kind, model, named in rows:
        found = model._default_manager.filter(named, workspace=workspace)
        row = found.order_by(_THERE, "-occurred_at").first()
        if row is not None:
            return _jump(kind, row, sure=sure)
    bound = SessionBinding.objects.filter(workspace=workspace, session_key=text)
    binding = bound.select_related("topic__file").order_by("-recorded_at").first()
    if binding is not None and binding.topic is not None:
        return _jump("topic", binding.topic, sure=sure)
    return None


def _by_path(workspace: Workspace, text: str) -> Jump | None:
    rows = SourceFile.objects.filter(workspace=workspace).order_by("-present", "-seq")
    row = rows.filter(path=text).first()
    if row is None and ("/" in text or "." in text):
        ending = rows.filter(present=True, path__endswith=f"/{text.lstrip('./')}")
        found = list(ending[:2])
        row = found[0] if len(found) == 1 else None
    return _jump("file", row) if row else None


def _by_topic(workspace: Workspace, text: str) -> Jump | None:
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    found = list(rows.filter(Q(slug__iexact=text) | Q(name__iexact=text))[:2])
    return _jump("topic", found[0], sure=False) if len(found) == 1 else None


def _jump(kind: str, row: Model, *, sure: bool = True) -> Jump:
    path, line, slug = "", 0, ""
    if isinstance(row, SourceFile):
        path = row.path
    elif isinstance(row, Topic):
        path, slug = row.file.path, row.slug
    elif isinstance(row, Snapshot | Handoff | SessionMemory | LogEntry):
        path, line = row.file.path, row.first_line
    elif isinstance(row, Decision):
        path, line = _told_in(row)
    title = str(row) if not isinstance(row, Decision) else row.text
    return Jump(kind, row.pk, title[:200] or path, path, line, slug, sure)


def _told_in(decision: Decision) -> tuple[str, int]:
    """Return where a file says a decision, or said it last."""
    sources = Source.objects.filter(target_id=decision.pk).select_related("file")
    source = sources.order_by(_THERE, "-first_seq").first()
    return (source.file.path, source.first_line) if source else ("", 0)
