"""As of when an answer to a program is: newer files are read before, or named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from memoryhub.errors.base import ToolError
from memoryhub.handoffs.queries.sides import homes_of_sent
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.sync.scan.pending import read_pending

#: How many of the files that are newer than an answer are named.
_NAMED = 20
#: Other workspaces whose files are looked at before an answer.
_HOMES = 8


@dataclass(frozen=True, slots=True)
class AsOf:
    """As of when an answer is.

    It holds the journal up to `seq`, and the files as they were `at` that time, if
    they were ever read. Some that changed on disk since are `newer`.
    """

    seq: int
    at: datetime | None
    newer: Sequence[str] = ()

    @property
    def time(self) -> str:
        """The time in ISO 8601; empty where no file was read yet."""
        return self.at.isoformat(timespec="seconds") if self.at else ""

    def as_json(self) -> dict[str, Any]:
        stale, named = bool(self.newer), list(self.newer[:_NAMED])
        return {
            "seq": self.seq,
            "at": self.time or None,
            "stale": stale,
            "newer": named,
        }

    def lines(self) -> list[str]:
        """Return the note that follows a stale answer."""
        if not self.newer:
            return []
        more = len(self.newer) - _NAMED
        paths = ", ".join(self.newer[:_NAMED]) + (f" and {more} more" * (more > 0))
        return [f"This is as of {self.time}. Changed on disk since: {paths}"]


def read_newer(workspace: Workspace) -> AsOf:
    """Import files newer than the journal; return the time that answers are of.

    Everything that answers a program from rows does this first. Answers include the
    handoffs sent to other workspaces, so newer files there are read too; one with files
    that could not be read is named as ``<workspace>/``.

    Raises:
        ToolError: ``not-imported``, the first import is still to be made.
    """
    now = timezone.now()
    newer = [*read_pending(workspace)]
    homes = homes_of_sent(workspace)[:_HOMES]
    newer += [f"{home.slug}/" for home in homes if read_pending(home)]
    when = as_of(workspace, newer, at=None if newer else now)
    if when.at is None and when.seq:
        # The first import goes on: its newest files have their rows.
        return replace(when, at=now)
    if when.at is None:
        raise ToolError("not-imported", workspace=workspace.slug, files=len(newer))
    return when


def as_of(
    workspace: Workspace, newer: Sequence[str] = (), at: datetime | None = None
) -> AsOf:
    """Return as of when an answer is; without `at`, of the last import."""
    if not (rows := _AS_OF(workspace.pk)):
        raise Workspace.DoesNotExist
    ((seq, checked),) = rows
    return AsOf(seq, at or checked, newer)


_AS_OF: Prepared[tuple[int, datetime | None]] = Prepared(
    lambda workspace_id: Workspace.objects.filter(pk=workspace_id).values_list(
        "projected_seq", "checked_at"
    ),
    int,
)
