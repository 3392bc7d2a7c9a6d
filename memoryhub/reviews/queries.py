"""Cards of the review queue: lists, counts, reverts for agents."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from memoryhub.journal.authors import owners_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import path_has
from memoryhub.people.rights import Right
from memoryhub.people.roles import people_with
from memoryhub.reviews.matching import people_for
from memoryhub.reviews.models import ReviewCard, ReviewRule, ReviewSetup
from memoryhub.sync.edit.gate import PRIVATE

#: Cards of a page, and values of a filter.
PAGE_SIZE, FACETS = 50, 12
#: Open cards are counted up to here.
COUNTED = 999
#: For how long, and how many of its reverted changes an agent learns of.
_TOLD_FOR, _TOLD = timedelta(days=14), 5
_OPEN, _REVERTED = ReviewCard.State.OPEN, ReviewCard.State.REVERTED


class Wanted(NamedTuple):
    """Filter of cards; `state` is one of the states, ``proposed``, or empty for all."""

    state: str = "open"
    path: str = ""
    agent: str = ""
    text: str = ""


class OpenCard(NamedTuple):
    """A card that waits, and who accepted it first if another person has to as well."""

    number: int
    since: datetime
    accepted_by: str


def cards_of(workspace: Workspace, wanted: Wanted) -> QuerySet[ReviewCard]:
    """Return the wanted cards, the newest first."""
    rows = ReviewCard.objects.filter(workspace=workspace)
    if wanted.state == "proposed":
        rows = rows.filter(state=_OPEN, rule__isnull=False)
    elif wanted.state:
        rows = rows.filter(state=wanted.state)
    if wanted.path:
        rows = rows.filter(path=wanted.path)
    if wanted.agent:
        rows = rows.filter(agent=wanted.agent)
    if wanted.text:
        rows = rows.filter(path_has(wanted.text))
    return rows.select_related("rule").order_by("-last_seq")


def card_page(
    workspace: Workspace, wanted: Wanted, below: int | None = None
) -> list[ReviewCard]:
    """Return a page of cards before a seq, plus one if there are more."""
    rows = cards_of(workspace, wanted)
    if below is not None:
        rows = rows.filter(last_seq__lt=below)
    return list(rows[: PAGE_SIZE + 1])


def card_of(workspace: Workspace, number: int) -> ReviewCard | None:
    """Return a card by its number."""
    rows = ReviewCard.objects.filter(workspace=workspace, pk=number)
    return rows.select_related("rule").first()


def neighbours(card: ReviewCard) -> tuple[int | None, int | None]:
    """Return the numbers of the next newer and the next older open card."""
    rows = ReviewCard.objects.filter(workspace_id=card.workspace_id, state=_OPEN)
    newer = rows.filter(last_seq__gt=card.last_seq).order_by("last_seq")
    older = rows.filter(last_seq__lt=card.last_seq).order_by("-last_seq")
    return (
        newer.values_list("pk", flat=True).first(),
        older.values_list("pk", flat=True).first(),
    )


def open_cards(workspace: Workspace) -> tuple[OpenCard, ...]:
    """Return the cards that wait, the newest first, at most `COUNTED`."""
    rows = ReviewCard.objects.filter(workspace=workspace, state=_OPEN)
    newest = rows.order_by("-last_seq").values_list(
        "pk", "first_at", "first_by", "path"
    )
    found = list(newest[:COUNTED])
    accepted = {path for *_, first_by, path in found if first_by}
    halves = {path for path in accepted if people_needed(workspace, path) > 1}
    return tuple(
        OpenCard(pk, at, first_by if path in halves else "")
        for pk, at, first_by, path in found
    )


def cards_after(
    workspace: Workspace, versions: Collection[tuple[str, int]]
) -> dict[tuple[str, int], ReviewCard]:
    """Return the card with the change that followed a version, by its path and seq.

    One query; none without versions.
    """
    paths = {path for path, _ in versions}
    rows = ReviewCard.objects.filter(workspace=workspace, path__in=paths)
    cards = rows.exclude(state=ReviewCard.State.FORGOTTEN) if paths else ()
    return {
        (path, seq): card
        for card in cards
        for path, seq in versions
        if card.path == path and card.before_seq <= seq < card.last_seq
    }


def counts_by(
    workspace: Workspace, field: str, wanted: Wanted
) -> list[tuple[str, int]]:
    """Return the most frequent values of a field among the wanted cards."""
    rows = cards_of(workspace, wanted).order_by()
    found = rows.values_list(field).annotate(n=Count("pk")).order_by("-n", field)
    return [(value, n) for value, n in found[:FACETS] if value]


def policies_of(workspace: Workspace) -> list[tuple[str, int]]:
    """Return the review policies of a workspace: pattern and number of people."""
    rows = ReviewSetup.objects.filter(pk=workspace.pk)
    found = rows.values_list("policies", flat=True).first() or []
    return [(str(pattern), int(people)) for pattern, people in found]


def rules_of(workspace: Workspace) -> list[ReviewRule]:
    """Return the rules "never again", the newest first."""
    return list(ReviewRule.objects.filter(workspace=workspace).order_by("-pk"))


def people_needed(workspace: Workspace, path: str) -> int:
    """Return how many people have to accept a file's changes: 1 or 2.

    One where only one person may decide in the workspace.
    """
    people = people_for(policies_of(workspace), path)
    if people > 1:
        people = min(people, len(people_with(workspace, Right.EDIT)))
    return max(people, 1)


def reverted_lines(
    workspace: Workspace, agent: str, now: datetime, *, private: bool
) -> tuple[str, ...]:
    """Return changes by an agent, or of its files on disk, that people reverted lately.

    Without `private` none of the file for private sessions only.
    """
    if not agent:
        return ()
    rows = ReviewCard.objects.filter(
        workspace=workspace,
        state=_REVERTED,
        handled_at__gt=now - _TOLD_FOR,
    ).filter(Q(agent__iexact=agent) | Q(agent=""))
    if not private:
        rows = rows.exclude(path__iexact=PRIVATE)
    owner = owners_of(workspace)
    told = (
        card
        for card in rows.order_by("-handled_at")
        if card.agent or owner(card.path).casefold() == agent.casefold()
    )
    return tuple(_line_of(card) for card in islice(told, _TOLD))


def _line_of(card: ReviewCard) -> str:
    what = f': "{card.excerpt}"' if card.excerpt else ""
    why = f" -- {card.reason}" if card.reason else ""
    return f"{card.path}, reverted by {card.handled_by}{what}{why}"
