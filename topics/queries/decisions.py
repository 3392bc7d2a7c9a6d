"""Queries of pages on decisions: the log over all sources, and a decision's history."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce

from memoryhub.dialects.decision_log import DecisionText, normalise
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.authors import agent_id_named
from memoryhub.journal.blobs import NoBytes, blob_bytes
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Grade, of_grade
from memoryhub.journal.models import Agent, Operation, Revision, Source, Workspace
from memoryhub.journal.moments import Written
from memoryhub.journal.page_cache import cached
from memoryhub.prose.labels import left_by
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.values.cursors import TimeKey
from memoryhub.values.identity import id_of
from snapshots.models import NEWEST_FIRST, Snapshot
from topics.models import Decision, Directive, HistoryEntry, Topic
from topics.queries.topics import Spoken, topic_ids_named, with_ends

_WORD = re.compile(r"[^\W_]{3,}")
#: Words that tell the subject of a decision are of so many letters.
_TELLING = 4


def perhaps_replaced(workspace: Workspace) -> dict[int, Decision]:
    """Return the decisions that later ones may replace, by the ids of the later.

    The later one names what it goes over from ("moved away from Postgres"), which the
    earlier one names too, and both share a topic or another telling word.
    """
    return cached(workspace, "perhaps_replaced", lambda: dict(_pairs(workspace)))


def with_perhaps(workspace: Workspace, rows: list[Decision]) -> list[Decision]:
    """Set on decisions the code of the one that each may replace; one query at most."""
    if any(left_by(row.text) for row in rows):
        pairs = perhaps_replaced(workspace)
        for row in rows:
            row.perhaps_supersedes = pairs[row.pk].code if row.pk in pairs else None
    return rows


def maybe_chained(decision: Decision) -> list[tuple[Decision, bool]]:
    """Return decisions that may replace this one (True), or be replaced by it."""
    pairs = perhaps_replaced(decision.workspace)
    newer = [new for new, old in pairs.items() if old.pk == decision.pk]
    found = [(row, True) for row in Decision.everything.filter(pk__in=newer)]
    old = pairs.get(decision.pk)
    return [(old, False), *found] if old else found


def _pairs(workspace: Workspace) -> Iterator[tuple[int, Decision]]:
    known = Decision.everything.filter(
        workspace=workspace, last_seq=None, state__in=Decision.STANDING
    )
    columns = "pk", "text", "topic_id", "occurred_at", "grade", "supersedes_id"
    rows = known.exclude(grade=Grade.DISMISSED).order_by("-occurred_at", "-id")
    found = [(*row, left_by(row[1])) for row in rows.values_list(*columns)]
    named = {left for *_, left in found if left}
    naming = defaultdict(list)
    for pk, text, topic, at, grade, _, left in found if named else ():
        words = _words(text)
        if grade == Grade.DECLARED and not left:
            for word in words & named:
                naming[word].append((pk, words, topic, at))
    pairs = {}
    for pk, text, topic, at, _, supersedes, left in found:
        if not left or supersedes:
            continue
        subject = {word for word in _words(text) if len(word) >= _TELLING} - {left}
        pairs[pk] = next(
            (
                old
                for old, words, topic_then, then in naming[left]
                if then < at and (topic_then == topic is not None or words & subject)
            ),
            None,
        )
    old = known.select_related("workspace").in_bulk({*filter(None, pairs.values())})
    return ((new, old[pk]) for new, pk in pairs.items() if pk)


def _words(text: str) -> set[str]:
    return {*_WORD.findall(text.casefold())}


def decision_text(decision: Decision) -> DecisionText:
    """Return the content of a decision's line, in any of its states."""
    day = decision.decided_on
    if day is None and decision.precision != Precision.NONE:
        day = local_day(decision)
    return DecisionText(
        day,
        folded(decision.text),
        folded(decision.reason),
        folded(decision.supersedes_text),
        folded(decision.signed_off_by),
        decision.signed_off_on,
    )


def rejection_text(decision: Decision) -> DecisionText:
    """Return the content of the line that rejects a decision."""
    text, reason = folded(decision.text), folded(decision.rejected_for)
    return DecisionText(decision.rejected_on, text, reason, rejected=True)


def statements_of(
    decision: Decision, *, has_successor: bool = False
) -> Iterator[DecisionText]:
    """Yield the lines that state a decision, so that it reads in its present state.

    Its rejection follows it. A superseded one is marked, unless the line of its
    successor says so.
    """
    text = decision_text(decision)
    if decision.state == Decision.State.SUPERSEDED and not has_successor:
        text = replace(text, text=f"Superseded: {text.text}")
    if decision.is_stated:
        yield text
    if decision.state == Decision.State.REJECTED:
        yield rejection_text(decision)


