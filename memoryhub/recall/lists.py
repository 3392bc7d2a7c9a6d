"""Lists of a recall, a line each with its place, now or at a past moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from django.db.models import (
    Exists,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.utils.translation import override

from memoryhub.dialects import topic_context
from memoryhub.dialects.decision_log import (
    normalise,
    outcomes,
    parse_decision,
)
from memoryhub.dialects.handoff import ENDED, STATES, state_of_verb
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.line_edits import folded
from memoryhub.handoffs.models import NEWEST_FIRST, Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import (
    handoffs_of,
    is_called,
    is_of_agent,
    is_of_topic,
    moments_there,
    of_sides,
    seen_from,
)
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Source, Workspace
from memoryhub.journal.untimed import UNDATED, UNDATED_LAST
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.texts import (
    Passage,
    cut_words,
    decision_line,
    handoff_line,
    note_line,
    open_item_line,
)
from memoryhub.recall.work import newest_first
from memoryhub.search.texts import without_numbers
from memoryhub.search.words import term_texts
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.models import LogEntry
from snapshots.queries.open_items import Wanted, newest_open, owned_items
from snapshots.queries.suggestions import suggestions
from topics.models import Decision, Directive, Topic
from topics.queries.decisions import readable_decisions
from topics.queries.topics import with_content

Row = TypeVar("Row", bound=Model)

#: How many of each are given, and how many are looked through for them.
HANDOFFS, DECISIONS, DIRECTIVES, ITEMS, ENTRIES = 20, 10, 10, 10, 8
_LOOKED_THROUGH, _ENTRIES_LOOKED_THROUGH = 200, 32
#: How many topics, open items and decisions are given beside those of a topic.
TOPICS, OTHERS, SUGGESTED = 12, 5, 6
_STATES = 8
_STATUS = 160


def listed(heading: str, lines: Sequence[str], most: int = 1_000) -> Passage | None:
    """Return lines under a heading with their number; None without lines."""
    shown = "\n".join(lines[:most])
    return Passage(f"{heading} ({len(lines)})", shown) if lines else None


def handoffs(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Passage | None:
    """Return the unfinished handoffs of a topic and to the agent; else of the agent."""
    agent, seq = request.agent, request.seq
    mine = Q()
    if topic is not None:
        mine = is_of_topic(workspace, [topic.pk])
        mine |= is_called("recipient", agent, workspace) if agent else Q()
    elif agent:
        mine = is_of_agent(agent, workspace)
    if seq is None:
        rows = handoffs_of(workspace).exclude(state__in=ENDED)
    else:
        rows = of_sides(Handoff.objects.all(), [workspace])
    if not request.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    newest = rows.filter(mine).order_by(*NEWEST_FIRST)[:_LOOKED_THROUGH]
    found = seen_from([workspace], newest)
    if seq is None:
        states = {row.id: row.state for row in found}
    else:
        homes = {row.workspace_id for row in found} - {workspace.pk}
        there = moments_there(workspace, homes, [seq]) if homes else {}
        then = {row.id: there.get((row.workspace_id, seq), seq) for row in found}
        states = {
            row.id: Handoff.State.OPEN.value
            for row in found
            if row.first_seq <= then[row.id]
            and (row.last_seq is None or row.last_seq > then[row.id])
        }
        reviewed = {row.id for row in found if row.review}
        steps = HandoffStep.objects.filter(handoff__in=list(states))
        steps = steps.order_by("first_seq", "position")
        for row_id, verb, at in steps.values_list("handoff", "verb", "first_seq"):
            if at <= then[row_id] and STATES.get(verb):
                states[row_id] = state_of_verb(verb, review=row_id in reviewed)
    lines = [
        handoff_line(row, states[row.id])
        for row in found
        if row.id in states and states[row.id] not in ENDED
    ]
    return listed("Open handoffs", lines, HANDOFFS)


def directives(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Iterator[tuple[str, Passage | None]]:
    """Yield people's directives, and rules in memory that others wrote or may have.

    Newest first, undated ones last; each text once. For a topic: what concerns it or no
    other one.
    """
    rows = _stated(Directive.objects.filter(workspace=workspace), request.seq)
    if topic is not None:
        rows = rows.filter(Q(topic=topic) | Q(topic__isnull=True))
    if not request.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    people = Q(origin=Directive.Origin.PERSON)
    directed = _directive_lines(workspace, rows.filter(people))
    yield "directives", listed("Directed by people", directed)
    noted = _directive_lines(workspace, rows.exclude(people))
    yield "rules", listed("Rules noted in memory", noted)


def _directive_lines(workspace: Workspace, rows: QuerySet[Directive]) -> list[str]:
    order = ("-occurred_at", "-first_seq", "file_id", "position")
    newest = rows.order_by(UNDATED_LAST, *order)
    once: dict[str, Directive] = {}
    for row in newest.select_related("file")[: _LOOKED_THROUGH // 2]:
        once.setdefault(folded(row.text).casefold(), row)
    chosen = [*once.values()]
    owner, lines = owners_of(workspace), []
    with override("en"):
        for row in chosen[:DIRECTIVES]:
            place = f"{row.file.path}:{row.first_line}"
            who = written_by(row, owner)
            lines.append(
                f"- {cut_words(row.text)} ({', '.join(filter(None, (place, who)))})"
            )
    return lines


def written_by(row: Directive, owner: Callable[[str], str]) -> str:
    """Return who wrote a directive, in words; empty for a person's words in a file."""
    if row.origin == Directive.Origin.PERSON and not row.written_by:
        return ""
    return changed_by(row.written_by, owner(row.file.path))


