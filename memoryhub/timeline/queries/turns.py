"""Items of a workspace that wait for a person ("turns"), for all its pages.

Each is actionable for the person; a normal wait of one agent for another is not
included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypedDict

from django.db import connection
from django.db.models import F, Max, Sum
from django.utils import timezone

from memoryhub.claims.queries import Overlap, overlaps_shown
from memoryhub.comments.queries import (
    WaitingThread,
    waiting_threads,
    waits_for,
    waits_for_anybody,
)
from memoryhub.compaction.breaker import Breaker
from memoryhub.database.stored_counts import Counted, stored_counts
from memoryhub.handoffs.models import Handoff, SignOfLife
from memoryhub.handoffs.queries.alarms import (
    FAILED_FOR,
    UNKNOWN,
    Alarm,
    alarms_shown,
    failed_lately,
    has_failed,
    next_alarms,
)
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.queries.messages import (
    Message,
    messages_to_people,
    newest_threads,
)
from memoryhub.handoffs.queries.sides import seen_from
from memoryhub.handoffs.queries.waiting import Deadlock, deadlocks
from memoryhub.handoffs.rules.acting import BLOCKED, REVIEW, named_by_handoff
from memoryhub.journal.breakers import open_breakers
from memoryhub.journal.models import (
    Blob,
    Operation,
    Problem,
    SourceFile,
    Workspace,
)
from memoryhub.journal.page_cache import cached, relate
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import (
    GONE_AT_ONCE,
    MEMORY_GONE,
    SECRETS,
    SHRANK,
    current_problems,
)
from memoryhub.journal.rows import table_of
from memoryhub.notices.rules.answering import may_answer
from memoryhub.people.policy import me, rights_in, visitor
from memoryhub.people.roles import absent_from, is_team
from memoryhub.people.services.assignments import assigned_in
from memoryhub.reviews.queries import OpenCard, cards_after, open_cards
from memoryhub.timeline.queries.events import Count
from snapshots.models import Snapshot
from topics.models import Topic
from topics.queries.topics import newest_snapshots, topic_state

#: Limit of rows of each kind on a page.
LIMIT = 99
_UNREADABLE = ("unreadable", "json-invalid", "not-imported", "encoding-unknown")
#: Unfinished handoffs that are counted.
HANDOFFS = 500
#: What a person has to answer or decide, in order of urgency.
ANSWERS = (
    "sign-off",
    "question",
    "review",
    "message",
    "comment",
    "conflict",
    "staged",
    "gone",
    "shrank",
    "secrets",
    "memory",
)
#: The same with what looks stuck, after it.
KINDS = (
    *ANSWERS,
    "deadlock",
    "breaker",
    "overlap",
    "claims",
    "silent",
    "stuck",
    "overdue",
    "unknown-recipient",
    "lane",
    "blocked",
    "failed",
    "unreadable",
)
#: Groups of rows.
MINE, OTHERS, STUCK = "mine", "others", "stuck"
_REASON = 300
#: Columns of a failed handoff that its turn needs.
_SHOWN = (
    "task_id", "sender", "recipient", "type", "state", "acts", "context", "result",
    "last_verb", "last_reason", "occurred_at", "precision", "last_at", "signed_by",
    "twin", "topic", "topic_name", "in_lane", "workspace", "review",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loss:
    """Lines that a file lost, or a deleted file; the version of this seq has them.

    `card`: the change's card in the review queue, 0 for none.
    """

    path: str
    lines: int
    seq: int
    at: datetime
    is_gone: bool = False
    card: int = 0


def problems_in(workspace: Workspace) -> list[tuple[str, str]]:
    """Return unreadable files, and the first ones of those missing at once."""
    return [
        (code, parameters.get("names", "") if code == GONE_AT_ONCE else path)
        for code, path, parameters in _PROBLEMS(workspace.pk)
    ]


_PROBLEMS: Prepared[tuple[str, str, dict[str, Any]]] = Prepared(
    lambda workspace_id: (
        current_problems(workspace_id)
        .filter(code_name__in=(*_UNREADABLE, GONE_AT_ONCE))
        .values_list("code_name", "path", "parameters")[:LIMIT]
    ),
    int,
)


def secrets_in(workspace: Workspace) -> list[tuple[str, int]]:
    """Return the files with probable secrets, each with their number."""
    return [(path, parameters["count"]) for path, parameters in _SECRETS(workspace.pk)]


_SECRETS: Prepared[tuple[str, dict[str, Any]]] = Prepared(
    lambda workspace_id: (
        current_problems(workspace_id)
        .filter(code_name=SECRETS)
        .order_by("path")
        .values_list("path", "parameters")
    ),
    int,
)


def losses_in(workspace: Workspace) -> Iterator[Loss]:
    """Yield the losses of lines, the newest first."""
    for row in _LOSSES(workspace.pk):
        lines, seq = row.parameters["lines"], row.parameters["seq"]
        is_gone = row.code_name == MEMORY_GONE
        yield Loss(row.path, lines, seq, row.recorded_at, is_gone)


_LOSSES: Prepared[Problem] = Prepared(
    lambda workspace_id: (
        current_problems(workspace_id)
        .filter(code_name__in=SHRANK)
        .order_by("-recorded_at", "-id")[:LIMIT]
    ),
    int,
)


class EditedFiles(TypedDict):
    """Files with staged edits: those changed on disk since, and the others."""

    conflicts: tuple[str, ...]
    staged: tuple[str, ...]


def edited_in(workspaces: Sequence[Workspace]) -> Mapping[int, EditedFiles]:
    """Return the files with staged edits, by workspace id.

    States and target of operations are spelled as in the partial index on open ones,
    which bound parameters would not match: this query runs for each page.
    """
    found: dict[int, tuple[list[str], list[str]]]
    found = {one.pk: ([], []) for one in workspaces}
    operation, file, blob = map(table_of, (Operation, SourceFile, Blob))
    known = ", ".join(["%s"] * len(found))
    statement = f"""SELECT o.workspace_id, o.target, MAX(b.sha256 <> o.before_sha)
  FROM {operation} AS o LEFT JOIN {file} AS f ON f.workspace_id = o.workspace_id
    AND f.path = o.target AND f.present
  LEFT JOIN {blob} AS b ON b.id = f.blob_id
  WHERE o.workspace_id IN ({known}) AND o.target >= ''
  AND o.state IN ('staged', 'pending') AND o.state <> 'pending'
  GROUP BY o.workspace_id, o.target ORDER BY o.workspace_id, o.target"""
    with connection.cursor() as cursor:
        cursor.execute(statement, list(found))
        for key, path, is_conflict in cursor.fetchall():
            found[key][0 if is_conflict else 1].append(path)
    return {
        key: EditedFiles(conflicts=tuple(conflicts), staged=tuple(staged))
        for key, (conflicts, staged) in found.items()
    }


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """The rows that need a person; at most `LIMIT` of each kind."""

    #: Unfinished handoffs in which a person must act, the oldest first.
    for_person: tuple[Handoff, ...] = ()
    #: Handoffs blocked at an agent, and the most recently failed ones.
    stuck: tuple[Handoff, ...] = ()
    failed: tuple[Handoff, ...] = ()
    #: The newest snapshots of topics, if blocked.
    blocked: tuple[Snapshot, ...] = ()
    #: Files that could not be read, and files changed here and on disk.
    unreadable: tuple[str, ...] = ()
    #: The first of many files missing at once and not accepted as deleted.
    gone_at_once: tuple[str, ...] = ()
    #: Files with probable secrets, each with their number.
    secrets: tuple[tuple[str, int], ...] = ()
    #: Lines that files lost and at which no person has looked.
    losses: tuple[Loss, ...] = ()
    conflicts: tuple[str, ...] = ()
    #: Files with edits that wait to be written.
    staged: tuple[str, ...] = ()
    breakers: tuple[Breaker, ...] = ()
    #: The newest unread message of each thread to the same people, and their number.
    messages: tuple[tuple[Message, int], ...] = ()
    #: Threads of comments that wait for somebody; `of_person` leaves the person's.
    comments: tuple[WaitingThread, ...] = ()
    #: Tasks that wait for each other.
    circles: tuple[Deadlock, ...] = ()
    #: Handoffs that stand still, at the time of the look.
    alarms: tuple[Alarm, ...] = ()
    #: Files that several agents hold, at the time of the look.
    claims: tuple[Overlap, ...] = ()
    #: Changes of long-lived memory to review, the newest first.
    reviews: tuple[OpenCard, ...] = ()
    #: User names of people to whom rows are assigned, by `Turn.mark`.
    assigned: Mapping[str, str] = field(default_factory=dict)
    #: User names, casefolded, of accounts that cannot act here: nothing waits for them.
    absent: frozenset[str] = frozenset()
    #: Number of unfinished handoffs, counted up to `HANDOFFS`.
    open: int = 0
    #: Kinds of rows that the reader's rights do not allow to answer.
    barred: frozenset[str] = frozenset()

    def of_reader(self, workspace: Workspace) -> TurnFacts:
        """Return the rows as the request's person has them.

        Without comments that wait for others by name. Commands and agents have no
        person: all that any person may answer needs an answer.
        """
        name = me()
        return replace(
            self.not_accepted_by(name),
            comments=tuple(c for c in self.comments if waits_for(c.waits_for, name)),
            barred=_barred_in(workspace),
        )

    def not_accepted_by(self, name: str) -> TurnFacts:
        """Return the rows without changes that a person accepted and another has to."""
        theirs = {c.number for c in self.reviews if c.accepted_by == name}
        return replace(
            self,
            reviews=tuple(c for c in self.reviews if c.number not in theirs),
            losses=tuple(loss for loss in self.losses if loss.card not in theirs),
        )

    @property
    def is_whole(self) -> bool:
        """True if no kind reached its limit."""
        rows = (self.for_person, self.stuck, self.failed, self.blocked)
        return all(len(found) < LIMIT for found in rows)

    @property
    def unfinished(self) -> str:
        """The number of unfinished handoffs as text; empty for none."""
        return f"{self.open}+" if self.open >= HANDOFFS else str(self.open or "")


def _barred_in(workspace: Workspace) -> frozenset[str]:
    """Return the kinds of rows that the request's person may not answer."""
    name, rights = me(), rights_in(workspace.slug)
    signers = workspace.signers if visitor() else ()
    return frozenset(
        kind for kind in ANSWERS if not may_answer(kind, name, rights, signers)
    )


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that waits for a person; `handoff` and `blocked` are its rows."""

    kind: str
    at: datetime | None
    handoff: Handoff | None = None
    blocked: Snapshot | None = None
    breaker: Breaker | None = None
    names: tuple[str, ...] = ()
    #: Ids of the tasks of a deadlock.
    tasks: tuple[str, ...] = ()
    loss: Loss | None = None
    #: Changes of memory to review, of which `names` has the oldest; secrets in the
    #: files of `names`.
    number: int = 0
    #: User names of those for whom it waits; empty: for everybody.
    waits_for: tuple[str, ...] = ()
    #: User name of the person to whom it is assigned.
    assigned: str = ""
    #: Whether the reader's rights do not allow to answer it.
    barred: bool = False

    @property
    def group(self) -> str:
        """The group of Your turn: needs the reader's answer, others', looks stuck."""
        if self.kind not in ANSWERS:
            return STUCK
        return OTHERS if self.barred else MINE

    @property
    def mark(self) -> str:
        """Digest of the key, for addresses and assignments."""
        return sha256(self.key.encode("utf-8", "replace")).hexdigest()

    def is_for(self, name: str) -> bool:
        """Return whether it waits for a person, or for everybody."""
        folded = {one.casefold() for one in self.waits_for}
        return not folded or name.casefold() in folded

    @property
    def key(self) -> str:
        """Identity of the turn, stable while it waits for the same reason."""
        if self.blocked and self.blocked.topic:
            reason = self.blocked.blocked_by[:_REASON]
            return repr((self.kind, self.blocked.topic.slug, reason))
        about = self.handoff.id if self.handoff else self.tasks or self.names
        if self.breaker:
            about = (self.breaker.agent,)
        if self.loss:
            about = (self.loss.path, str(self.loss.seq))
        return repr((self.kind, about, self.at.isoformat() if self.at else ""))


def turns_of(facts: TurnFacts, now: datetime) -> tuple[Turn, ...]:
    """Return the turns of a workspace: by urgency, then the oldest first."""
    found = sorted(
        _all_turns(facts, now),
        key=lambda turn: (KINDS.index(turn.kind), turn.at or now),
    )
    assigned = {
        mark: name
        for mark, name in facts.assigned.items()
        if name.casefold() not in facts.absent
    }
    return tuple(
        replace(_assigned(turn, assigned), barred=turn.kind in facts.barred)
        for turn in found[:LIMIT]
    )


def _all_turns(facts: TurnFacts, now: datetime) -> list[Turn]:
    lately = (row for row in facts.failed if now - row.told_at <= FAILED_FOR)
    alarmed = {alarm.handoff.pk for alarm in facts.alarms}
    found = [
        *_asked_turns(facts),
        *(Turn("failed", row.since, row) for row in lately),
        *(
            Turn("deadlock", None, names=each.agents, tasks=each.tasks)
            for each in facts.circles
        ),
        *(Turn("breaker", b.at, breaker=b) for b in facts.breakers),
        *(Turn(a.kind, a.at, a.handoff, names=a.names) for a in facts.alarms),
        *(Turn("claims", c.second.made_at, names=c.names) for c in facts.claims),
        *_blocked_turns(facts, alarmed),
        *(Turn("conflict", None, names=(path,)) for path in facts.conflicts),
        *_lost_turns(facts.losses),
    ]
    if facts.staged:
        number = len(facts.staged)
        found.append(Turn("staged", None, names=facts.staged, number=number))
    of_losses = {loss.card for loss in facts.losses}
    if cards := [c for c in facts.reviews if c.number not in of_losses]:
        names, number = (str(cards[-1].number),), len(facts.reviews)
        found.append(Turn("memory", cards[-1].since, names=names, number=number))
    if facts.secrets:
        names, counts = zip(*facts.secrets, strict=True)
        found.append(Turn("secrets", None, names=names, number=sum(counts)))
    if facts.unreadable:
        found.append(Turn("unreadable", None, names=facts.unreadable))
    if facts.gone_at_once:
        found.append(Turn("gone", None, names=facts.gone_at_once))
    return found


def _asked_turns(facts: TurnFacts) -> Iterator[Turn]:
    """Yield handoffs, messages and comments that ask people for an act."""

    def present(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name.casefold() not in facts.absent)

    for row in facts.for_person:
        at = row.since if row.state == REVIEW else row.sent_at
        yield Turn(_kind_of(row), at, row, waits_for=present(named_by_handoff(row)))
    for m, n in facts.messages:
        names = (m.by, m.step.reason, str(n))
        yield Turn("message", m.at, m.handoff, names=names, waits_for=present(m.is_to))
    for c in facts.comments:
        shown = (c.author, c.text, c.place, str(c.number))
        waits = () if waits_for_anybody(c.waits_for) else c.waits_for
        yield Turn("comment", c.at, names=shown, waits_for=waits)


def _lost_turns(losses: Sequence[Loss]) -> Iterator[Turn]:
    """Yield a turn for each loss, but one for several deleted files together."""
    gone = [loss for loss in losses if loss.is_gone]
    if len(gone) > 1:
        paths = tuple(loss.path for loss in gone)
        at = min(loss.at for loss in gone)
        yield Turn("gone", at, names=paths, number=len(gone))
    for loss in losses:
        if not loss.is_gone or len(gone) == 1:
            yield Turn("shrank", loss.at, loss=loss)


def _assigned(turn: Turn, assigned: Mapping[str, str]) -> Turn:
    name = assigned.get(turn.mark, "") if assigned else ""
    return replace(turn, waits_for=(name,), assigned=name) if name else turn


def _kind_of(row: Handoff) -> str:
    """Return the act a handoff needs from a person: sign-off, answer or review."""
    if row.state == REVIEW:
        return "review"
    return "sign-off" if row.to_sign else "question"


class TurnCounts(NamedTuple):
    """Numbers of turns that need an answer, and of those that look stuck."""

    answers: Count
    stuck: Count


#: Numbers of a workspace that the server still counts.
NOT_COUNTED = TurnCounts(Count(0, more=True), Count(0, more=True))


def counts_of(turns: Sequence[Turn]) -> TurnCounts:
    """Return the numbers of turns; lower bounds once `LIMIT` turns cut them off."""
    groups, full = [turn.group for turn in turns], len(turns) >= LIMIT
    answers = groups.count(MINE)
    return TurnCounts(
        Count(answers, answers >= LIMIT), Count(groups.count(STUCK), full)
    )


def turn_counts(
    workspaces: Iterable[Workspace], now: datetime
) -> dict[int, TurnCounts]:
    """Return the numbers of turns by workspace id; only of imported workspaces.

    Stored by kind for everybody: of each reader are the comments that wait for them,
    and the kinds that they may answer.
    """
    known = [one for one in workspaces if one.projected_seq]
    problems, signs = _problems_of(known), _signs_of(known)
    stored = stored_counts(
        "turns",
        {
            one: (
                *(one.projected_seq, one.last_seq, one.handoff_changes),
                *(one.time_zone, one.handoff_lease),
                *(problems.get(one.pk), signs.get(one.pk)),
            )
            for one in known
        },
        lambda one: _kinds_now(one, now),
        now,
    )
    edited = edited_in(known)
    return {
        one.pk: _counted(one, stored[one.pk], edited[one.pk])
        if one.pk in stored
        else NOT_COUNTED
        for one in known
    }


def _problems_of(workspaces: Sequence[Workspace]) -> dict[int, int]:
    """Return a number by workspace id that is another one with other open problems."""
    rows = Problem.objects.filter(workspace__in=workspaces, until_seq__isnull=True)
    rows = rows.filter(cleared_seq__isnull=True).order_by()
    ids = F("pk").bitand(0xFFFFFFFF) + 1
    return dict(rows.values_list("workspace").annotate(ids=Sum(ids)))


def _signs_of(workspaces: Sequence[Workspace]) -> dict[int, datetime]:
    """Return the last sign of life of any agent, by workspace id."""
    rows = SignOfLife.objects.filter(workspace__in=workspaces).order_by()
    return dict(rows.values_list("workspace").annotate(at=Max("at")))


def _kinds_now(workspace: Workspace, now: datetime) -> Counted:
    """Return the numbers of turns by kind, and for whom each comment waits.

    `accepted`: by kind for each person who accepted changes that wait for another.
    Without staged edits, for which no state of rows stands.
    """
    facts = replace(
        cached_facts(workspace),
        alarms=alarms_shown(workspace, now),
        claims=overlaps_shown(workspace, now),
    )

    def kinds(rows: TurnFacts) -> Counter[str]:
        counted = Counter(turn.kind for turn in _all_turns(rows, now))
        del counted["comment"]
        return counted

    accepted = {c.accepted_by for c in facts.reviews} - {""}
    ends = [
        *next_alarms(workspace, now),
        *(row.told_at + FAILED_FOR for row in facts.failed),
        # Claims are renewed without a trace in the state of rows, and an agent of
        # another workspace is known by rows that are there.
        *(now for _ in facts.claims),
        *(now for a in facts.alarms if a.kind == UNKNOWN and "/" in a.handoff.acts),
    ]
    minute = now.replace(second=0, microsecond=0)
    until = min((end for end in ends if end >= minute), default=None)
    value = {
        "kinds": kinds(facts),
        "accepted": {name: kinds(facts.not_accepted_by(name)) for name in accepted},
        "comments": [c.waits_for for c in facts.comments],
    }
    return value, until


def _counted(
    workspace: Workspace, stored: Mapping[str, Any], edited: EditedFiles
) -> TurnCounts:
    """Return the numbers of turns of the request's person."""
    name, barred = me(), _barred_in(workspace)
    kinds = Counter[str](stored.get("accepted", {}).get(name, stored["kinds"]))
    kinds["comment"] = sum(waits_for(names, name) for names in stored["comments"])
    kinds["conflict"], kinds["staged"] = (
        len(edited["conflicts"]),
        bool(edited["staged"]),
    )
    return counts_of(
        [
            Turn(kind, None, barred=kind in barred)
            for kind in sorted(kinds.elements(), key=KINDS.index)[:LIMIT]
        ]
    )


