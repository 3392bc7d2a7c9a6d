"""Work on handoffs between workspaces after a sync.

A handoff to another workspace's agent that a file alone has is a problem: a read never
causes a write there.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import UNFINISHED
from memoryhub.handoffs.services.delivering import undelivered
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import TWIN_MISSING
from memoryhub.people.roles import is_team
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.values.identity import code_of

#: Problem: a result cannot be appended to the file that its sender asked for.
NOT_DELIVERED = "result-not-delivered"
#: Most problems per sync for handoffs that are missing in the other workspace.
_MOST = 50


def after_sync(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Deliver results written by hand; return problems between workspaces."""
    left = [
        ScanProblem(row.file.path, NOT_DELIVERED, f"{row.origin}/{row.result_to}")
        for row, _ in undelivered(workspace, at)
    ]
    return [*left, *islice(_not_sent(workspace), _MOST)]


def _not_sent(workspace: Workspace) -> Iterator[ScanProblem]:
    """Yield a problem per handoff to another workspace that only a file here has."""
    rows = Handoff.objects.filter(
        workspace=workspace,
        last_seq__isnull=True,
        state__in=UNFINISHED,
        twin="",
        recipient__contains="/",
    )
    said = rows.order_by("first_seq", "position").values_list(
        "pk", "recipient", "file__path"
    )
    named = {recipient.partition("/")[0] for _, recipient, _ in said}
    elsewhere = _known(named) - {workspace.slug, ""}
    for row_id, recipient, path in said:
        slug, _, agent = recipient.partition("/")
        if agent and slug in elsewhere:
            yield ScanProblem(path, TWIN_MISSING, recipient, code_of(row_id))


def _known(slugs: set[str]) -> set[str]:
    """Return those of these slugs that workspaces have; in a team all of them.

    A problem here would tell people of this workspace which others exist.
    """
    if is_team() or not slugs:
        return slugs
    rows = Workspace.objects.filter(slug__in=slugs)
    return set(rows.order_by().values_list("slug", flat=True))
