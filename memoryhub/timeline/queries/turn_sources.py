"""The queries of what waits for a person in a workspace: see `turns`."""

from __future__ import annotations

from memoryhub.formats.optimizer import error_log
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.journal.models import Agent, Blob, Operation, Problem, SourceFile
from memoryhub.journal.ownership import PEOPLE
from memoryhub.journal.problems import GONE_AT_ONCE
from memoryhub.journal.sql import table_of
from snapshots.models import Snapshot
from topics.models import Topic

#: Rows of each sort that a page can name; more than this nobody reads.
LIMIT = 99
#: Handoffs that are not finished, and are looked at.
HANDOFFS = 500
_EXCERPT = 300
_PEOPLE = ", ".join(f"'{name}'" for name in sorted(PEOPLE))
#: The handoffs in which a person has to act, as `OpenHandoff.for_person` says.
_FOR_PERSON = f"""(type = 'decision' AND signed_by = '' AND last_verb <> 'sent back')
      OR LOWER(TRIM(recipient)) IN ({_PEOPLE})"""


def turns_sql() -> str:
    """Return the query: six sorts of rows of fourteen columns."""
    parts = (
        _handoffs_sql(),
        _waits_sql(),
        _blocked_sql(),
        _problems_sql(),
        _logs_sql(),
        f"SELECT 'conflict', 0, target, {_nothing(10)}, NULL FROM ({conflicts_sql()})",
    )
    return "\nUNION ALL ".join(parts)


def _handoffs_sql() -> str:
    """Return the part of what is not finished, and of what failed last.

    Texts are read of those that are shown alone: what a person can act on before all
    others, however old it is. What failed and was handed off again went on elsewhere.
    """
    handoff, topic = table_of(Handoff), table_of(Topic)
    return f"""SELECT * FROM (SELECT 'handoff' AS what, h.id, h.task_id, h.sender,
  h.recipient, h.type, h.state, SUBSTR(h.context, 1, {_EXCERPT}), SUBSTR(CASE
    WHEN h.last_verb = h.state AND h.last_reason <> '' THEN h.last_reason
    ELSE h.result END, 1, {_EXCERPT}),
  COALESCE(t.name, ''), COALESCE(t.slug, ''),
  h.signed_by <> '' OR h.last_verb = 'sent back', h.occurred_at, h.last_at
  FROM (SELECT * FROM (SELECT id FROM {handoff} WHERE workspace_id = %s
      AND last_seq IS NULL AND state IN ('open', 'in_progress', 'blocked')
      ORDER BY CASE WHEN {_FOR_PERSON} THEN 0 WHEN state = 'blocked' THEN 1 ELSE 2 END,
      occurred_at DESC LIMIT {HANDOFFS}) AS unfinished
    UNION ALL SELECT * FROM (SELECT id FROM {handoff} WHERE workspace_id = %s
      AND last_seq IS NULL AND state = 'failed' AND last_verb <> '{HANDED_OFF_AGAIN}'
      ORDER BY last_at DESC LIMIT {LIMIT}) AS failed) AS shown
  JOIN {handoff} AS h ON h.id = shown.id
  LEFT JOIN {topic} AS t ON t.id = h.topic_id
  ORDER BY h.state = 'failed', h.occurred_at DESC) AS handoffs"""


def _waits_sql() -> str:
    """Return the part of who waits for whom, each once, however many handoffs wait."""
    return f"""SELECT * FROM (SELECT DISTINCT 'wait', 0, '', sender, recipient, type,
  signed_by, {_nothing(6)}, NULL FROM {table_of(Handoff)} WHERE workspace_id = %s
  AND last_seq IS NULL AND state IN ('open', 'blocked') AND sender <> '') AS waits"""


def _blocked_sql() -> str:
    """Return the part of topics whose newest snapshot is blocked.

    That is one walk of an index for each topic; a condition on `blocked` inside it
    would look for the newest blocked one instead.
    """
    topic, snapshot, agent = map(table_of, (Topic, Snapshot, Agent))
    return f"""SELECT * FROM (SELECT 'blocked', s.id, s.snapshot_id,
  COALESCE(a.name, ''), SUBSTR(s.blocked_by, 1, {_EXCERPT}), t.kind, '', '',
  SUBSTR(t.status, 1, 40), t.name, t.slug, '', s.occurred_at, t.updated_on
  FROM {topic} AS t JOIN {snapshot} AS s ON s.id = (SELECT n.id FROM {snapshot} AS n
    WHERE n.topic_id = t.id AND n.copy_of_id IS NULL
    ORDER BY n.occurred_at DESC LIMIT 1)
  LEFT JOIN {agent} AS a ON a.id = s.agent_id
  WHERE t.workspace_id = %s AND t.last_seq IS NULL AND s.blocked
  LIMIT {LIMIT}) AS blocked"""


def _problems_sql() -> str:
    """Return the part of files that could not be read, and of files gone at once."""
    return f"""SELECT * FROM (SELECT
  CASE p.code_name WHEN '{GONE_AT_ONCE}' THEN p.code_name ELSE 'unreadable' END,
  0, CASE p.code_name WHEN '{GONE_AT_ONCE}'
    THEN COALESCE(JSON_EXTRACT(p.parameters, '$.names'), '') ELSE p.path END,
  {_nothing(10)}, NULL FROM {table_of(Problem)} AS p
  WHERE p.workspace_id = %s AND p.until_seq IS NULL
  AND p.cleared_seq IS NULL AND p.code_name IN ('unreadable', 'json-invalid',
  'not-imported', '{GONE_AT_ONCE}') LIMIT {LIMIT}) AS problems"""


def _logs_sql() -> str:
    """Return the part of logs of errors; by their format every file would be read."""
    file, blob = table_of(SourceFile), table_of(Blob)
    logs = ", ".join(f"'{path}'" for path in error_log.PLACES)
    return f"""SELECT * FROM (SELECT 'errors', b.id, f.path, b.sha256,
  {_nothing(9)}, NULL FROM {file} AS f JOIN {blob} AS b ON b.id = f.blob_id
  WHERE f.workspace_id = %s AND f.present AND f.path IN ({logs})) AS logs"""


def _nothing(columns: int) -> str:
    return ", ".join(["''"] * columns)


def conflicts_sql(workspaces: int = 1) -> str:
    """Return the query of files of so many workspaces, changed both here and on disk.

    The states and the target of operations are named as the index on open ones has
    them.
    """
    operation, file, blob = map(table_of, (Operation, SourceFile, Blob))
    known = ", ".join(["%s"] * workspaces)
    return f"""SELECT DISTINCT o.workspace_id, o.target
  FROM {operation} AS o JOIN {file} AS f ON f.workspace_id = o.workspace_id
    AND f.path = o.target AND f.present
  JOIN {blob} AS b ON b.id = f.blob_id
  WHERE o.workspace_id IN ({known}) AND o.target >= ''
  AND o.state IN ('staged', 'pending') AND o.state <> 'pending'
  AND b.sha256 <> o.before_sha
  ORDER BY o.workspace_id, o.target
"""
