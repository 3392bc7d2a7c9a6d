"""Input of a recall: current texts and rows, and those at an earlier seq.

The facts of two moments cost hardly more queries than those of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from django.db.models import Exists, Min, OuterRef, Q, QuerySet

from memoryhub.formats.hub.handoff_state import ENDED, STATES, state_of_verb
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import (
    handoffs_of,
    is_called,
    is_of_topic,
    moments_there,
    of_sides,
    seen_from,
)
from memoryhub.journal.models import Source
from memoryhub.journal.precision import Precision
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.recall import lists
from memoryhub.recall.hub import HubFacts
from memoryhub.recall.states import states_passage
from memoryhub.recall.texts import (
    Passage,
    TextAt,
    decision_line,
    handoff_line,
    memory_passage,
    note_line,
    snapshot_passage,
    texts_at,
)
from snapshots.models import (
    NEWEST_FIRST,
    AuthoredSpan,
    Compaction,
    LogEntry,
    SessionMemory,
    Snapshot,
)
from topics.models import Decision, SessionBinding, Topic

Row = TypeVar("Row", bound=AuthoredSpan)

#: How many of each are given, and how many are looked through for them.
HANDOFFS, DECISIONS, NOTES, _LOOKED_THROUGH = 20, 10, 5, 200
CLOSED = ENDED
HOLDS = frozenset(Decision.STANDING)


@dataclass(frozen=True, slots=True)
class Context:
    """The parameters of a recall: topic, agent and moment.

    `text` replaces the topic's file where edits wait to be written. Without `private`
    what the private file alone states is left out. `guessed`: nobody named the topic,
    so that other topics count too.
    """

    topic: Topic
    agent: str
    text: str | None
    now: datetime
    seq: int | None = None
    private: bool = True
    guessed: bool = False


def last_compaction(topic: Topic) -> Compaction | None:
    """Return the newest compaction in a topic's history."""
    rows = Compaction.objects.filter(topic=topic)
    return rows.order_by("-first_seq", "-occurred_at").first()


def topic_facts(context: Context) -> HubFacts:
    """Return a topic's file, and the number of sessions bound to it."""
    topic = context.topic
    if context.text is not None:
        text = context.text
    else:
        requested = TextAt(topic.file, topic.last_seq, context.seq)
        text = texts_at(topic.workspace, [requested])[0]
    bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
    root = topic.workspace.root
    return HubFacts(_topic_passage(topic, text), root, bound.count())


def hub_facts(
    context: Context, compaction: Compaction | None, *moments: int | None
) -> list[HubFacts]:
    """Return the input of a topic's recall at each of several moments; None is now."""
    newest = [_newest_work(context, row) for row in _newest_snapshots(context, moments)]
    texts = texts_at(context.topic.workspace, list(_wanted(context, newest)))
    handoffs = _Handoffs.of(context, moments)
    decisions = _Decisions.of(context, moments)
    found = []
    for number, (one, text) in enumerate(zip(newest, texts, strict=False)):
        snapshot, seq = one.snapshot, one.seq
        items, other_items = _open_items(context, seq)
        directed, noted = _directives(context, seq)
        end = context.topic.last_seq
        is_deleted = end is not None and (seq is None or end <= seq)
        if seq is None and context.text is not None:
            text = context.text
        found.append(
            HubFacts(
                _topic_passage(context.topic, text, is_deleted=is_deleted),
                context.topic.workspace.root,
                is_deleted=is_deleted,
                snapshot=snapshot,
                fallback=one.fallback,
                snapshot_text=one.passage(texts[len(newest) + number]),
                states=states_passage(context.topic, text) if seq is None else None,
                handoffs=handoffs.passage(seq),
                directives=directed,
                rules=noted,
                decisions=decisions.passage(seq),
                items=items,
                other_items=other_items,
                other_decisions=_other_decisions(context),
                compaction=compaction,
                newer_decision=decisions.newer_than(snapshot, seq),
            )
        )
    return found


def _directives(
    context: Context, seq: int | None
) -> tuple[Passage | None, Passage | None]:
    topic, private = context.topic, context.private
    return lists.directives(topic.workspace, private=private, topic=topic, seq=seq)


def _open_items(
    context: Context, seq: int | None
) -> tuple[Passage | None, Passage | None]:
    topic, private, every = context.topic, context.private, context.guessed
    return lists.items_of_topic(topic, private=private, every=every, seq=seq)


def _other_decisions(context: Context) -> Passage | None:
    if not context.guessed:
        return None
    return lists.other_decisions(context.topic, private=context.private)


def _topic_passage(topic: Topic, text: str, *, is_deleted: bool = False) -> Passage:
    path = topic.file.path
    heading = "Topic, whose file was deleted" if is_deleted else "Topic"
    return Passage(heading, text, path, 1, f"{topic.name} ({path})")


