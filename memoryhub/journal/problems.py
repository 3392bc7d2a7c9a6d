"""Problems of files: opened by a revision that has them, closed by one without."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import QuerySet

from memoryhub.journal.changes import Change
from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.reading import CONFLICT_COPY
from memoryhub.values.identity import id_of

#: A log lost lines: open until they are back.
LOG_SHRANK = "log-shrank"
#: A long-lived file lost many lines: open until most are back.
MEMORY_SHRANK = "memory-shrank"
#: A log or long-lived file was deleted: open until it is back.
MEMORY_GONE = "memory-gone"
#: Files of which nothing is read.
UNREAD = (CONFLICT_COPY, "encoding-unknown")
#: Versions without rows: these files, and what failed.
NO_ROWS = (*UNREAD, "not-imported", "version-damaged")
#: Losses that need a person who looks at them.
SHRANK = (LOG_SHRANK, MEMORY_SHRANK, MEMORY_GONE)
#: Another program overwrote a write of the hub: open until it is back.
WRITE_LOST = "write-lost"
#: Most files are missing at once; no person has confirmed their deletion.
GONE_AT_ONCE = "gone-at-once"
#: The limit of watched folders is reached: changes are found by periodic scans.
NOT_WATCHED = "not-watched"
#: A handoff to another workspace, which does not have it.
TWIN_MISSING = "twin-missing"
#: A file contains forgotten content again; the hub does not store it.
FORGOTTEN_AGAIN = "forgotten-again"
#: Lines of a merge of which nobody has chosen a side.
CONFLICT_MARKERS = "conflict-markers"
#: A file that a program made beside another one, which it could not merge or kept.
COPIES = (CONFLICT_COPY, "backup-copy")
#: A file holds probable secrets: their number, at the line of the first.
SECRETS = "secrets"
#: Verbs: clear a problem (no action needed), or bring it back.
CLEAR, BRING_BACK = "clear_problem", "bring_back_problem"


class Trouble(NamedTuple):
    """A problem of one revision."""

    code: str
    line: int
    parameters: dict[str, Any]


def fold_problems(
    change: Change, troubles: list[Trouble], known: Iterable[Problem]
) -> None:
    """Open a revision's new problems, keep continuing ones, close the others.

    `known` are the open ones of the revision before; they move with their file.
    """
    open_rows = defaultdict(list)
    for row in known:
        open_rows[row.code_name, _parameters_key(row.parameters)].append(row)
    for ordinal, trouble in enumerate(troubles):
        same = open_rows[trouble.code, _parameters_key(trouble.parameters)]
        if not same:
            change.rows.insert(
                Problem,
                id=change.id_at(Problem, ordinal),
                workspace_id=change.workspace.id,
                code_name=trouble.code,
                path=change.path,
                line=trouble.line,
                parameters=trouble.parameters,
                seq=change.seq,
                run_number=change.run_number,
                recorded_at=change.recorded_at,
            )
            continue
        kept = same.pop(0)
        if (kept.line, kept.path) != (trouble.line, change.path):
            change.rows.update(Problem, kept.id, line=trouble.line, path=change.path)
    for rows in open_rows.values():
        for row in rows:
            change.rows.update(Problem, row.id, until_seq=change.seq)


def project_clearing(operation: Operation) -> None:
    """Clear equal problems from an operation's seq on, or bring them back.

    They stay cleared while later revisions of their file have them unchanged.
    """
    seq = operation.seq if operation.verb == CLEAR else None
    ids = [id_of(code) for code in operation.payload["problems"]]
    rows = Problem.objects.filter(pk__in=ids)
    rows.update(cleared_seq=seq)


def troubles_of(known: Iterable[Problem], code: str) -> list[Trouble]:
    """Return the known problems with a code as troubles."""
    return [
        Trouble(row.code_name, row.line, row.parameters)
        for row in known
        if row.code_name == code
    ]


def current_problems(workspace: Workspace | int) -> QuerySet[Problem]:
    """Return a workspace's open problems, without those that a person cleared."""
    return Problem.objects.filter(
        workspace=workspace, until_seq__isnull=True, cleared_seq__isnull=True
    )


def unread_files(workspace: Workspace, codes: Iterable[str] = UNREAD) -> dict[str, str]:
    """Return the paths of files of which nothing is read.

    Each with the file that it is a conflict copy of, "" for another encoding.
    """
    rows = Problem.objects.filter(
        workspace=workspace, code_name__in=codes, until_seq__isnull=True
    )
    return {
        path: str(more.get("of", ""))
        for path, more in rows.values_list("path", "parameters")
    }


def open_problems(change: Change, path: str) -> list[Problem]:
    """Return the open problems of the file at a path, in order."""
    return _OPEN(change.workspace.id, path)


_OPEN = Prepared(
    lambda workspace_id, path: Problem.objects.filter(
        workspace_id=workspace_id,
        path=path,
        until_seq__isnull=True,
        seq__isnull=False,
    ).order_by("line", "seq", "id"),
    int,
    str,
)


def _parameters_key(parameters: dict[str, Any]) -> str:
    return repr(sorted(parameters.items()))
