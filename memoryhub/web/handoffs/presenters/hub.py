"""Presenter of the board over all workspaces; a twin is shown where its work is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext

from memoryhub.formats.hub.handoff import TYPES as KNOWN_TYPES
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import COLUMNS, Filters, board
from memoryhub.journal.models import Workspace
from memoryhub.web.handoffs.presenters.board import CARDS, column_shown
from memoryhub.web.handoffs.presenters.cards import CardRow, card_row
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import Addresses, addresses_of
from memoryhub.web.kit.listing import ListQuery, number, parameter
from memoryhub.web.kit.state_labels import HANDOFF_TYPES

#: Cards per step of a column shown alone, and the most that a link can ask for.
_ALONE, _MOST = 50, 500


@dataclass(frozen=True, slots=True)
class HubQuery(ListQuery):
    """Filters of the board over all workspaces; `most`: cards of a column alone."""

    text: str = parameter("q", in_form=True)
    type: str = parameter("type", choices=KNOWN_TYPES, in_form=True)
    workspace: str = parameter("workspace", in_form=True)
    state: str = parameter("state", choices=COLUMNS)
    to: str = parameter("to", choices=("me",))
    most: int = number("most", default=_ALONE, digits=3)

    @property
    def filters(self) -> Filters:
        return Filters(
            type=self.type,
            state=self.state,
            text=self.text,
            for_person=bool(self.to),
        )

    @property
    def limit(self) -> int:
        return min(max(self.most, _ALONE), _MOST)

    def rest(self, state: str) -> str:
        """Return the address of more of a column: it alone, then with more cards."""
        most = self.limit + _ALONE if self.state else _ALONE
        return self.address(state=state, most=most)


class _Home(NamedTuple):
    """The workspace of a card, with its addresses and clock."""

    workspace: Workspace
    addresses: Addresses
    clock: Clock


def columns_of_all(
    known: Sequence[Workspace], query: HubQuery, now: datetime
) -> list[dict[str, Any]]:
    """Return the board of several workspaces, in as many queries as that of one.

    A handoff between two workspaces is shown where the work is done, with the name of
    the other one.
    """
    chosen = [w for w in known if query.workspace in ("", w.slug)]
    homes = {
        w.pk: _Home(w, addresses_of(w.slug), Clock.of(w.time_zone, now)) for w in known
    }
    names = {w.slug: w.name for w in known}
    limits = {query.state: query.limit} if query.state else CARDS
    found = board(chosen, query.filters, now, limits=limits)
    back = query.address()
    return [
        column_shown(
            column,
            (_row(card, homes[card.side.pk], names, back) for card in column.cards),
            query.rest(column.state),
        )
        for column in found
    ]


def _row(card: Handoff, home: _Home, names: Mapping[str, str], back: str) -> CardRow:
    """Return a card with its workspace; its forms return to the board of all."""
    name = home.workspace.name
    if other := names.get(card.partner, ""):
        name = gettext("%(name)s, with %(other)s") % {"name": name, "other": other}
    return card_row(card, home, home=(name, home.addresses.handoffs), back=back)


def type_options() -> list[tuple[str, str]]:
    """Return the type choices as (value, label)."""
    return [(kind, str(HANDOFF_TYPES[kind])) for kind in KNOWN_TYPES]
