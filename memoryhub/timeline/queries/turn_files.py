"""Files that wait for a person: unread, missing, shortened, in conflict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from django.db import connection

from memoryhub.journal.models import (
    Blob,
    Operation,
    Problem,
    SourceFile,
    Workspace,
)
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import (
    GONE_AT_ONCE,
    MEMORY_GONE,
    SECRETS,
    SHRANK,
    current_problems,
)
from memoryhub.journal.rows import table_of

#: Limit of rows of each kind on a page.
LIMIT = 99
_UNREADABLE = ("unreadable", "json-invalid", "not-imported", "encoding-unknown")


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
