"""Rows of Your turn as the overview prints them."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from memoryhub.people.roles import is_team
from memoryhub.timeline.queries.turns import Turn
from memoryhub.web.handoffs.presenters.acts import ActLink
from memoryhub.web.kit.frame import Shell
from memoryhub.web.overview.presenters.turns import turn_row


class ShownTurn(NamedTuple):
    """A row by what is printed of it, so that an equal one is rendered once.

    `age`, `moment` and `iso` are of the time since which it waits, empty if unknown;
    `assign_url` is empty on a hub without a team.
    """

    glyph: str
    state: str
    title: str
    url: str
    facts: str
    age: str
    moment: str
    iso: str
    actions: tuple[ActLink, ...]
    assign_url: str


def shown_turn(turn: Turn, shell: Shell) -> ShownTurn:
    """Return the row of an item, with its time in words."""
    row, clock = turn_row(turn, shell.addresses), shell.clock
    at = row.at
    slug = shell.workspace.slug
    return ShownTurn(
        row.glyph,
        row.state,
        row.title,
        row.url,
        " · ".join(row.facts),
        clock.age(at) if at else "",
        clock.moment(at) if at else "",
        clock.local(at).isoformat(timespec="seconds") if at else "",
        row.actions,
        reverse("turn-assign", args=[slug, turn.mark]) if is_team() else "",
    )