def decision_texts(workspace: Workspace) -> Iterator[DecisionText]:
    """Yield all decisions, oldest first; a rejection follows the rejected one."""
    known = Decision.objects.filter(workspace=workspace).select_related("workspace")
    dated = [(decision_text(row), row) for row in known]
    dated.sort(key=lambda one: (one[0].date or local_day(one[1]), one[0].text))
    rows = [row for _, row in dated]
    replaced = {row.supersedes_id for row in rows}
    for row in rows:
        yield from statements_of(row, has_successor=row.pk in replaced)


def lapsed_decisions(workspace: Workspace) -> dict[str, str]:
    """Return the states of rejected or superseded decisions, by `normalise`d texts."""
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.exclude(state__in=Decision.STANDING)
    return {
        normalise(text): str(state) for text, state in rows.values_list("text", "state")
    }


def history_lines(entries: Iterable[HistoryEntry]) -> Iterator[str]:
    """Yield lines of a topic's history, each with its day if known."""
    for entry in entries:
        dated = entry.precision != Precision.NONE
        day = f"{local_day(entry)}: " if dated else ""
        yield folded(f"{day}{entry.text}")


def local_day(row: Decision | HistoryEntry) -> date:
    """Return the day of a row in its workspace's time zone."""
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone)).date()


PAGE_SIZE = 50
#: Values of a facet that are named.
_FACET_SIZE = 10
#: Limits of decisions of a chain, and of sources of one decision.
_CHAIN, _SOURCES = 20, 100
_STAGED_VERBS = ("add_decision", "supersede", "reject", "sign_decision")
#: A state of its own in URLs: no file contains it any more.
GONE = "gone"

#: Decisions without a day in any file.
_UNDATED = Q(decided_on__isnull=True, precision=Precision.NONE)

Row = TypeVar("Row", Topic, Agent)
Stated = TypeVar("Stated", Decision, Directive)


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    """Which decisions: by words, topic, agent, state, month or year; empty is any."""

    workspace_id: int
    text: str = ""
    topic_ids: tuple[int, ...] | None = None
    agent_id: int | None = None
    state: str = ""
    month: str = ""
    grade: str = Grade.DECLARED
    confidence: float = 0.0

    def rows(self) -> QuerySet[Decision]:
        """Return the selected decisions, unordered."""
        rows = of_grade(Decision, self.grade, self.confidence)
        rows = rows.filter(workspace=self.workspace_id)
        for word in self.text.split()[:8]:
            rows = rows.filter(Q(text__icontains=word) | Q(reason__icontains=word))
        if self.topic_ids is not None:
            rows = rows.filter(topic__in=self.topic_ids)
        if self.agent_id is not None:
            rows = rows.filter(agent=self.agent_id)
        if self.state == GONE:
            rows = rows.filter(last_seq__isnull=False)
        elif self.state:
            rows = rows.filter(state=self.state)
        return rows.filter(_in_month(self.month)) if self.month else rows


def wanted_decisions(
    workspace: Workspace,
    *,
    text: str = "",
    topic: str = "",
    agent: str = "",
    **others: Any,
) -> DecisionFilter:
    """Return the filter for names; an unknown name selects nothing.

    `others` are fields of the filter.
    """
    filters = DecisionFilter(workspace.pk, text, **others)
    if topic:
        filters = replace(filters, topic_ids=topic_ids_named(workspace, topic))
    if agent:
        filters = replace(filters, agent_id=agent_id_named(workspace.pk, agent))
    return filters


def _in_month(month: str) -> Q:
    """Return the condition for a month or year; undated decisions are in none."""
    first, end = _first(month), _next(month)
    day = Q(decided_on__gte=first, decided_on__lt=end)
    since, until = (datetime(*one.timetuple()[:3], tzinfo=UTC) for one in (first, end))
    at = Q(occurred_at__gte=since, occurred_at__lt=until)
    return day | (Q(decided_on__isnull=True) & at & ~_UNDATED)


def _first(month: str) -> date:
    return date.fromisoformat(f"{month}-01-01"[:10])


