"""Recent steps of others in the handoffs that concern an agent, a line each."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryhub.formats.hub.handoff import REVIEW, SAID
from memoryhub.handoffs.models import MOVED, Handoff, HandoffStep
from memoryhub.handoffs.queries.agents import is_reviewed_by
from memoryhub.handoffs.queries.board import Filters, found
from memoryhub.handoffs.queries.sides import (
    is_called,
    is_of_agent,
    last_seq_at,
    seen_from,
)
from memoryhub.handoffs.rules.acting import IN_PROGRESS, OPEN
from memoryhub.handoffs.rules.parties import reviewer_of
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.gate import PRIVATE

#: Most handoffs, most characters of a reason or result, and how long recall names them.
_MOST, _LINE, _RECENT = 10, 160, timedelta(days=3)


def moved_lines(
    workspace: Workspace, agent: str, since: datetime, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return others' moves since a time on handoffs by, to or reviewed by an agent."""
    rows = _moved(workspace, agent, since, now, private=private)
    return tuple(map(_line, seen_from([workspace], rows.order_by(*MOVED)[:_MOST])))


def ended_lines(
    workspace: Workspace, agent: str, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return others' last steps of three days: results, refusals, send-backs.

    Work that is open or under way is in an agent's recall by itself.
    """
    if not agent:
        return ()
    rows = _moved(workspace, agent, now - _RECENT, now, private=private)
    rows = rows.exclude(state__in=(OPEN, IN_PROGRESS))
    return tuple(map(_line, seen_from([workspace], rows.order_by(*MOVED)[:_MOST])))


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


def _line(handoff: Handoff) -> str:
    why = " ".join((handoff.last_reason or handoff.result).split())[:_LINE]
    step = f"{handoff.last_verb} by {handoff.last_actor or 'somebody'}"
    if handoff.state == REVIEW:
        step += f", to be accepted by {reviewer_of(handoff)}"
    return f"{handoff.name} to {handoff.recipient}: {step}. {why}".rstrip()