def answers_in(counts: Collection[TurnCounts]) -> Count:
    """Return how many turns of all workspaces need an answer."""
    answers = [each.answers for each in counts]
    return Count(sum(n.number for n in answers), any(n.more for n in answers))


def _blocked_turns(facts: TurnFacts, alarmed: Collection[int]) -> Iterator[Turn]:
    """Yield blocked things; a topic and the handoff stuck in it are one turn.

    Handoffs that are in an alarm are left out.
    """
    by_topic = {row.topic_id: row for row in facts.stuck}
    blocked = {snapshot.topic_id for snapshot in facts.blocked}
    for snapshot in facts.blocked:
        stuck = by_topic.get(snapshot.topic_id)
        yield Turn("blocked", snapshot.stated_at, stuck, snapshot)
    for row in facts.stuck:
        if row.topic_id not in blocked and row.pk not in alarmed:
            yield Turn("blocked", row.since, row)


def turn_facts(workspace: Workspace) -> TurnFacts:
    """Return the rows that need the request's person, cached until the journal grows.

    What waits for another by name is there, except comments: see `Turn.is_for`.
    """
    return facts_of_all(workspace).of_reader(workspace)


def facts_of_all(workspace: Workspace) -> TurnFacts:
    """Return the rows that need anybody, cached until the journal grows.

    Staged edits are queried each time: to withdraw one is no journal entry.
    """
    edited = edited_in([workspace])[workspace.pk]
    now = timezone.now()
    return replace(
        cached_facts(workspace),
        **edited,
        alarms=alarms_shown(workspace, now),
        claims=overlaps_shown(workspace, now),
    )


