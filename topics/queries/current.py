"""Selection of an agent's current topic: named, of its session, or its newest."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, QuerySet

from memoryhub.journal.models import Workspace
from topics.models import SessionBinding, Topic


@dataclass(frozen=True, slots=True)
class CurrentTopic:
    """A topic, and the reason for its choice: asked, session, agent or newest."""

    topic: Topic
    chosen: str


def current_topic(
    workspace: Workspace, *, named: str = "", session: str = "", agent: str = ""
) -> CurrentTopic | None:
    """Return the named topic, else that of the session, else the newest.

    The newest is one bound to a session of the agent, if there is one.
    """
    topics = _topics(workspace)
    if named:
        return _first(topics.filter(name=named), "asked") or _first(
            topics.filter(slug=named), "asked"
        )
    bound = SessionBinding.objects.filter(workspace=workspace, last_seq__isnull=True)
    live = topics.filter(last_seq__isnull=True)
    of_session = live.filter(pk__in=bound.filter(session_key=session).values("topic"))
    of_agent = live.filter(pk__in=bound.filter(agent__name=agent).values("topic"))
    return (
        _first(of_session, "session")
        or _first(of_agent, "agent")
        or _first(live.filter(kind=Topic.Kind.CONTEXT), "newest")
    )


def _topics(workspace: Workspace) -> QuerySet[Topic]:
    """Return topics, those currently in files first, then the newest."""
    rows = Topic.objects.filter(workspace=workspace)
    rows = rows.select_related("file__blob", "workspace")
    return rows.order_by(F("last_seq").desc(nulls_first=True), "-file__seq", "pk")


def _first(topics: QuerySet[Topic], chosen: str) -> CurrentTopic | None:
    topic = topics.first()
    return CurrentTopic(topic, chosen) if topic else None
