"""Open topics that have been silent longer than usual."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import connection

from memoryhub.events.models import Event
from memoryhub.events.rules.agent_states import active_at, quiet_after, usual_gap
from memoryhub.journal.models import Workspace
from memoryhub.journal.sql import moment_of, table_of
from topics.models import Topic

#: Number of events whose gaps give a topic's usual frequency.
_GAPS = 12


def quiet_for(workspace: Workspace, topics: Iterable[Topic]) -> dict[int, timedelta]:
    """Return the silence of open topics, if longer than usual.

    Measured at the hub's last check: an outage of the importer is not the agents'
    silence.
    """
    if workspace.checked_at is None:
        return {}
    quiet = {}
    for topic_id, moments in last_moments([topic.id for topic in topics]):
        if not moments:
            continue
        silence = workspace.checked_at - moments[0]
        if silence > quiet_after(usual_gap(moments)):
            quiet[topic_id] = silence
    return quiet


def last_moments(ids: Sequence[int]) -> Iterator[tuple[int, list[datetime]]]:
    """Yield the times of topics' last events, newest first: walks of an index."""
    if not ids:
        return
    table, topics = table_of(Event), table_of(Topic)
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.id, (SELECT json_group_array(json_array(e.occurred_at,"
            " e.recorded_at, e.precision, e.run_number)) FROM (SELECT * FROM"
            f" {table} WHERE topic_id = t.id ORDER BY occurred_at DESC, position DESC"
            f" LIMIT {_GAPS}) AS e) FROM {topics} AS t WHERE t.id IN ({marks})",
            ids,
        )
        for topic_id, events in cursor.fetchall():
            found = (_active(*event) for event in json.loads(events or "[]"))
            yield topic_id, sorted((at for at in found if at), reverse=True)


def _active(
    occurred: str, recorded: str, precision: str, run: int | None
) -> datetime | None:
    """Return the time of the activity behind an event, if known."""
    moments = moment_of(occurred), moment_of(recorded)
    return active_at(*moments, precision, first_import=run == 1)
