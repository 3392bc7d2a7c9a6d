"""Settings of reviews: rules "never again", and how many people a file's changes need.

Callers hold the turn of writers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from memoryhub.claims.patterns import LONGEST, BadPath, normal_path
from memoryhub.journal.models import Workspace
from memoryhub.reviews.matching import people_for
from memoryhub.reviews.models import ReviewCard, ReviewRule, ReviewSetup
from memoryhub.reviews.reverting import ReviewRefused

#: Most rules and policies of a workspace: each change is compared with all.
MOST = 100
#: Characters of a rule's parts, where they are not those of a path.
_LONGEST = {"section": 200}
#: Most open cards that a new policy closes.
_CLOSED = 5_000


class RuleParts(NamedTuple):
    """Pattern and reason of a rule."""

    pattern: str
    section: str = ""
    text: str = ""
    reason: str = ""


def save_rule(
    workspace: Workspace,
    parts: RuleParts,
    actor: str,
    at: datetime,
    number: int | None = None,
) -> ReviewRule:
    """Make a rule, or change the one with a number.

    Raises:
        BadPath: no file can match its pattern.
        ReviewRefused: ``rules-too-many``; ``rule-unknown``.
    """
    parts = _checked(parts)
    with transaction.atomic():
        rules = ReviewRule.objects.filter(workspace=workspace)
        rule = rules.filter(pk=number).first() if number else None
        if number and rule is None:
            raise ReviewRefused("rule-unknown")
        if rule is None:
            if rules.count() >= MOST:
                raise ReviewRefused("rules-too-many", most=MOST)
            rule = ReviewRule(workspace=workspace, made_by=actor, made_at=at)
        for name, value in parts._asdict().items():
            setattr(rule, name, value)
        rule.save()
        _count_rules(workspace)
    return rule


def remove_rule(workspace: Workspace, number: int) -> bool:
    """Remove a rule; return whether it existed. Its open proposals are only cards."""
    with transaction.atomic():
        found, _ = ReviewRule.objects.filter(workspace=workspace, pk=number).delete()
        _count_rules(workspace)
    return bool(found)


def set_policies(
    workspace: Workspace, policies: Sequence[tuple[str, int]], actor: str, at: datetime
) -> None:
    """Set the policies; open cards that need nobody any more count as accepted.

    Raises:
        BadPath: no file can match a pattern.
    """
    found = [(normal_path(pattern), people) for pattern, people in policies[:MOST]]
    with transaction.atomic():
        setup = _setup(workspace)
        ReviewSetup.objects.filter(pk=setup.pk).update(policies=found)
        rows = ReviewCard.objects.filter(workspace=workspace, state="open")
        paths = rows.order_by("-last_seq").values_list("pk", "path")[:_CLOSED]
        freed = [pk for pk, path in paths if not people_for(found, path)]
        ReviewCard.objects.filter(pk__in=freed).update(
            state=ReviewCard.State.ACCEPTED, handled_by=actor, handled_at=at
        )
        if freed:
            renew_pages(workspace)


def renew_pages(workspace: Workspace) -> None:
    """Invalidate cached counts of the queue, which no journal entry announces."""
    rows = Workspace.objects.filter(pk=workspace.pk)
    rows.update(handoff_changes=F("handoff_changes") + 1)


def _checked(parts: RuleParts) -> RuleParts:
    found = RuleParts(*(" ".join(part.split()) for part in parts))
    for name, value in found._asdict().items():
        if len(value) > _LONGEST.get(name, LONGEST):
            raise BadPath(value, f"the {name} is too long")
    return found._replace(pattern=normal_path(found.pattern))


def _setup(workspace: Workspace) -> ReviewSetup:
    """Return the settings, made if missing: then the journal is fed from here on."""
    setup, _ = ReviewSetup.objects.get_or_create(
        pk=workspace.pk,
        defaults={"workspace": workspace, "fed_seq": workspace.projected_seq},
    )
    return setup


def _count_rules(workspace: Workspace) -> None:
    number = ReviewRule.objects.filter(workspace=workspace).count()
    ReviewSetup.objects.filter(pk=_setup(workspace).pk).update(rules=number)