def _wanted(context: Context, newest: Sequence[_NewestWork]) -> Iterator[TextAt]:
    """Yield the texts to read: the topic's file at each moment, then the snapshots."""
    topic = context.topic
    for one in newest:
        yield TextAt(topic.file, topic.last_seq, one.seq)
    for one in newest:
        row = one.rows[0] if one.rows and one.fallback != "notes" else None
        yield TextAt(row.file, row.last_seq, one.seq) if row else TextAt(None)


@dataclass(frozen=True, slots=True)
class _NewestWork:
    """The newest snapshot at a moment, or its fallback."""

    seq: int | None
    fallback: str
    rows: tuple[AuthoredSpan, ...]

    @property
    def snapshot(self) -> Snapshot | None:
        row = self.rows[0] if self.rows and not self.fallback else None
        return row if isinstance(row, Snapshot) else None

    def passage(self, text: str) -> Passage | None:
        if not self.rows:
            return None
        row = self.rows[0]
        if isinstance(row, Snapshot):
            label = "Newest snapshot"
            if self.fallback:
                label = "No snapshot names this topic; the newest of its agent"
            return snapshot_passage(row, text, label, then=self.seq is not None)
        if isinstance(row, SessionMemory):
            return memory_passage(row, text)
        heading = "No snapshot; the newest notes of this topic"
        notes = [note_line(entry) for entry in self.rows if isinstance(entry, LogEntry)]
        return Passage(heading, "\n".join(notes))


#: A moment, the newest snapshot of the topic then, and a fallback of no topic.
_Newest = tuple[int | None, Snapshot | None, Snapshot | None]


def _newest_snapshots(context: Context, moments: Sequence[int | None]) -> list[_Newest]:
    """Return the newest snapshots at each moment, in one query."""
    requested = Q()
    for seq in moments:
        of_topic = _known(Snapshot, context, seq).filter(copy_of__isnull=True)
        requested |= Q(pk=of_topic.values("pk")[:1])
        requested |= Q(pk=_loose_snapshots(context, seq).values("pk")[:1])
    rows = Snapshot.objects.filter(requested).order_by(*NEWEST_FIRST)
    found = list(_whole(rows))
    newest = []
    for seq in moments:
        known = [row for row in found if seq is None or row.first_seq <= seq]
        own = next((row for row in known if row.topic_id is not None), None)
        loose = next((row for row in known if row.topic_id is None), None)
        newest.append((seq, own, loose))
    return newest


def _known(model: type[Row], context: Context, seq: int | None) -> QuerySet[Row]:
    """Return rows of the topic, and of the requested agent if any, newest first."""
    rows = model._default_manager.filter(topic=context.topic)
    if context.agent:
        rows = rows.filter(agent__name=context.agent)
    return _so_far(rows, seq).order_by(*NEWEST_FIRST)


def _so_far(rows: QuerySet[Row], seq: int | None) -> QuerySet[Row]:
    return rows if seq is None else rows.filter(first_seq__lte=seq)


def _whole(rows: QuerySet[Row]) -> QuerySet[Row]:
    return rows.select_related("file", "agent", "workspace")


def _newest_work(context: Context, newest: _Newest) -> _NewestWork:
    seq, own, loose = newest
    if own is not None:
        return _NewestWork(seq, "", (own,))
    memory = _whole(_known(SessionMemory, context, seq)).first()
    if memory is not None:
        return _NewestWork(seq, "session-memory", (memory,))
    if loose is not None:
        return _NewestWork(seq, "agent-snapshot", (loose,))
    notes = tuple(_whole(_known(LogEntry, context, seq))[:NOTES])
    return _NewestWork(seq, "notes" if notes else "none", notes)


def _loose_snapshots(context: Context, seq: int | None) -> QuerySet[Snapshot]:
    """Return snapshots of no topic by agents bound to this one, newest first."""
    bound = SessionBinding.objects.filter(topic=context.topic, last_seq__isnull=True)
    rows = Snapshot.objects.filter(
        workspace=context.topic.workspace_id,
        topic__isnull=True,
        copy_of__isnull=True,
        agent__in=bound.values("agent"),
    )
    if context.agent:
        rows = rows.filter(agent__name=context.agent)
    return _so_far(rows, seq).order_by(*NEWEST_FIRST)


