"""Messages to agents and people in handoffs, and the moves of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryhub.dialects.handoff import REVIEW, SAID
from memoryhub.handoffs.models import MOVED, Handoff, HandoffStep, ReadThread
from memoryhub.handoffs.queries.agents import is_reviewed_by
from memoryhub.handoffs.queries.board import Filters, found
from memoryhub.handoffs.queries.sides import (
    home_ids,
    is_called,
    is_of_agent,
    last_seq_at,
    seen_from,
)
from memoryhub.handoffs.rules.acting import (
    IN_PROGRESS,
    OPEN,
    UNFINISHED,
    named_by_message,
)
from memoryhub.handoffs.rules.parties import (
    BY_PERSON,
    mentions,
    mentions_person,
    reviewer_of,
    reviewers_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.sync.edit.gate import PRIVATE, is_private

#: Most messages that are looked through, the newest.
_MOST = 500
#: Age of messages that a recall repeats.
_RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Message:
    """A line in a handoff's thread; `unread`: no person has read or answered it."""

    handoff: Handoff
    step: HandoffStep
    unread: bool = False

    @property
    def at(self) -> datetime:
        return self.step.happened_at or self.step.recorded_at

    @property
    def by(self) -> str:
        return self.step.actor or "somebody"

    @property
    def is_to(self) -> tuple[str, ...]:
        """User names of the people whom it is to; empty for everybody."""
        return named_by_message(self.handoff, self.step.reason)

    @property
    def line(self) -> str:
        """It as one line: handoff, writer, text."""
        text = " ".join(self.step.reason.split())
        return f"{self.handoff.name} {self.by}: {text}"


def thread_of(handoff: Handoff) -> list[HandoffStep]:
    """Return the messages of a handoff, the oldest first."""
    steps = HandoffStep.objects.filter(
        handoff=handoff, verb=SAID, is_result=False, last_seq__isnull=True
    )
    return list(steps.order_by("first_seq", "position")[:_MOST])


def messages_to(
    workspace: Workspace, agent: str, since: datetime | None = None
) -> list[Message]:
    """Return others' messages to an agent that came since a time, oldest first.

    Its are those in threads of handoffs from, to or reviewed by it, and those that
    mention it.
    """
    steps = _said(workspace).exclude(actor__iexact=agent)
    if since is not None:
        here = Q(workspace=workspace)
        new = Q(first_seq__gt=last_seq_at(workspace.pk, since))
        steps = steps.filter((here & new) | (~here & Q(recorded_at__gt=since)))
    found = [Message(step.handoff, step) for step in steps[:_MOST] if step.handoff]
    return [m for m in reversed(found) if _is_to(m, agent)]


