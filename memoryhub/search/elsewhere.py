"""Lines about handoffs that a workspace sent to others, in those workspaces' files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import called
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.search.parser import Filter
from memoryhub.search.results import Match
from memoryhub.search.scopes import Scope
from topics.models import Topic

_KIND = "handoff"
#: A handoff of this origin.
_ANY: Prepared[tuple[int]] = Prepared(
    lambda slug: (
        Handoff.objects.filter(origin=slug, last_seq__isnull=True)
        .order_by()
        .values_list("id")[:1]
    ),
    str,
)


@dataclass(frozen=True, slots=True)
class SentThere:
    """The lines of one workspace's files about handoffs that another one sent there.

    `topics` are those of the sender, by the handoff's id.
    """

    sender: Workspace
    home: Workspace
    scope: Scope
    topics: Mapping[int, Topic]

    def seen(self, match: Match) -> Match | None:
        """Return a match with the sender's names; None unless it is of a handoff."""
        if match.thing.kind != _KIND:
            return None
        topic = self.topics.get(match.thing.id)
        agent = match.thing.agent
        thing = replace(
            match.thing,
            agent=agent and called(agent, self.home.slug, self.sender.slug),
            topic=topic.name if topic else "",
            topic_slug=topic.slug if topic else "",
        )
        return replace(match, home=self.home.slug, thing=thing)


def sent_elsewhere(workspace: Workspace, filters: Sequence[Filter]) -> list[SentThere]:
    """Return where the handoffs are that a workspace sent and that filters allow."""
    if not _ANY(workspace.slug):
        return []
    chosen = [item for item in filters if not item.negated]
    kinds = {item.value for item in chosen if item.name == "kind"}
    if kinds and _KIND not in kinds:
        return []
    sent = Handoff.objects.filter(origin=workspace.slug, last_seq__isnull=True)
    sent = sent.exclude(workspace=workspace).filter(_allowed(workspace, chosen))
    rows = list(sent.only("workspace_id", "topic_name", "file_id").order_by())
    if not rows:
        return []
    lines = _lines_of(sent)
    homes = Workspace.objects.in_bulk({row.workspace_id for row in rows})
    topics = _topics_of(workspace, rows)
    return [
        SentThere(
            workspace, home, Scope({f: tuple(lines[f]) for f in sorted(files)}), topics
        )
        for home in homes.values()
        if (files := {row.file_id for row in rows if row.workspace_id == home.pk})
    ]


def _allowed(workspace: Workspace, filters: Sequence[Filter]) -> Q:
    """Return the filters by topic, agent and state, in the names of the sender."""
    allowed = Q()
    of_topics, of_agents = Q(), Q()
    for item in filters:
        if item.name == "topic":
            rows = Topic.objects.filter(workspace=workspace)
            named = Q(slug__iexact=item.value) | Q(name__iexact=item.value)
            of_topics |= Q(topic_name__in=rows.filter(named).values("name"))
        elif item.name == "agent":
            of_agents |= Q(sender__iexact=f"{workspace.slug}/{item.value}")
        elif item.name == "is":
            allowed &= Q(state=Handoff.State.BLOCKED)
    return allowed & of_topics & of_agents


def _lines_of(sent: QuerySet[Handoff]) -> Mapping[int, list[tuple[int, int]]]:
    """Return the lines of handoffs and their steps, by the file's id."""
    steps = HandoffStep.objects.filter(last_seq__isnull=True, handoff__in=sent)
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for rows in (sent, steps):
        columns = rows.order_by().values_list("file_id", "first_line", "last_line")
        for file_id, first, last in columns:
            found[file_id].append((first, last))
    return found


def _topics_of(workspace: Workspace, rows: Sequence[Handoff]) -> dict[int, Topic]:
    """Return the sender's topics of handoffs, by the handoff's id."""
    named = {row.topic_name for row in rows} - {""}
    known = Topic.objects.filter(workspace=workspace, name__in=named) if named else ()
    topics = {topic.name: topic for topic in known}
    return {row.pk: topics[row.topic_name] for row in rows if row.topic_name in topics}