def decisions(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Passage | None:
    """Return the newest decisions of a topic that its file does not say, or of all."""
    rows = standing(workspace, request)
    if topic is None:
        return _decisions("Recent decisions", rows, DECISIONS, request)
    own = Source.objects.filter(
        target_id=OuterRef("pk"),
        target_kind=Source.Target.DECISION,
        file=topic.file_id,
    )
    rows = rows.filter(~Exists(_stated(own, request.seq)), topic=topic)
    heading = "Recent decisions that the topic's file does not say"
    return listed(heading, [decision_line(row) for row in rows[:DECISIONS]])


def other_decisions(topic: Topic, request: RecallRequest) -> Passage | None:
    """Return the newest decisions of other topics and of none."""
    rows = standing(topic.workspace, request).exclude(topic=topic)
    heading = "Recent decisions of other topics"
    return _decisions(heading, rows, OTHERS, request)


def standing(workspace: Workspace, request: RecallRequest) -> QuerySet[Decision]:
    """Return decisions in force, newest first, those without a time last."""
    rows = Decision.objects.filter(workspace=workspace)
    holds = Q(state__in=Decision.STANDING)
    if request.seq is not None:
        later = Decision.objects.filter(supersedes=OuterRef("pk")).order_by("first_seq")
        rows = rows.filter(first_seq__lte=request.seq)
        rows = rows.annotate(replaced=Subquery(later.values("first_seq")[:1]))
        holds |= Q(replaced__gt=request.seq)
    rows = readable_decisions(rows, private=request.private)
    rows = (
        rows.filter(holds).annotate(is_untimed=UNDATED_LAST).select_related("workspace")
    )
    return rows.order_by("is_untimed", "-occurred_at", "-first_seq", "pk")


def _decisions(
    heading: str, rows: QuerySet[Decision], number: int, request: RecallRequest
) -> Passage | None:
    """Return the first of these decisions, each with the place that states it."""
    shown = list(rows[:number])
    sources = Source.objects.filter(
        target_id__in=[row.pk for row in shown],
        target_kind=Source.Target.DECISION,
    )
    if not request.private:
        sources = sources.exclude(file__path__iexact=PRIVATE)
    found = _stated(sources, request.seq).select_related("file")
    places = {
        one.target_id: f" ({one.file.path}:{one.first_line})"
        for one in found.order_by("first_seq", "pk")
    }
    lines = [f"{decision_line(row)}{places.get(row.pk, '')}" for row in shown]
    return listed(heading, lines)


def decision_states(topic: Topic, text: str) -> Passage | None:
    """Return the decisions that a topic's file states, but whose state others decided.

    They were signed off in a handoff, wait for that, or were rejected or superseded in
    another file.
    """
    if topic.kind != Topic.Kind.CONTEXT:
        return None
    try:
        items = topic_context.parse(text).decisions
    except FormatError:
        return None
    said = {normalise(one.text): one for one in (parse_decision(i.text) for i in items)}
    lapsed = outcomes(said.values())
    own = Source.objects.filter(
        file=topic.file_id,
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    )
    rows = Decision.objects.filter(pk__in=own.values("target_id"))
    rows = rows.exclude(state=Decision.State.STATED).select_related("workspace")
    lines = []
    for row in rows.order_by(UNDATED_LAST, "-occurred_at", "pk"):
        key = normalise(row.text)
        line = said.get(key)
        if row.state == Decision.State.UNSIGNED:
            where = f" in {row.handoff_name}" if row.handoff_name else ""
            waits = f"[waits for a person to sign it off{where}]"
            lines.append(f"{decision_line(row)} {waits}")
        elif row.state == Decision.State.SIGNED_OFF:
            if line is None or not line.signed_off_by:
                lines.append(decision_line(row))
        elif key not in lapsed:
            lines.append(f"{decision_line(row)} [{row.state}]")
    heading = "Decisions in another state than the topic's file says"
    return listed(heading, lines[:_STATES])


def open_items(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Passage | None:
    """Return the open items of a topic, or of all, mentioned last."""
    ids = frozenset({topic.pk}) if topic else None
    return _items("Open items", workspace, Wanted(topic_ids=ids), ITEMS, request)


def other_items(topic: Topic, request: RecallRequest) -> Passage | None:
    """Return the open items of other topics and of none, mentioned last."""
    others = Topic.objects.filter(workspace=topic.workspace_id).exclude(pk=topic.pk)
    ids = frozenset([None, *others.values_list("pk", flat=True)])
    heading = "Open items of other topics"
    return _items(heading, topic.workspace, Wanted(topic_ids=ids), OTHERS, request)


def _items(
    heading: str,
    workspace: Workspace,
    wanted: Wanted,
    number: int,
    request: RecallRequest,
) -> Passage | None:
    wanted = replace(wanted, private=request.private)
    works = newest_open(workspace, number, wanted, seq=request.seq)
    return listed(heading, [open_item_line(each) for each in owned_items(works)])


def suggested(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Passage | None:
    """Return suggestions that nobody has judged yet, of one topic or of all."""
    topic_id = topic.pk if topic else None
    found = suggestions(workspace, topic_id=topic_id, private=request.private)
    lines = []
    for one in found:
        old = one.replaces and f"; perhaps supersedes: {cut_words(one.replaces.text)}"
        lines += [f"- {one.kind}: {cut_words(one.row.text)} ({one.source}){old or ''}"]
    return listed("Suggested by words of the text, not declared", lines, SUGGESTED)


def topics(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Passage | None:
    """Return the names of other topics, the newest first, with their status."""
    known = Topic.objects.filter(workspace=workspace, kind=Topic.Kind.CONTEXT)
    rows = with_content(_stated(known, request.seq))
    if topic is not None:
        rows = rows.exclude(pk=topic.pk)
    if not request.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    lines = []
    for row in rows.order_by("-file__seq", "name")[:TOPICS]:
        told = request.seq is None or row.status_seq <= request.seq
        status = folded(row.status)[:_STATUS] if told else ""
        lines.append(f"- {row.name}: {status}" if status else f"- {row.name}")
    return listed("Other topics" if topic else "Topics", lines)


def entries(workspace: Workspace, request: RecallRequest) -> Passage | None:
    """Return the newest entries of logs, those that differ in numbers alone once."""
    rows = newest_first(LogEntry, workspace, request).filter(last_seq__isnull=True)
    # Apart, so that the dated ones are a walk of their index.
    dated = rows.exclude(UNDATED).order_by("-occurred_at", "-first_seq", "-position")
    newest = [*dated[:_ENTRIES_LOOKED_THROUGH]]
    newest += rows.filter(UNDATED)[: _ENTRIES_LOOKED_THROUGH - len(newest)]
    lines = _without_repeats(map(note_line, newest))
    return listed("Newest entries of logs", lines[:ENTRIES])


def _without_repeats(lines: Iterable[str]) -> list[str]:
    """Return the first of lines that differ in numbers alone, marked as such."""
    alike: dict[object, list[str]] = {}
    for line in lines:
        words = without_numbers(tuple(term_texts(line)))
        alike.setdefault(words or line, []).append(line)
    return [
        f"{first}, and more like it" if more else first
        for first, *more in alike.values()
    ]


def _stated(rows: QuerySet[Row], seq: int | None) -> QuerySet[Row]:
    """Return the rows that files state now, or stated at a seq."""
    if seq is None:
        return rows.filter(last_seq__isnull=True)
    still = Q(last_seq__isnull=True) | Q(last_seq__gt=seq)
    return rows.filter(still, first_seq__lte=seq)
