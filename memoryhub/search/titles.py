"""Decisions whose text or reason has all words of a query, for the palette."""

from __future__ import annotations

from django.db.models import Case, Q, When

from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.search.parser import Query
from memoryhub.search.things import Thing
from topics.models import Decision
from topics.queries.decisions import DecisionFilter

_TITLE = 200


def decisions_with(workspace: Workspace, query: Query, number: int) -> list[Thing]:
    """Return the newest decisions with all words; none for a query with filters.

    The words can be parts of others, as in what is still being typed. One that no
    longer holds is found by its whole text alone, and comes first.
    """
    words = " ".join((*query.words, *query.phrases))
    if query.filters or query.without or not words:
        return []
    rows = DecisionFilter(workspace.pk, words).rows()
    holds = Q(state__in=Decision.STANDING, last_seq__isnull=True)
    whole = Q(pk=Decision.id_of(workspace.uuid.bytes, words))
    found = rows.filter(whole | holds)
    first = Case(When(whole, then=0), default=1)
    newest = found.order_by(first, UNDATED_LAST, "-occurred_at", "-id")
    return [
        Thing("decision", row_id, " ".join(text.split())[:_TITLE], "", 0, 0)
        for row_id, text in newest.values_list("id", "text")[:number]
    ]
