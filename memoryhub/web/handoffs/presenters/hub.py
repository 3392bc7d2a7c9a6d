"""Presenter of the board over all workspaces; a twin is shown where its work is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext

from memoryhub.formats.hub.handoff_blocks import TYPES as KNOWN_TYPES
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import COLUMNS, Filters, board
from memoryhub.journal.models import Workspace
from memoryhub.web.handoffs.presenters.board import CARDS, ColumnShown, column_shown
from memoryhub.web.handoffs.presenters.cards import TYPES, CardRow, card_row
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.links import Addresses, addresses_of, with_query

#: Cards per step of a column shown alone, and the most that a link can ask for.
_ALONE, _MOST = 50, 500


@dataclass(frozen=True, slots=True)
class AskedOfAll:
    """Parsed query of the board over all workspaces."""

    text: str = ""
    type: str = ""
    workspace: str = ""
    state: str = ""
    to: str = ""
    most: int = _ALONE

    @classmethod
    def of(cls, query: QueryDict) -> AskedOfAll:
        """Parse a query string; invalid values are ignored."""
        kind, state = typed(query, "type"), typed(query, "state")
        most = whole_number(typed(query, "most"), digits=3) or 0
        return cls(
            typed(query, "q"),
            kind if kind in KNOWN_TYPES else "",
            typed(query, "workspace"),
            state if state in COLUMNS else "",
            "me" if query.get("to") == "me" else "",
            min(max(most, _ALONE), _MOST),
        )

    @property
    def filters(self) -> Filters:
        return Filters(
            type=self.type,
            state=self.state,
            text=self.text,
            for_person=bool(self.to),
        )

    @property
    def filtered(self) -> bool:
        return self != AskedOfAll()

    def address(self, path: str, **changed: str) -> str:
        """Return the address of this query with fields replaced."""
        query = {
            "q": self.text,
            "type": self.type,
            "workspace": self.workspace,
            "state": self.state,
            "to": self.to,
        }
        return with_query(path, **{**query, **changed})

    def rest(self, path: str, state: str) -> str:
        """Return the address of more of a column: it alone, then with more cards."""
        most = str(self.most + _ALONE) if self.state else ""
        return self.address(path, state=state, most=most)


class _Home(NamedTuple):
    """The workspace of a card, with its addresses and clock."""

    workspace: Workspace
    addresses: Addresses
    clock: Clock


def columns_of_all(
    known: Sequence[Workspace], asked: AskedOfAll, path: str, now: datetime
) -> list[ColumnShown]:
    """Return the board of several workspaces, in as many queries as that of one.

    A handoff between two workspaces is shown where the work is done, with the name of
    the other one.
    """
    chosen = chosen_of(known, asked)
    homes = {w.pk: _home(w, now) for w in known}
    names = {w.slug: w.name for w in known}
    limits = {asked.state: asked.most} if asked.state else CARDS
    found = board(chosen, asked.filters, now, limits=limits)
    back = asked.address(path)
    return [
        column_shown(
            column,
            tuple(
                _row(card, homes[card.workspace_id], names, back)
                for card in column.cards
            ),
            asked.rest(path, column.state),
        )
        for column in found
    ]


def chosen_of(known: Sequence[Workspace], asked: AskedOfAll) -> list[Workspace]:
    """Return the workspaces that the query selects."""
    return [w for w in known if asked.workspace in ("", w.slug)]


def _home(workspace: Workspace, now: datetime) -> _Home:
    clock = Clock.of(workspace.time_zone, now)
    return _Home(workspace, addresses_of(workspace.slug), clock)


def _row(card: Handoff, home: _Home, names: Mapping[str, str], back: str) -> CardRow:
    """Return a card with its workspace; its forms return to the board of all."""
    name = home.workspace.name
    if other := names.get(card.twin_slug, ""):
        name = gettext("%(name)s, with %(other)s") % {"name": name, "other": other}
    return card_row(card, home, home=(name, home.addresses.handoffs), back=back)


def type_options() -> list[tuple[str, str]]:
    """Return the type choices as (value, label)."""
    return [(kind, str(TYPES[kind])) for kind in KNOWN_TYPES]
