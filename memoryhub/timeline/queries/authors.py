"""Authors of a file's versions, derived from the events of each version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from django.db import connection

from memoryhub.events.models import Event
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.sql import table_of

_SEQS = 200


def agents_of(workspace: Workspace, seqs: Collection[int]) -> dict[int, str]:
    """Return the agent of each revision whose events all belong to one agent.

    One query, an index walk for each revision; limited to the newest revisions.
    """
    wanted = sorted(seqs, reverse=True)[:_SEQS]
    if not wanted:
        return {}
    events, agents = table_of(Event), table_of(Agent)
    marks = ", ".join(["(%s, %s, %s)"] * len(wanted))
    bounds = [
        bound
        for seq in wanted
        for bound in (seq, position_at(seq, 0), position_at(seq + 1, 0))
    ]
    sql = (
        f"WITH wanted (seq, first, next) AS (VALUES {marks})"
        " SELECT DISTINCT wanted.seq, a.name FROM wanted"
        f" JOIN {events} AS e ON e.workspace_id = %s"
        " AND e.position >= wanted.first AND e.position < wanted.next"
        f" JOIN {agents} AS a ON a.id = e.agent_id"
    )
    found: dict[int, list[str]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(sql, [*bounds, workspace.pk])
        for seq, name in cursor.fetchall():
            found[seq].append(name)
    return {seq: names[0] for seq, names in found.items() if len(names) == 1}