def recent_lines(
    workspace: Workspace, agent: str, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return others' messages to an agent in unfinished handoffs, a line each."""
    if not agent:
        return ()
    found = messages_to(workspace, agent, now - _RECENT)
    if not private:
        found = [m for m in found if not is_private(m.handoff.file.path)]
    return tuple(m.line for m in found if m.handoff.state in UNFINISHED)


def messages_to_people(workspace: Workspace) -> list[Message]:
    """Return the messages to people, newest first, with the unread ones marked.

    Theirs are those in threads of handoffs from, to or reviewed by a person, and those
    that mention one. One that a person wrote later in the thread answers it.
    """
    steps = [step for step in _said(workspace)[:_MOST] if step.handoff]
    read = _read(workspace, {step.handoff_id or 0 for step in steps})
    for step in steps:
        if is_person(step.actor):
            known = read.get(step.handoff_id or 0, 0)
            read[step.handoff_id or 0] = max(known, step.first_seq)
    found = (
        Message(step.handoff, step, step.first_seq > read.get(step.handoff.pk, 0))
        for step in steps
        if step.handoff and not is_person(step.actor)
    )
    return [message for message in found if _is_to_people(message)]


def _said(workspace: Workspace) -> QuerySet[HandoffStep]:
    """Return the newest messages of a workspace and of its handoffs elsewhere."""
    steps = HandoffStep.objects.filter(
        Q(workspace=workspace) | Q(handoff__origin=workspace.slug),
        workspace__in=home_ids(workspace),
        verb=SAID,
        is_result=False,
        last_seq__isnull=True,
        handoff__last_seq__isnull=True,
    )
    related = steps.select_related("handoff__workspace", "handoff__file")
    return related.order_by("-first_seq", "-position")


def _read(workspace: Workspace, ids: Iterable[int]) -> dict[int, int]:
    rows = ReadThread.objects.filter(workspace=workspace, handoff_id__in=list(ids))
    return dict(rows.values_list("handoff_id", "seq"))


def _is_to(message: Message, agent: str) -> bool:
    row, name = message.handoff, agent.casefold()
    parties = {row.sender, row.recipient, row.taken_by, *reviewers_of(row)}
    mine = any(one.rpartition("/")[2].casefold() == name for one in parties)
    return mine or mentions(message.step.reason, agent)


def _is_to_people(message: Message) -> bool:
    row = message.handoff
    mine = is_person(row.sender) or is_person(row.recipient)
    reviews = bool(row.review) and reviewer_of(row) == BY_PERSON
    return mine or reviews or mentions_person(message.step.reason)


def newest_threads(messages: Sequence[Message]) -> list[tuple[Message, int]]:
    """Return the newest unread message of each thread, with the number of unread.

    Messages to different people count apart.
    """
    found: dict[tuple[int, tuple[str, ...]], list[Message]] = {}
    for message in messages:
        if message.unread:
            key = (message.handoff.pk, message.is_to)
            found.setdefault(key, []).append(message)
    return [(unread[0], len(unread)) for unread in found.values()]


#: Most handoffs, most characters of a reason or result, and how long recall names them.
_MOVES, _LINE, _RECENT_MOVES = 10, 160, timedelta(days=3)


def moved_lines(
    workspace: Workspace, agent: str, since: datetime, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return others' moves since a time on handoffs by, to or reviewed by an agent."""
    rows = _moved(workspace, agent, since, now, private=private)
    return tuple(
        map(_move_line, seen_from([workspace], rows.order_by(*MOVED)[:_MOVES]))
    )


def ended_lines(
    workspace: Workspace, agent: str, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return others' last steps of three days: results, refusals, send-backs.

    Work that is open or under way is in an agent's recall by itself.
    """
    if not agent:
        return ()
    rows = _moved(workspace, agent, now - _RECENT_MOVES, now, private=private)
    rows = rows.exclude(state__in=(OPEN, IN_PROGRESS))
    return tuple(
        map(_move_line, seen_from([workspace], rows.order_by(*MOVED)[:_MOVES]))
    )


def _moved(
    workspace: Workspace, agent: str, since: datetime, now: datetime, *, private: bool
) -> QuerySet[Handoff]:
    wanted = Filters(since=since, without_file="" if private else PRIVATE)
    theirs = is_of_agent(agent, workspace) | is_reviewed_by(agent, workspace)
    own = is_called("last_actor", agent, workspace)
    rows = found([workspace], wanted, {}, now).filter(theirs).exclude(own)
    steps = HandoffStep.objects.filter(
        handoff=OuterRef("pk"),
        last_seq__isnull=True,
        first_seq__gt=last_seq_at(workspace.pk, since),
    )
    said_alone = Q(workspace=workspace) & ~Exists(steps.exclude(verb=SAID))
    return rows.exclude(last_verb__in=("", "sent")).exclude(said_alone)


def _move_line(handoff: Handoff) -> str:
    why = " ".join((handoff.last_reason or handoff.result).split())[:_LINE]
    step = f"{handoff.last_verb} by {handoff.last_actor or 'somebody'}"
    if handoff.state == REVIEW:
        step += f", to be accepted by {reviewer_of(handoff)}"
    return f"{handoff.name} to {handoff.recipient}: {step}. {why}".rstrip()
