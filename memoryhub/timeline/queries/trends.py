"""Sessions with their activity, and data of trend charts, in one query each.

Files do not name the session of a line. Counted are the events of the agent on the
topic a session is bound to; keys that share both are one row.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from memoryhub.events.models import NO_TIME, Event
from memoryhub.formats.text.decoding import decode
from memoryhub.handoffs.queries.sides import called
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Revision, Workspace
from memoryhub.journal.moments import as_stored, moment_of
from memoryhub.journal.page_cache import cached
from memoryhub.journal.rows import table_of
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.filters import sent_from, topics_of
from memoryhub.values.tokens import seed
from snapshots.models import Compaction
from topics.models import SessionBinding

SESSIONS = 50
#: Events of a session are counted up to this many.
_COUNTED = 1_000
#: The stated time of an event since the first of all, with its precision, as text in
#: the order of the times.
_TIMED = (
    "CASE WHEN precision <> 'none' THEN"
    f" printf('%%020d %%s', occurred_at - ({as_stored(NO_TIME)}), precision) END"
)

NOTHING = Count(0)
#: Limit of the events counted per day.
DAY_LIMIT = 250
_COMPACTIONS, _VERSIONS, _SNAPSHOTS = 16, 60, 2_000


class Stated(NamedTuple):
    """A time as a file states it; of a day, `at` is its start."""

    at: datetime
    precision: str


@dataclass(frozen=True, slots=True)
class Session:
    """Session keys of one agent on one topic, and the events of both."""

    keys: tuple[str, ...]
    agent_id: int | None
    agent: str
    topic_id: int | None
    topic: str
    slug: str
    now: bool
    events: Count = NOTHING
    first: Stated | None = None
    last: Stated | None = None


def sessions_of(
    workspace: Workspace,
    *,
    agent_id: int | None = None,
    topic_ids: Sequence[int] | None = None,
    page: int = 0,
) -> list[Session]:
    """Return sessions, the last bound first; one more than a page."""
    name = f"sessions:{agent_id}:{topic_ids}:{page}"
    return cached(
        workspace,
        name,
        lambda: _with_sent(
            workspace, _counted(_sessions(workspace.pk, agent_id, topic_ids, page))
        ),
    )


def _sessions(
    workspace_id: int,
    agent_id: int | None,
    topic_ids: Sequence[int] | None,
    page: int,
) -> list[Session]:
    rows = SessionBinding.objects.filter(workspace_id=workspace_id)
    if agent_id is not None:
        rows = rows.filter(agent_id=agent_id)
    if topic_ids is not None:
        rows = rows.filter(topic_id__in=topic_ids)
    found: dict[tuple[Any, ...], list[tuple[str, bool]]] = {}
    for key, last_seq, *owner in rows.order_by(
        "-recorded_at", "-first_seq"
    ).values_list(
        "session_key",
        "last_seq",
        "agent_id",
        "agent__name",
        "topic_id",
        "topic_name",
        "topic__slug",
    ):
        found.setdefault(tuple(owner), []).append((key, last_seq is None))
    start = page * SESSIONS
    return [
        Session(
            keys=tuple(key for key, _ in keys),
            agent_id=owner[0],
            agent=owner[1] or "",
            topic_id=owner[2],
            topic=owner[3],
            slug=owner[4] or "",
            now=any(now for _, now in keys),
        )
        for owner, keys in list(found.items())[start : start + SESSIONS + 1]
    ]


def _counted(sessions: list[Session]) -> list[Session]:
    """Return sessions with their events, all in one query."""
    known = [s for s in sessions if s.agent_id or s.topic_id]
    if not known:
        return sessions
    parts: list[str] = []
    values: list[int] = []
    for number, session in enumerate(known):
        ids = {"topic_id": session.topic_id, "agent_id": session.agent_id}
        said = {name: value for name, value in ids.items() if value}
        where = " AND ".join(f"{name} = %s" for name in said)
        parts.append(
            f"SELECT {number}, COUNT(*), MIN({_TIMED}), MAX({_TIMED}) FROM"
            f" (SELECT occurred_at, precision FROM {table_of(Event)}"
            f" WHERE {where}"
            f" ORDER BY occurred_at DESC LIMIT {_COUNTED + 1}) AS s{number}"
        )
        values += said.values()
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), values)
        rows = cursor.fetchall()
    return _with_counts(sessions, known, rows)


def _with_sent(workspace: Workspace, sessions: list[Session]) -> list[Session]:
    """Return sessions with the events of handoffs that they sent elsewhere."""
    columns = ("agent__name", "workspace__slug", "target_id", "occurred_at")
    rows = sent_from(workspace.pk).exclude(agent=None).order_by("-occurred_at")
    found = list(rows.values_list(*columns, "precision")[:_COUNTED])
    topics = topics_of(workspace.pk, {row_id for _, _, row_id, *_ in found if row_id})
    times: dict[str, list[tuple[int | None, Stated]]] = {}
    for name, home, row_id, *stated in found:
        topic = topics.get(row_id or 0)
        agent = called(name, home, workspace.slug)
        times.setdefault(agent, []).append(
            (topic.pk if topic else None, Stated(*stated))
        )
    return [_added(one, times.get(one.agent, ())) for one in sessions]


def _added(session: Session, sent: Sequence[tuple[int | None, Stated]]) -> Session:
    """Return a session with further events, each of a topic and a time."""
    own = [at for topic, at in sent if session.topic_id in (None, topic)]
    number = session.events.number + len(own)
    if not own or not (session.agent_id or session.topic_id):
        return session
    ends = [at for at in (session.first, session.last, *own) if at]
    ends = [at for at in ends if at.precision != Precision.NONE]
    more = session.events.more or number > _COUNTED
    return replace(
        session,
        events=Count(min(number, _COUNTED), more),
        first=None if more else min(ends, default=None),
        last=max(ends, default=None),
    )


def _with_counts(
    sessions: list[Session], known: list[Session], rows: Sequence[Sequence[Any]]
) -> list[Session]:
    counted = {id(known[number]): rest for number, *rest in rows}
    found = []
    for session in sessions:
        number, first, last = counted.get(id(session), (0, None, None))
        more = number > _COUNTED
        found.append(
            replace(
                session,
                events=Count(min(number, _COUNTED), more),
                first=_stated(first) if first and not more else None,
                last=_stated(last) if last else None,
            )
        )
    return found


def _stated(text: str) -> Stated:
    """Parse a time and its precision, as `_TIMED` writes them."""
    at, _, precision = text.partition(" ")
    return Stated(moment_of(int(at) + as_stored(NO_TIME)), precision)


def events_between(
    workspace: Workspace, spans: Sequence[tuple[datetime, datetime]]
) -> list[Count]:
    """Return the number of events in each span of time, each counted up to a limit.

    Counted are those that the timeline lists: also handoffs sent elsewhere.
    """
    table = table_of(Event)
    one = (
        f"(SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE workspace_id = %s"
        " AND occurred_at >= %s AND occurred_at < %s"
        f" LIMIT {DAY_LIMIT + 1}) AS told)"
    )
    parameters: list[Any] = []
    for start, end in spans:
        parameters += [workspace.pk, as_stored(start), as_stored(end)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join([one] * len(spans)), parameters)
        numbers = cursor.fetchone()
    rows = sent_from(workspace.pk).order_by()
    within = rows.filter(
        occurred_at__gte=min(start for start, _ in spans),
        occurred_at__lt=max(end for _, end in spans),
    )
    times = within.values_list("occurred_at", flat=True)[: DAY_LIMIT * len(spans)]
    found = sorted(times)
    sent = [bisect_left(found, end) - bisect_left(found, start) for start, end in spans]
    totals = [own + more for own, more in zip(numbers, sent, strict=True)]
    return [Count(min(n, DAY_LIMIT), n > DAY_LIMIT) for n in totals]


def snapshots_between(
    workspace: Workspace, start: datetime, end: datetime
) -> list[tuple[datetime, str]]:
    """Return times and agents of snapshots; the agent is empty if unknown."""
    of_snapshots = Event.objects.filter(
        workspace=workspace,
        kind=Event.Kind.SNAPSHOT,
        occurred_at__gte=start,
        occurred_at__lt=end,
    ).order_by("-occurred_at")
    rows = of_snapshots.values_list("occurred_at", "agent__name")[:_SNAPSHOTS]
    return [(at, agent or "") for at, agent in rows]


def compactions(workspace: Workspace) -> list[Compaction]:
    """Return the newest compactions, in ascending order of time."""
    rows = Compaction.objects.filter(workspace=workspace).select_related("topic")
    return list(reversed(rows.order_by(UNDATED_LAST, "-occurred_at")[:_COMPACTIONS]))


def index_sizes(
    workspace: Workspace, path: str, since: datetime
) -> list[tuple[datetime, int]]:
    """Return times and tokens of a file's versions since then, as its budget counts."""
    rows = Revision.objects.filter(
        workspace=workspace, path=path, recorded_at__gte=since, blob__isnull=False
    ).order_by("-seq")
    found = list(rows.values_list("recorded_at", "blob_id")[:_VERSIONS])
    texts = bytes_by_id([blob_id for _, blob_id in found])
    return [
        (at, seed(len(decode(texts[blob_id]).text)))
        for at, blob_id in reversed(found)
        if blob_id in texts
    ]