@dataclass(frozen=True, slots=True)
class _Handoffs:
    """Handoffs, newest first, with their steps for earlier moments."""

    rows: tuple[Handoff, ...]
    steps: tuple[tuple[int | None, str, int], ...]
    #: Moments in the journals of other workspaces, by workspace and moment here.
    there: Mapping[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context, moments: Sequence[int | None]) -> _Handoffs:
        workspace = context.topic.workspace
        mine = is_of_topic(workspace, [context.topic.pk])
        if context.agent:
            mine |= is_called("recipient", context.agent, workspace)
        then = max((seq for seq in moments if seq is not None), default=None)
        if then is None:
            rows = handoffs_of(workspace).exclude(state__in=CLOSED)
        else:
            rows = of_sides(Handoff.objects.all(), [workspace])
        newest = rows.filter(mine).order_by("-occurred_at", "-pk")[:_LOOKED_THROUGH]
        found = tuple(seen_from([workspace], newest))
        if then is None or not found:
            return cls(found, ())
        homes = {row.workspace_id for row in found} - {workspace.pk}
        past = [seq for seq in moments if seq is not None]
        return cls(found, _steps(found), moments_there(workspace, homes, past))

    def passage(self, seq: int | None) -> Passage | None:
        moments: dict[int | None, int | None]
        moments = {row.pk: self._moment_of(row, seq) for row in self.rows}
        reviewed = {row.pk for row in self.rows if row.review}
        known = {
            row_id: state_of_verb(verb, review=row_id in reviewed)
            for row_id, verb, at in self.steps
            if at <= (moments.get(row_id) or 0) and STATES.get(verb)
        }
        lines = [
            handoff_line(row, state)
            for row in self.rows
            if (state := self._state_of(row, moments[row.pk], known))
            and state not in CLOSED
        ]
        if not lines:
            return None
        shown = "\n".join(lines[:HANDOFFS])
        return Passage(f"Open handoffs ({len(lines)})", shown)

    def _moment_of(self, row: Handoff, seq: int | None) -> int | None:
        """Return a moment in the journal that has the handoff; None is now."""
        return None if seq is None else self.there.get((row.workspace_id, seq), seq)

    def _state_of(
        self, row: Handoff, seq: int | None, known: Mapping[int | None, str]
    ) -> str:
        """Return the state now, or as known then; empty if in no file."""
        if seq is None:
            return row.state if row.last_seq is None else ""
        if row.first_seq > seq or (row.last_seq is not None and row.last_seq <= seq):
            return ""
        return known.get(row.pk, Handoff.State.OPEN.value)


def _steps(rows: Iterable[Handoff]) -> tuple[tuple[int | None, str, int], ...]:
    found = HandoffStep.objects.filter(handoff__in=[row.pk for row in rows]).order_by(
        "first_seq", "position"
    )
    return tuple(found.values_list("handoff_id", "verb", "first_seq"))


@dataclass(frozen=True, slots=True)
class _Decisions:
    """Decisions of the topic or of none, newest first, with when they were replaced."""

    rows: tuple[Decision, ...]
    replaced: dict[int | None, int]

    @classmethod
    def of(cls, context: Context, moments: Sequence[int | None]) -> _Decisions:
        topic = context.topic
        newest = Decision.objects.filter(topic=topic)
        if not context.private:
            newest = lists.not_private(newest)
        if moments == (None,):
            newest = newest.filter(state__in=HOLDS)
        ordered = (UNDATED_LAST, "-occurred_at", "-first_seq", "pk")
        looked = newest.order_by(*ordered).values("pk")[:_LOOKED_THROUGH]
        rows = Decision.objects.filter(pk__in=looked).select_related("workspace")
        for seq in moments:
            stated = Exists(_own_sources(topic, seq))
            rows = rows.annotate(**{f"stated_{seq or 'now'}": stated})
        found = tuple(rows.order_by(*ordered))
        return cls(found, {} if moments == (None,) else _replaced(found))

    def passage(self, seq: int | None) -> Passage | None:
        """Return the newest decisions missing from the topic's own file."""
        stated = f"stated_{seq or 'now'}"
        rows = [row for row in self._holding(seq) if not getattr(row, stated)]
        lines = [decision_line(row) for row in rows[:DECISIONS]]
        heading = "Recent decisions that the topic's file does not say"
        return Passage(f"{heading} ({len(lines)})", "\n".join(lines)) if lines else None

    def newer_than(self, snapshot: Snapshot | None, seq: int | None) -> Decision | None:
        """Return the newest valid decision, if it is newer than a snapshot."""
        newest = next(self._holding(seq), None)
        late = snapshot and newest and newest.occurred_at > snapshot.occurred_at
        is_dated = newest is not None and newest.precision != Precision.NONE
        return newest if late and is_dated else None

    def _holding(self, seq: int | None) -> Iterator[Decision]:
        for row in self.rows:
            if seq is None:
                holds = row.state in HOLDS
            else:
                replaced = self.replaced.get(row.pk)
                later = replaced is not None and replaced > seq
                holds = row.first_seq <= seq and (row.state in HOLDS or later)
            if holds:
                yield row


def _replaced(rows: Iterable[Decision]) -> dict[int | None, int]:
    """Return times of decisions' first replacements; a join would read all rows."""
    later = Decision.objects.filter(supersedes__in=[row.pk for row in rows])
    seqs = later.values("supersedes").annotate(seq=Min("first_seq"))
    return dict(seqs.values_list("supersedes", "seq"))


def _own_sources(topic: Topic, seq: int | None) -> QuerySet[Source]:
    own = Source.objects.filter(
        target_id=OuterRef("pk"),
        target_kind=Source.Target.DECISION,
        file=topic.file_id,
    )
    if seq is None:
        return own.filter(last_seq__isnull=True)
    still = Q(last_seq__isnull=True) | Q(last_seq__gt=seq)
    return own.filter(still, first_seq__lte=seq)