def cached_facts(workspace: Workspace) -> TurnFacts:
    """Return the rows that need a person, less conflicts; cached per journal state."""
    name = ("turns", workspace.time_zone)
    return cached(workspace, name, lambda: _all_facts(workspace))


def _all_facts(workspace: Workspace) -> TurnFacts:
    """Return the rows that need a person, without conflicts, one query per kind."""
    problems, handoffs = problems_in(workspace), open_work(workspace).rows
    asked = (row for row in handoffs if row.for_person)
    stuck = (row for row in handoffs if row.state == BLOCKED and not row.for_person)
    return TurnFacts(
        for_person=tuple(islice(asked, LIMIT)),
        stuck=tuple(islice(stuck, LIMIT)),
        failed=_failed(workspace),
        blocked=_blocked(workspace),
        unreadable=tuple(path for code, path in problems if code != GONE_AT_ONCE),
        gone_at_once=tuple(names for code, names in problems if code == GONE_AT_ONCE),
        losses=_losses(workspace),
        secrets=tuple(secrets_in(workspace)),
        breakers=tuple(open_breakers(workspace)),
        messages=tuple(newest_threads(messages_to_people(workspace))[:LIMIT]),
        comments=waiting_threads(workspace)[:LIMIT],
        circles=deadlocks(workspace),
        reviews=open_cards(workspace),
        assigned=assigned_in(workspace) if is_team() else {},
        absent=absent_from(workspace),
        open=min(len(handoffs), HANDOFFS),
    )