def _next(month: str) -> date:
    first = _first(month)
    if len(month) == len("2026"):
        return date(min(first.year + 1, date.max.year), 1, 1)
    year, number = divmod(first.year * 12 + first.month, 12)
    return date(min(year, date.max.year), number + 1, 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision in the log: source, replacement, and the revision that dropped it."""

    decision: Decision
    source: Source | None
    sources: int
    replaced_by: Decision | None
    dropped_by: Revision | None


def decisions_page(
    filters: DecisionFilter, before: TimeKey | None
) -> tuple[tuple[Entry, ...], TimeKey | None]:
    """Return a page of the log, newest first, and the cursor of the next one."""
    rows = filters.rows().select_related("topic", "agent", "supersedes")
    found = list(newest_first(rows, before)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    last = (shown[-1].occurred_at, shown[-1].id) if len(found) > PAGE_SIZE else None
    return entries_of(filters.workspace_id, shown), last


def newest_first(
    rows: QuerySet[Stated], before: TimeKey | None = None
) -> QuerySet[Stated]:
    """Order statements newest first, those without a day last; begin after a cursor.

    One query where there is a cursor: whether its statement has a day.
    """
    undated = _UNDATED if rows.model is Decision else Q(precision=Precision.NONE)
    last = Case(When(undated, then=Value(1)), default=Value(0))
    if before is not None:
        of_cursor = rows.model._default_manager.filter(undated, pk=before[1])
        older = older_than(before)
        rows = rows.filter((undated & older) if of_cursor.exists() else undated | older)
    return rows.order_by(last, "-occurred_at", "-id")


def readable_decisions(
    rows: QuerySet[Decision], *, private: bool
) -> QuerySet[Decision]:
    """Return the decisions that a file states which a session may read.

    Those of the private file alone are for private sessions.
    """
    if private:
        return rows
    others = Source.objects.exclude(file__path__iexact=PRIVATE)
    target = {"target_id": OuterRef("pk"), "target_kind": Source.Target.DECISION}
    return rows.filter(Exists(others.filter(**target)))


def decisions_of(topic: Topic) -> QuerySet[Decision]:
    """Return the decisions of a topic, newest first."""
    rows = Decision.objects.filter(topic=topic)
    return newest_first(rows.select_related("topic", "agent", "supersedes"))


def older_than(place: TimeKey) -> Q:
    """Return the condition for rows after a cursor in a list by time."""
    at, row_id = place
    behind = Q(occurred_at__lt=at) | Q(occurred_at=at, id__lt=row_id)
    return Q(occurred_at__lte=at) & behind


def entries_of(
    workspace_id: int, shown: Sequence[Decision], file_id: int | None = None
) -> tuple[Entry, ...]:
    """Return decisions as rows of the log, each with its place in a file if any."""

    def rank(source: Source) -> tuple[bool, bool, int]:
        own = source.file_id == file_id
        return source.last_seq is None, own, -source.first_seq

    ids = [decision.id for decision in shown]
    stated = Source.objects.filter(
        target_id__in=ids, target_kind=Source.Target.DECISION
    ).select_related("file")
    sources: dict[int, list[Source]] = {}
    for source in stated.order_by("target_id", "first_seq"):
        sources.setdefault(source.target_id, []).append(source)
    successors = Decision.objects.filter(supersedes_id__in=ids).order_by("-first_seq")
    replaced = {row.supersedes_id: row for row in successors}
    seqs = {decision.last_seq for decision in shown if decision.last_seq}
    revisions = Revision.objects.filter(workspace=workspace_id, seq__in=seqs)
    dropped = {row.seq: row for row in revisions.select_related("run")}
    return tuple(
        Entry(
            decision,
            max(said, key=rank) if (said := sources.get(decision.id, [])) else None,
            sum(source.last_seq is None for source in said) or len(said),
            replaced.get(decision.id),
            dropped.get(decision.last_seq or 0),
        )
        for decision in shown
    )


@dataclass(frozen=True, slots=True)
class Facets:
    """The number of selected decisions, in total and by each further filter."""

    total: int
    topics: tuple[tuple[Topic, int], ...]
    agents: tuple[tuple[Agent, int], ...]
    states: Counter[str]
    months: tuple[tuple[str, int], ...]


def facets_of(filters: DecisionFilter) -> Facets:
    """Count the wanted decisions by topic, agent, state and month, in three queries.

    The month of undated ones is empty.
    """
    day = Coalesce(Cast("decided_on", CharField()), Written("occurred_at", "%Y-%m"))
    month = Case(
        When(_UNDATED, then=Value("")),
        default=Func(day, 1, 7, function="SUBSTR", output_field=CharField()),
    )
    groups = (
        filters.rows()
        .order_by()
        .annotate(month=month, gone=Q(last_seq__isnull=False))
        .values_list("topic_id", "agent_id", "state", "gone", "month")
        .annotate(n=Count("pk"))
    )
    topics, agents = Counter[int | None](), Counter[int | None]()
    states, months = Counter[str](), Counter[str]()
    for topic_id, agent_id, state, gone, said, n in groups:
        topics[topic_id] += n
        agents[agent_id] += n
        states[state] += n
        states[GONE] += n if gone else 0
        months[said] += n
    return Facets(
        states.total() - states[GONE],
        most_named(Topic.objects.all(), topics),
        most_named(Agent.objects.all(), agents),
        states,
        tuple(sorted(months.items(), reverse=True)),
    )


def most_named(
    rows: QuerySet[Row], counts: Counter[int | None], size: int = _FACET_SIZE
) -> tuple[tuple[Row, int], ...]:
    """Return the rows that are counted most often, with their numbers."""
    most = [(i, n) for i, n in counts.most_common(size + 1) if i is not None]
    found = rows.in_bulk([row_id for row_id, _ in most])
    return tuple((found[i], n) for i, n in most[:size] if i in found)


def staged_decisions(workspace: Workspace) -> list[Operation]:
    """Return the staged operations on decisions, newest first."""
    rows = Operation.objects.filter(
        workspace=workspace,
        state=Operation.State.STAGED,
        verb__in=_STAGED_VERBS,
    )
    return list(rows.order_by("-seq"))


def decision_by_code(workspace: Workspace, code: str) -> Decision | None:
    """Return the decision of a URL's code."""
    try:
        row_id = id_of(code)
    except ValueError:
        return None
    rows = Decision.everything.filter(workspace=workspace, pk=row_id)
    return rows.select_related("topic__file", "agent", "supersedes").first()


def spoken_in(decision: Decision) -> list[Spoken]:
    """Return the places and times of a decision, the current ones first."""
    rows = list(
        Source.objects.filter(target_id=decision.id, target_kind=Source.Target.DECISION)
        .select_related("file")
        .order_by("first_seq", "position")[:_SOURCES]
    )
    rows.sort(key=lambda row: row.last_seq is not None)
    return with_ends(decision.workspace_id, rows)


def version_and_before(revision: Revision) -> tuple[bytes, bytes]:
    """Return the bytes of a version and its predecessor, also through a move.

    Empty bytes where there is none.
    """
    before = revision.moved_from or revision.path
    rows = Revision.objects.filter(
        Q(seq=revision.seq) | Q(path=before, seq__lt=revision.seq),
        workspace=revision.workspace_id,
        seq__lte=revision.seq,
    ).select_related("blob__base")
    found = [b"", b""]
    for number, row in enumerate(rows.order_by("-seq")[:2]):
        with suppress(NoBytes):
            found[number] = blob_bytes(row.blob) if row.blob else b""
    return found[0], found[1]


def chain_of(decision: Decision) -> list[Decision]:
    """Return a decision with its predecessors and successors, in order."""
    pairs = Decision.objects.filter(
        workspace=decision.workspace_id, supersedes_id__isnull=False
    ).values_list("id", "supersedes_id")
    older = {new: old for new, old in pairs if old is not None}
    newer = {old: new for new, old in older.items()}
    before = _walk(decision.id, older)
    after = _walk(decision.id, newer, stop=set(before))
    ids = [*reversed(before), decision.id, *after]
    found = Decision.objects.select_related("topic").in_bulk(ids)
    return [found[row_id] for row_id in ids if row_id in found]


def _walk(start: int, onward: dict[int, int], stop: Iterable[int] = ()) -> list[int]:
    """Follow a chain of replacements; stop at cycles, which agents may have made."""
    seen, found, at = {start, *stop}, list[int](), onward.get(start)
    while at is not None and at not in seen and len(found) < _CHAIN:
        seen.add(at)
        found.append(at)
        at = onward.get(at)
    return found


def snapshots_with(spoken: Iterable[Spoken]) -> list[Snapshot]:
    """Return the current snapshots that contain a decision, newest first."""
    filters = Q()
    for said in spoken:
        if said.source.last_seq is None:
            filters |= Q(
                file=said.source.file_id,
                first_line__lte=said.source.first_line,
                last_line__gte=said.source.last_line,
            )
    if not filters:
        return []
    rows = Snapshot.objects.filter(filters, last_seq__isnull=True)
    return list(rows.select_related("agent").order_by(*NEWEST_FIRST)[:20])


def replaceable(workspace: Workspace) -> list[Decision]:
    """Return decisions that can be replaced: the valid ones, newest first."""
    rows = Decision.objects.filter(workspace=workspace, state__in=Decision.STANDING)
    return list(newest_first(rows)[:200])
