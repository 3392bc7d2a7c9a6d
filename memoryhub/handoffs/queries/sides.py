"""Handoffs between workspaces: one file where the work is done, read by both sides.

The file is in the recipient's workspace and names that of the sender as its origin; the
sender's pages and tools read its rows with these queries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Concat

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.handoffs.rules.parties import is_agent_named
from memoryhub.journal.models import Revision, Workspace
from memoryhub.journal.page_cache import relate
from memoryhub.journal.prepared import Prepared
from topics.models import Topic

#: Columns of a row with names of agents.
_NAMES = (
    "sender", "recipient", "acts", "taken_by", "signed_by", "claimed_by", "review"
)  # fmt: skip


def called(name: str, here: str, there: str) -> str:
    """Return the name of one workspace's agent as the other one calls it, by slugs."""
    whole = name if "/" in name else f"{here}/{name}"
    return whole.removeprefix(f"{there}/")


def handoffs_of(*workspaces: Workspace) -> QuerySet[Handoff]:
    """Return the live handoffs of workspaces, each once: see `of_sides`."""
    return of_sides(Handoff.objects.filter(last_seq__isnull=True), workspaces)


def of_sides(
    rows: QuerySet[Handoff], workspaces: Sequence[Workspace]
) -> QuerySet[Handoff]:
    """Narrow handoffs to those in files of these workspaces, or sent by them elsewhere.

    An older sender's copy is left out where the original is there.
    """
    here = Q(workspace__in=workspaces)
    sent = _sent([one.slug for one in workspaces])
    if not any(_SENT(one.slug) for one in workspaces):
        return rows.filter(here)
    place = Concat("workspace__slug", Value("/"), "task_id", output_field=TextField())
    originals = sent.filter(last_seq__isnull=True).annotate(place=place)
    copies = Q(twin__gt="", twin__in=originals.values("place"))
    return rows.filter(here | Q(pk__in=sent.values("pk"))).exclude(copies)


def _sent(slugs: Sequence[str]) -> QuerySet[Handoff]:
    """Return the handoffs that workspaces sent to others, also old ones."""
    sent = Handoff.objects.filter(origin__in=slugs)
    return sent.filter(workspace__removed_at__isnull=True).order_by()


#: One handoff that a workspace sent to another.
_SENT: Prepared[int] = Prepared(
    lambda slug: _sent([slug]).values_list("pk", flat=True)[:1], str
)


def moments_there(
    workspace: Workspace, homes: Iterable[int], moments: Iterable[int]
) -> dict[tuple[int, int], int]:
    """Return the seqs of other journals at moments of a workspace's journal.

    The keys are the other workspace's id and the seq here; the value is the seq there,
    0 if it had none.
    """
    found, others = {}, list(homes)
    for seq in moments if others else ():
        own = Revision.objects.filter(workspace=workspace, seq__lte=seq)
        at = own.order_by("-seq").values_list("recorded_at", flat=True).first()
        for home in others:
            found[home, seq] = last_seq_at(home, at) if at else 0
    return found


def has_moved_since(workspace: Workspace, at: datetime) -> Q:
    """Return the condition for handoffs sent or moved since a time, as recorded."""
    moved = Q()
    for home in home_ids(workspace):
        seq = last_seq_at(home, at)
        steps = HandoffStep.objects.filter(
            handoff=OuterRef("pk"), first_seq__gt=seq, last_seq__isnull=True
        )
        moved |= Q(workspace=home) & (Q(first_seq__gt=seq) | Q(Exists(steps)))
    return moved


def last_seq_at(workspace_id: int, at: datetime) -> int:
    """Return the last seq that a workspace's journal had at a time; 0 for none."""
    try:
        at = at.astimezone(UTC)
    except OverflowError:  # a time whose moment is out of the calendar
        at = at.replace(tzinfo=UTC)
    rows = Revision.objects.filter(workspace=workspace_id, recorded_at__lte=at)
    return rows.order_by("-seq").values_list("seq", flat=True).first() or 0


