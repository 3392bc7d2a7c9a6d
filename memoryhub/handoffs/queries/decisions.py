"""Handoffs related to decisions: pending sign-offs, and handoffs that cite one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import F, Q, TextField, Value
from django.db.models.functions import Concat

from memoryhub.handoffs.models import NEWEST_FIRST, Handoff
from memoryhub.handoffs.queries.board import Filters, listing
from memoryhub.handoffs.queries.sides import (
    called,
    handoffs_of,
    of_sides,
    seen_from,
)
from memoryhub.handoffs.rules.acting import DECISION
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import listed
from memoryhub.journal.rows import Row
from topics.models import Decision

#: Fewest bytes of a decision's text to search for: shorter ones match by chance.
_SHORTEST = 8
#: Characters of a decision's text that are searched for.
_LONGEST = 1_000
#: Most handoffs shown per decision; most words of its text that are tried as ids.
_MOST, _WORDS = 20, 50
_ID = re.compile(r"(?<![\w.-])[.-]*(\w[\w.-]*[0-9]\w*)")
_TEXTS = (
    "context", "input", "expected_output", "constraints", "last_reason", "result",
    "memory_update",
)  # fmt: skip


def sign_offs(workspace_id: int, decisions: Mapping[int, str]) -> dict[int, Row]:
    """Return the sign-off of each decision, by decision id: given, else pending.

    `decisions` are texts by id, of one workspace; handoffs that it sent to others
    count too. A given sign-off outlives the handoff's file; a pending one does not, and
    has neither a name nor a time.
    """
    if not Handoff.objects.filter(decision__isnull=False).exists():
        return {}
    workspace = Workspace.everything.get(pk=workspace_id)
    owners = {row_id: row_id for row_id in decisions}
    sent = Handoff.objects.filter(origin=workspace.slug).exclude(workspace=workspace)
    homes = Workspace.objects.filter(pk__in=sent.order_by().values("workspace"))
    owners |= {
        Decision.id_of(home.uuid.bytes, text): row_id
        for home in homes
        for row_id, text in decisions.items()
    }
    found: dict[int, Row] = {}
    asking = Handoff.objects.filter(decision__in=listed(json.dumps([*owners])))
    rows = of_sides(asking, [workspace]).select_related("workspace")
    for row in rows.order_by("occurred_at", "first_seq", "position", "id"):
        assert row.decision_id is not None
        owner = owners[row.decision_id]
        asks = row.last_seq is None and row.to_sign
        known = found.get(owner)
        if row.signed_by or (asks and not (known and known["signed_off_at"])):
            by = row.signed_by
            if by and row.workspace_id != workspace.pk:
                by = called(by, row.workspace.slug, workspace.slug)
            found[owner] = {
                "handoff_row": row.pk,
                "handoff_name": row.task_id or row.code,
                "signed_off_by": by if row.signed_at else "",
                "signed_off_at": row.signed_at,
            }
    return found


def unsigned(
    workspace: Workspace, filters: Filters, now: datetime
) -> tuple[Handoff, ...]:
    """Return the decisions that wait for a person's sign-off, the oldest first."""
    asked = replace(filters, type=DECISION, for_person=True)
    found = listing([workspace], asked, now, order="oldest")
    return tuple(card for card in found.cards if card.to_sign)


def citing(workspace: Workspace, text: str, said: Sequence[str]) -> tuple[Handoff, ...]:
    """Return the handoffs that cite a decision, newest first, in one query.

    Their texts contain the decision's, or their id occurs in it or in `said`, texts of
    files about it.
    """
    rows = handoffs_of(workspace)
    ids = dict.fromkeys(_ID.findall(" ".join([text, *said])))
    cites = Q(task_id__in=[*ids][:_WORDS])
    if len(text.encode()) >= _SHORTEST:
        parts = [part for name in _TEXTS for part in (F(name), Value("\n"))]
        rows = rows.annotate(texts=Concat(*parts, output_field=TextField()))
        cites |= Q(texts__icontains=text[:_LONGEST])
    newest = rows.filter(cites).order_by(*NEWEST_FIRST)[:_MOST]
    return tuple(seen_from([workspace], newest))
