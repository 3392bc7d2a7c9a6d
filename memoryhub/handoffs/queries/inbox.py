"""An agent's inbox: its news since a cursor, and the tasks it can take now.

And whom changes concern, so that only those who wait for them are woken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Self

from django.db.models import Q

from memoryhub.dialects.handoff import SAID
from memoryhub.handoffs.models import IN_TURN, NOT_LISTED, Handoff, HandoffStep
from memoryhub.handoffs.queries.agents import is_reviewed_by
from memoryhub.handoffs.queries.alarms import alarms_and_deadlocks, digest, warnings_for
from memoryhub.handoffs.queries.board import Filters, is_for, ready
from memoryhub.handoffs.queries.lane import turns_listed
from memoryhub.handoffs.queries.sides import (
    called,
    home_ids,
    is_called,
    is_of_agent,
    last_seq_at,
    of_sides,
    seen_from,
)
from memoryhub.handoffs.rules.acting import ACTIVE, OPEN, RETURNED, REVIEW
from memoryhub.handoffs.rules.parties import (
    BY_COORDINATOR,
    is_pool,
    mentioned_in,
    mentions,
    reviewer_of,
    reviewers_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.values.cursors import decode_cursor, encode_cursor

#: Kinds of news: a task for the agent, one that it can take from now on, a step by
#: somebody else, an alarm.
TASK, READY, STEP, ALARM = "task", "ready", "step", "alarm"
#: Most takeable handoffs that a cursor remembers.
_REMEMBERED = 50


@dataclass(frozen=True, slots=True)
class Position:
    """Cursor of an inbox: seqs of journals, and ids seen outside of them.

    `seqs`: by workspace id, its own and those that it sent handoffs to. `ready` and
    `alarms`: digests of those it knows, because they come and go with time.
    """

    seqs: Mapping[int, int]
    ready: frozenset[str] = frozenset()
    alarms: frozenset[str] = frozenset()

    @property
    def cursor(self) -> str:
        """The position as text."""
        seqs = " ".join(f"{pk}:{seq}" for pk, seq in sorted(self.seqs.items()))
        seen = (" ".join(sorted(part)) for part in (self.ready, self.alarms))
        return encode_cursor(seqs, *seen)

    @classmethod
    def from_cursor(cls, cursor: str) -> Self:
        """Return the position of a cursor.

        Raises:
            ValueError: not a cursor of an inbox.
        """
        seqs, ready_, alarms_ = map(str, decode_cursor(cursor, str, str, str))
        pairs = (pair.partition(":") for pair in seqs.split())
        found = {int(pk): int(seq) for pk, _, seq in pairs}
        return cls(found, frozenset(ready_.split()), frozenset(alarms_.split()))

    @classmethod
    def at_time(cls, workspace: Workspace, at: datetime) -> Self:
        """Return the position of journals at a time; every alarm is news to it."""
        return cls({pk: last_seq_at(pk, at) for pk in home_ids(workspace)})


class News(NamedTuple):
    """Something that changed: its kind, the handoff, and for a step or alarm more.

    `handoff`: None for an alarm that is about an agent or files. `what`: verb of a
    step, or kind of an alarm. `by`: who did it, or the agent of an alarm without a
    handoff. `output`: of a result.
    """

    kind: str
    at: datetime
    handoff: Handoff | None
    what: str = ""
    by: str = ""
    reason: str = ""
    output: str = ""


class Inbox(NamedTuple):
    """News, oldest first, tasks that can be taken now, and the next cursor."""

    news: tuple[News, ...]
    ready: tuple[Handoff, ...]
    position: Position


def inbox(
    workspace: Workspace,
    agent: str,
    since: Position | None,
    now: datetime,
    *,
    limit: int,
    hidden: str = "",
) -> Inbox:
    """Return an agent's inbox; without `since`, every unfinished task is news.

    `hidden`: path of the file whose handoffs are left out. `limit`: most handoffs that
    can be taken.
    """
    seqs = seqs_of(workspace)
    known = since or Position({})
    filters = Filters(recipient=agent, state=OPEN, without_file=hidden)
    takeable = ready(workspace, filters, turns_listed(workspace), now, limit=limit)
    warnings = warnings_for(workspace, agent, now, hidden)
    mine = is_of_agent(agent, workspace) | is_for(agent, workspace)
    mine |= is_called("taken_by", agent, workspace) | is_reviewed_by(agent, workspace)
    rows = mine & ~Q(file__path__iexact=hidden) if hidden else mine
    arrived = _arrived(workspace, agent, rows, within(known.seqs, seqs))
    if since is None:
        steps = _awaited(workspace, agent, rows)
    else:
        new = within(known.seqs, seqs)
        steps = _steps(workspace, agent, rows, new, hidden)
    named = {news.handoff.pk for news in arrived if news.handoff}
    others = (row for row in takeable if row.pk not in named)
    freed = [
        News(READY, row.since, row)
        for row in others
        if digest(row.code) not in known.ready
    ]
    heard = {(news.what, news.handoff) for news in steps}
    raised = [
        News(ALARM, w.at or now, w.handoff, w.kind, by=w.agent, reason=w.reason)
        for w in warnings
        if w.digest not in known.alarms and (w.kind, w.handoff) not in heard
    ]
    news = [*arrived, *steps, *freed, *raised]
    position = Position(
        seqs,
        frozenset(digest(row.code) for row in takeable[:_REMEMBERED]),
        frozenset(warning.digest for warning in warnings),
    )
    return Inbox(tuple(sorted(news, key=lambda n: n.at)), takeable, position)


def seqs_of(workspace: Workspace) -> dict[int, int]:
    """Return the last seqs of a workspace and those it sent handoffs to, by id."""
    rows = Workspace.objects.filter(pk__in=home_ids(workspace))
    return dict(rows.values_list("pk", "projected_seq"))


def within(known: Mapping[int, int], seqs: Mapping[int, int]) -> Q:
    """Return the condition for rows recorded after one position, up to another."""
    found = Q(pk__in=())
    for pk, seq in seqs.items():
        first = known.get(pk, 0)
        found |= Q(workspace=pk, first_seq__gt=first, first_seq__lte=seq)
    return found


def _arrived(workspace: Workspace, agent: str, rows: Q, new: Q) -> list[News]:
    live = of_sides(Handoff.objects.filter(last_seq__isnull=True), [workspace])
    mine = live.filter(rows & new & is_for(agent, workspace), state__in=ACTIVE)
    sent = mine.exclude(is_called("sender", agent, workspace)).order_by(*IN_TURN)
    cards = sent.select_related("workspace", "topic", "file").defer(*NOT_LISTED)
    found = seen_from([workspace], cards)
    return [News(TASK, row.sent_at, row, "sent", row.sender) for row in found]


def _awaited(workspace: Workspace, agent: str, rows: Q) -> list[News]:
    """Return the last steps after which work came to an agent: sent back, to accept."""
    live = of_sides(Handoff.objects.filter(last_seq__isnull=True), [workspace])
    mine = live.filter(rows & is_called("acts", agent, workspace))
    back = mine.filter(state__in=(RETURNED, REVIEW)).order_by(*IN_TURN)
    cards = back.select_related("workspace", "topic", "file").defer(*NOT_LISTED)
    return [
        News(
            *(STEP, row.since, row, row.last_verb, row.last_actor, row.last_reason),
            output=row.result if row.state == REVIEW else "",
        )
        for row in seen_from([workspace], cards)
    ]


def _steps(
    workspace: Workspace, agent: str, rows: Q, new: Q, hidden: str
) -> list[News]:
    """Return others' steps, each once: its result and its log line are one.

    Of handoffs that do not concern the agent, only messages that mention it.
    """
    live = of_sides(Handoff.objects.filter(last_seq__isnull=True), [workspace])
    found = HandoffStep.objects.filter(new, last_seq__isnull=True, stranger=False)
    found = found.filter(handoff__in=live.values("pk"))
    found = found.order_by("first_seq", "position")
    mine = live.filter(rows).values("pk")
    steps = list(found.filter(handoff__in=mine).exclude(verb__in=("", "sent")))
    calls = found.filter(verb=SAID, reason__contains="@").exclude(handoff__in=mine)
    calls = calls.exclude(handoff__file__path__iexact=hidden) if hidden else calls
    steps += [step for step in calls if mentions(step.reason, agent)]
    whole = Handoff.objects.filter(pk__in={step.handoff_id for step in steps})
    cards = whole.select_related("workspace", "topic", "file").defer(*NOT_LISTED)
    seen = {row.pk: row for row in seen_from([workspace], cards)}
    news: dict[tuple[int, str, str], News] = {}
    for step in sorted(steps, key=lambda step: step.is_result):
        row = seen[step.handoff_id or 0]
        actor = step.actor
        if step.is_result and not actor:
            actor = row.taken_by or row.recipient
        elif actor and row.workspace.pk != workspace.pk:
            actor = called(actor, row.workspace.slug, workspace.slug)
        at = step.happened_at or step.recorded_at
        one = News(STEP, at, row, step.verb, actor, step.reason, step.output)
        key = _key_of(step, one, news)
        other = news.get(key)
        news[key] = _joined(other, one) if other else one
    return [one for one in news.values() if one.by != agent]


def _key_of(
    step: HandoffStep, one: News, known: Mapping[tuple[int, str, str], News]
) -> tuple[int, str, str]:
    """Return the grouping key of a step: each message, each verb of an actor.

    A result belongs to the last line of its verb, whoever wrote it.
    """
    row_id = step.handoff_id or 0
    if step.verb == SAID:
        return row_id, SAID, str(step.pk)
    if step.is_result:
        lines = [key for key in known if key[:2] == (row_id, step.verb)]
        if lines:
            return lines[-1]
    return row_id, step.verb, one.by


def _joined(one: News, other: News) -> News:
    """Return the later of two steps, or a log line with its result, as one."""
    return one._replace(
        at=max(one.at, other.at),
        reason=other.reason or one.reason,
        output=other.output or one.output,
        by=one.by or other.by,
    )


#: Most handoffs that can be taken, and of changed ones, that are looked at.
_READY, _CHANGED = 200, 200


class Heads(NamedTuple):
    """State of a workspace's handoffs: seqs of journals, takeable ones, alarms.

    `ready`: recipient by row. `alarms`: keys. `coordinated`: identities of those for
    coordinators.
    """

    seqs: Mapping[int, int]
    ready: Mapping[int, str]
    alarms: frozenset[object]
    coordinated: frozenset[str]


def heads_of(workspace: Workspace, now: datetime) -> Heads:
    """Return the state of a workspace's handoffs."""
    rows = ready(
        workspace, Filters(state=OPEN), turns_listed(workspace), now, limit=_READY
    )
    return Heads(
        seqs_of(workspace),
        {row.pk: row.recipient for row in rows},
        frozenset(a.key for a in alarms_and_deadlocks(workspace, now)),
        frozenset(_for_coordinators(workspace, now)),
    )


