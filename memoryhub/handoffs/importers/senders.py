"""Effects of handoffs on the workspaces that sent them: caches, states of decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from django.db.models import F, Q

from memoryhub.formats.hub.handoff_blocks import listed_in
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.decisions import sign_offs
from memoryhub.handoffs.rules.acting import TAKEN_FROM
from memoryhub.journal.changes import WorkspaceFacts
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Rows
from topics.importers.decisions import DecisionImporter
from topics.models import Decision

#: Texts of decisions by the slug of the workspace that asks for their sign-off.
Requests = Mapping[str, set[str]]


def requests_in(handoffs: Iterable[Handoff]) -> Requests:
    """Return the decisions that other workspaces ask to sign off in these handoffs."""
    found: dict[str, set[str]] = defaultdict(set)
    for handoff in handoffs:
        if handoff.origin and handoff.decision_id is not None:
            found[handoff.origin].add(first_sentence(handoff.context))
    return found


def decide_elsewhere(asked: Requests, rows: Rows) -> None:
    """Decide the state of decisions in the workspaces that ask for their sign-off.

    The handoffs' own rows must be stored.
    """
    if not asked:
        return
    rows.flush()
    for sender in Workspace.objects.filter(slug__in=list(asked)):
        facts = WorkspaceFacts.of(sender)
        ids = {Decision.id_of(facts.uuid, text) for text in asked[sender.slug]}
        DecisionImporter(facts, empty=False).flush(rows, ids, sign_offs)


def count_change(workspace_id: int, slug: str, origins: Collection[str]) -> None:
    """Count a change of handoffs in their workspace and in those that it concerns.

    These sent them, or have tasks that come after one of them.
    """
    waiting = {
        home
        for home, after in _AFTER_OTHERS()
        if any(name.startswith(f"{slug}/") for name in listed_in(after))
    }
    concerned = Q(pk__in=[workspace_id, *waiting]) | Q(slug__in=[*origins])
    rows = Workspace.everything.filter(concerned)
    rows.update(handoff_changes=F("handoff_changes") + 1)


#: Untaken tasks that come after those of other workspaces: workspace, names.
_AFTER_OTHERS: Prepared[tuple[int, str]] = Prepared(
    lambda: (
        Handoff.objects.filter(
            after__gt="",
            after__contains="/",
            state__in=TAKEN_FROM,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("workspace_id", "after")
    )
)


def leave_senders(workspace: Workspace) -> None:
    """Take a removed workspace's handoffs from those that sent them."""
    rows = Rows()
    sent = Handoff.objects.filter(workspace=workspace, origin__gt="")
    origins = set(sent.order_by().values_list("origin", flat=True).distinct())
    count_change(workspace.pk, workspace.slug, origins)
    asking = sent.filter(decision__isnull=False)
    decide_elsewhere(requests_in(asking.only("origin", "decision", "context")), rows)
    rows.flush()
