"""Facts without a time: they come last; those of the first import may be older."""

from __future__ import annotations

from django.db.models import Case, Min, Q, When

from memoryhub.journal.models import SyncRun, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.precision import Precision

#: In front of an order by time: whatever no file gives a time comes last.
UNDATED_LAST = Case(When(precision=Precision.NONE, then=1), default=0)


def seqs_of_run(workspace: Workspace, number: int) -> tuple[int, int]:
    """Return the first and last journal entry of an import; (0, -1) if it has none."""
    runs = SyncRun.objects.filter(workspace=workspace, number=number)
    found = runs.values_list("last_seq", Min("revisions__seq")).first()
    last, first = found or (None, None)
    return (first or last, last) if last is not None else (0, -1)


def first_import(workspace: Workspace) -> int:
    """Return the last journal entry of the first import, which read all files at once.

    Facts it found without a time may be of any time before it.
    """
    return cached(workspace, "first-import", lambda: seqs_of_run(workspace, 1)[1])


def untimed(workspace: Workspace) -> Q:
    """Return the condition for facts without a time that the first import found."""
    first = first_import(workspace)
    return Q(precision=Precision.NONE, first_seq__lte=first)