def homes_of_sent(workspace: Workspace) -> list[Workspace]:
    """Return the other workspaces in whose files handoffs from here are, by id."""
    return _HOMES(workspace.slug, workspace.pk)


def _homes(slug: str, own_id: int) -> QuerySet[Workspace]:
    sent = Handoff.objects.filter(origin=slug, last_seq__isnull=True)
    homes = Workspace.objects.filter(pk__in=sent.order_by().values("workspace"))
    return homes.exclude(pk=own_id).order_by("pk")


_HOMES: Prepared[Workspace] = Prepared(_homes, str, int)


def home_ids(workspace: Workspace) -> tuple[int, ...]:
    """Return the ids of a workspace and of those in `homes_of_sent`."""
    return (workspace.pk, *(home.pk for home in homes_of_sent(workspace)))


def is_called(column: str, name: str, workspace: Workspace) -> Q:
    """Return the condition that a column is this agent, by its name in a workspace."""
    slug, slash, agent = name.partition("/")
    elsewhere = Q(**{column: f"{workspace.slug}/{name}"})
    if slash:
        elsewhere |= Q(**{column: name}) | Q(workspace__slug=slug, **{column: agent})
    here = Q(workspace=workspace, **{column: name})
    return here | (Q(origin=workspace.slug) & ~Q(workspace=workspace) & elsewhere)


def is_of_agent(name: str, workspace: Workspace) -> Q:
    """Return the condition for handoffs of an agent: its sender or recipient."""
    sent = is_called("sender", name, workspace)
    return sent | is_called("recipient", name, workspace)


def is_part_of(name: str, workspace: Workspace) -> Q:
    """Return the condition for tasks that are part of one, by its name here."""
    whole = f"{workspace.slug}/{name}"
    slug, slash, task_id = name.partition("/")
    there = Q(parent=whole)
    if slash:
        there |= Q(workspace__slug=slug, parent=task_id)
    return Q(workspace=workspace, parent=name) | there


def is_of_topic(workspace: Workspace, topics: Collection[int]) -> Q:
    """Return the condition for handoffs of topics of the workspace, by their ids."""
    names = Topic.objects.filter(pk__in=list(topics)).values("name")
    sent = Q(origin=workspace.slug, topic_name__in=names)
    return Q(topic__in=list(topics)) | sent


def seen_from(
    workspaces: Sequence[Workspace], rows: Iterable[Handoff]
) -> list[Handoff]:
    """Return handoffs with names and topics as one workspace has them.

    Where several workspaces are looked at, each row stays as its own has it.
    """
    found, sides = list(rows), {one.pk: one for one in workspaces}
    relate((row for row in found if row.workspace_id in sides), "workspace", sides)
    away = [row for row in found if row.workspace_id != workspaces[0].pk]
    if len(workspaces) != 1 or not away:
        return found
    (viewer,) = workspaces
    homes = Workspace.everything.in_bulk({row.workspace_id for row in away})
    named = {row.topic_name for row in away if row.topic_name}
    known = Topic.objects.filter(workspace=viewer, name__in=named) if named else ()
    topics = {topic.name: topic for topic in known}
    for row in away:
        row.viewer, row.workspace = viewer, homes[row.workspace_id]
        row.in_lane, row.topic = False, topics.get(row.topic_name)
        for column, name in _names_in(row):
            setattr(row, column, called(name, row.workspace.slug, viewer.slug))
    return found


def _names_in(row: Handoff) -> Iterator[tuple[str, str]]:
    """Yield the columns with a name of an agent that the row was read with."""
    for column in _NAMES:
        name = vars(row).get(column)
        is_word = (column, name) == ("acts", PERSON)
        is_word |= column == "review" and not is_agent_named(name or "")
        if name and not is_word:
            yield column, name
