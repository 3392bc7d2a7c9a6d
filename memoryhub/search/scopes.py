"""Filters by kind, topic, agent and state, resolved to lines of files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.grades import of_grade
from memoryhub.journal.models import Agent, Source, SourceFile, Workspace
from memoryhub.journal.problems import unread_files
from memoryhub.search.lookup import Limits
from memoryhub.search.parser import Filter, Note
from memoryhub.search.things import Thing
from snapshots.models import LogEntry, OpenItem, SessionMemory, Snapshot
from topics.models import Decision, HistoryEntry, Topic

#: Spans that are looked at; a filter that allows more is not narrowed by it alone.
_MOST = 100_000
#: Above this number, files are not passed to the index one by one.
_NARROW_FILES = 2_000

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines of files that filters allow, by the file's id."""

    lines: dict[int, tuple[Lines, ...]]

    @property
    def files(self) -> tuple[int, ...]:
        return tuple(self.lines)

    def allows(self, file_id: int, line: int) -> bool:
        return any(first <= line <= last for first, last in self.lines.get(file_id, ()))

    def within(self, file_id: int, first: int, last: int) -> list[Lines]:
        """Return the spans that begin among these lines."""
        spans = self.lines.get(file_id, ())
        return [span for span in spans if first <= span[0] <= last]


@dataclass(frozen=True, slots=True)
class _Scope:
    """Required properties of rows; empty or None does not restrict."""

    kinds: frozenset[str]
    topics: frozenset[int] | None
    agents: frozenset[int] | None
    blocked: bool
    files: frozenset[int] | None


#: Names of the filters on things, not on days and paths.
SCOPED = ("kind", "topic", "agent", "is")
#: Kinds that most lines are of.
_BROAD = frozenset({"note", "session", "file"})
#: Which kinds have an agent, and which can be blocked.
_OF_AGENTS = frozenset(
    {"decision", "item", "snapshot", "handoff", "note", "session", "memory"}
)
_BLOCKED = frozenset({"snapshot", "handoff"})
_ALL = _OF_AGENTS | {"topic", "file"}


def is_broad(filters: Iterable[Filter]) -> bool:
    """Return whether filters allow so much that they are best applied to results."""
    named = [item for item in filters if item.name in SCOPED and not item.negated]
    kinds = {item.value for item in named}
    return all(item.name == "kind" for item in named) and bool(kinds & _BROAD)


def scope_of(
    workspace: Workspace,
    filters: Iterable[Filter],
    notes: list[Note],
    *,
    files: Collection[int] | None = None,
) -> Scope | None:
    """Return the lines allowed by filters, in these files; None without restriction.

    An unknown topic or agent adds a note and allows nothing.
    """
    chosen = [item for item in filters if not item.negated]
    scope = _Scope(
        _kinds(chosen),
        _ids(chosen, "topic", workspace, notes),
        _ids(chosen, "agent", workspace, notes),
        any(item.name == "is" for item in chosen),
        None if files is None else frozenset(files),
    )
    if not any(item.name in SCOPED for item in chosen):
        return None
    found: dict[int, list[Lines]] = defaultdict(list)
    for file_id, first, last in _spans(workspace, scope):
        found[file_id].append((first, last))
    return Scope({file_id: tuple(lines) for file_id, lines in found.items()})


def _kinds(filters: list[Filter]) -> frozenset[str]:
    """Return the kinds allowed by all filters; of two named kinds either will do."""
    named = frozenset(item.value for item in filters if item.name == "kind")
    kinds = named or _ALL
    if any(item.name == "agent" for item in filters):
        kinds &= _OF_AGENTS
    if any(item.name == "is" for item in filters):
        kinds &= _BLOCKED
    return kinds


def _ids(
    filters: list[Filter], name: str, workspace: Workspace, notes: list[Note]
) -> frozenset[int] | None:
    values = [item.value for item in filters if item.name == name]
    if not values:
        return None
    found: set[int] = set()
    for value in values:
        ids = (
            _topics(workspace, value) if name == "topic" else _agents(workspace, value)
        )
        if not ids:
            notes.append(Note(f"{name}-unknown", value))
        found.update(ids)
    return frozenset(found)


def _topics(workspace: Workspace, value: str) -> list[int]:
    rows = Topic.objects.filter(workspace=workspace)
    named = rows.filter(Q(slug__iexact=value) | Q(name__iexact=value))
    return list(named.values_list("id", flat=True))


def _agents(workspace: Workspace, value: str) -> list[int]:
    rows = Agent.objects.filter(workspace=workspace, name__iexact=value)
    return list(rows.values_list("id", flat=True))


Span = tuple[int, int, int]