def _for_coordinators(workspace: Workspace, now: datetime) -> Iterator[str]:
    for name in workspace.coordinators[:1]:
        yield from (one.digest for one in warnings_for(workspace, name, now))


def concerned(
    workspace: Workspace, before: Heads, after: Heads
) -> frozenset[str] | None:
    """Return the agents for whom something changed; None if anybody may be."""
    if after.alarms - before.alarms:
        return None
    names = {after.ready[pk] for pk in after.ready.keys() - before.ready.keys()}
    rows = _changed(workspace, before, after)
    if len(rows) >= _CHANGED:
        return None
    names |= {name for row in rows for name in (row.sender, row.recipient)}
    names |= {row.taken_by for row in rows}
    for row in rows:
        names |= _reviewers(workspace, row)
    if after.coordinated - before.coordinated:
        names |= set(workspace.coordinators)
    is_for_any = any(map(is_pool, names)) or _mentions_agents(before, after)
    return None if is_for_any else frozenset(names)


def _reviewers(workspace: Workspace, row: Handoff) -> set[str]:
    if reviewer_of(row) == BY_COORDINATOR:
        return set(workspace.coordinators)
    return reviewers_of(row)


def _mentions_agents(before: Heads, after: Heads) -> bool:
    """Return whether a new message mentions an agent, by whatever spelling."""
    said = HandoffStep.objects.filter(
        within(before.seqs, after.seqs), verb=SAID, reason__contains="@"
    )
    texts = said.order_by().values_list("reason", flat=True)[:_CHANGED]
    names = (name for text in texts for name in mentioned_in(text))
    return not all(map(is_person, names))


def _changed(workspace: Workspace, before: Heads, after: Heads) -> list[Handoff]:
    new = within(before.seqs, after.seqs)
    moved = HandoffStep.objects.filter(new).values("handoff")
    live = of_sides(Handoff.objects.filter(last_seq__isnull=True), [workspace])
    sent = live.filter(new).values("pk")
    rows = live.filter(pk__in=sent) | live.filter(pk__in=moved)
    cards = rows.select_related("workspace").defer(*NOT_LISTED)
    return seen_from([workspace], cards[:_CHANGED])