def _losses(workspace: Workspace) -> tuple[Loss, ...]:
    """Return the losses, with their cards in the review queue.

    A person who has decided on a card has seen its loss.
    """
    found = list(losses_in(workspace))
    cards = cards_after(workspace, [(loss.path, loss.seq) for loss in found])
    each = ((loss, cards.get((loss.path, loss.seq))) for loss in found)
    return tuple(
        replace(loss, card=card.pk) if card else loss
        for loss, card in each
        if card is None or card.is_open
    )


def _failed(workspace: Workspace) -> tuple[Handoff, ...]:
    if not has_failed(workspace):
        return ()
    handoffs = failed_lately(workspace, timezone.now())
    shown = list(handoffs.only(*_SHOWN)[:LIMIT])
    topics = {row.topic_id for row in shown if row.topic_id}
    relate(shown, "topic", Topic.objects.in_bulk(topics))
    return tuple(seen_from([workspace], shown))


def _blocked(workspace: Workspace) -> tuple[Snapshot, ...]:
    """Return the newest snapshots of blocked topics.

    A topic's own newer status can end the block.
    """
    topics = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    found = newest_snapshots(topics).filter(blocked=True)
    return tuple(
        snapshot
        for snapshot in found.select_related("topic", "agent")[:LIMIT]
        if snapshot.topic and topic_state(snapshot.topic, snapshot) == "blocked"
    )