def _spans(workspace: Workspace, scope: _Scope) -> Iterator[Span]:
    rows_of_kinds: dict[str, QuerySet[Any]] = {
        "snapshot": Snapshot.objects.all(),
        "handoff": Handoff.objects.all(),
        "item": of_grade(OpenItem, "all").exclude(done=True, mark=""),
        "memory": SessionMemory.objects.all(),
        "note": LogEntry.objects.exclude(kind=LogEntry.Kind.SESSION),
        "session": LogEntry.objects.filter(kind=LogEntry.Kind.SESSION),
    }
    for kind, rows in rows_of_kinds.items():
        if kind in scope.kinds:
            yield from _open(_restricted(rows, kind, scope), workspace, scope)
    if "decision" in scope.kinds:
        yield from _decisions(workspace, scope)
    if "topic" in scope.kinds:
        topics = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
        history = HistoryEntry.objects.all()
        if scope.topics is not None:
            topics = topics.filter(id__in=scope.topics)
            history = history.filter(topic__in=scope.topics)
        for file_id, lines in topics.values_list("file_id", "file__lines"):
            yield file_id, 1, lines or 1
        yield from _open(history, workspace, scope)
    if "file" in scope.kinds and scope.topics is None:
        yield from _files(workspace, scope)


def _restricted(rows: QuerySet[Any], kind: str, scope: _Scope) -> QuerySet[Any]:
    if scope.topics is not None:
        rows = rows.filter(topic__in=scope.topics)
    if scope.agents is not None:
        rows = rows.filter(agent__in=scope.agents)
    if scope.blocked and kind == "snapshot":
        rows = rows.filter(blocked=True)
    if scope.blocked and kind == "handoff":
        rows = rows.filter(state=Handoff.State.BLOCKED)
    return rows


def _open(rows: QuerySet[Any], workspace: Workspace, scope: _Scope) -> Iterator[Span]:
    """Yield the spans in which files currently contain these rows."""
    if scope.files is not None:
        rows = rows.filter(file__in=scope.files)
    found = rows.filter(workspace=workspace, last_seq__isnull=True).order_by()
    columns = found.values_list("file_id", "first_line", "last_line")
    yield from columns[:_MOST].iterator(20_000)


def _decisions(workspace: Workspace, scope: _Scope) -> Iterator[Span]:
    rows = Source.objects.filter(target_kind=Source.Target.DECISION)
    decisions = _restricted(of_grade(Decision, "all"), "decision", scope)
    ids = decisions.filter(workspace=workspace).values("id")
    rows = rows.filter(target_id__in=ids)
    yield from _open(rows, workspace, scope)


def _files(workspace: Workspace, scope: _Scope) -> Iterator[Span]:
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    if scope.files is not None:
        rows = rows.filter(id__in=scope.files)
    for file_id, lines in rows.values_list("id", "lines")[:_MOST]:
        yield file_id, 1, lines or 1


def limits_of(
    filters: Iterable[Filter], scope: Scope | None, hidden: tuple[str, ...] = ()
) -> Limits:
    """Return the files, days and paths that filters restrict the blocks to."""
    since = before = None
    paths: list[str] = []
    for item in filters:
        if item.name == "path" and not item.negated:
            paths.append(item.value)
        if item.day is None:
            continue
        is_after = (item.name == "after") != item.negated
        if is_after:
            since = max(since, item.day) if since else item.day
        else:
            before = min(before, item.day) if before else item.day
    files = scope.files if scope and len(scope.files) <= _NARROW_FILES else None
    return Limits(files, since, before, tuple(paths), hidden)


def not_for_agents(workspace: Workspace, filters: Iterable[Filter]) -> set[str]:
    """Return the paths of files of which nothing is read.

    Without conflict copies that a filter tells from their file.
    """
    named = [item for item in filters if item.name == "path" and not item.negated]
    return {
        path
        for path, of in unread_files(workspace).items()
        if not (of and any(item.fits(path) and not item.fits(of) for item in named))
    }


def is_unwanted(thing: Thing, filters: Sequence[Filter]) -> bool:
    """Return whether filters by kind do not select a thing, or one with a minus does.

    A line of a snapshot that states a decision is the decision.
    """
    kinds = {item.value for item in filters if item.name == "kind" and not item.negated}
    if kinds and thing.kind not in kinds:
        return True
    values = {
        "kind": (thing.kind,),
        "topic": (thing.topic.lower(), thing.topic_slug.lower()),
        "agent": (thing.agent.lower(),),
        "is": ("blocked",) if thing.blocked else (),
    }
    return any(
        item.value.lower() in values.get(item.name, ())
        or (item.name == "path" and item.fits(thing.path))
        for item in filters
        if item.negated
    )
