"""The board over all workspaces: each handoff once, with the workspace of its work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext

from memoryhub.addresses import Addresses, addresses_of, with_query
from memoryhub.formats.handoff_blocks import TYPES as KNOWN_TYPES
from memoryhub.handoffs.pages_cards import TYPES, CardRow, card_row
from memoryhub.handoffs.queries import Card, Column, Filters, board
from memoryhub.http import typed
from memoryhub.moments import Clock
from memoryhub.wording import HANDOFF_STATES
from memoryhub.workspaces.models import Workspace

#: Cards of a column; filters find the others.
_CARDS = 20


@dataclass(frozen=True, slots=True)
class AskedOfAll:
    """The query of the board over all workspaces."""

    text: str = ""
    type: str = ""
    workspace: str = ""
    to: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> AskedOfAll:
        """Return what an address asks for; what it cannot mean is left out."""
        kind = typed(query, "type")
        return cls(
            typed(query, "q"),
            kind if kind in KNOWN_TYPES else "",
            typed(query, "workspace"),
            "me" if query.get("to") == "me" else "",
        )

    @property
    def filters(self) -> Filters:
        return Filters(type=self.type, text=self.text, for_person=bool(self.to))

    @property
    def filtered(self) -> bool:
        return self != AskedOfAll()

    def toggled_to(self, path: str) -> str:
        """Return the address of this query with or without what others wait for."""
        to = "" if self.to else "me"
        return with_query(
            path, q=self.text, type=self.type, workspace=self.workspace, to=to
        )


class _Home(NamedTuple):
    """A workspace that cards are of."""

    workspace: Workspace
    addresses: Addresses
    clock: Clock


@dataclass(frozen=True, slots=True)
class ColumnOfAll:
    """A column of the board."""

    state: str
    kind: str
    label: str
    count: int
    cards: tuple[CardRow, ...]
    left_out: int


def columns_of_all(
    known: Sequence[Workspace], asked: AskedOfAll, now: datetime
) -> list[ColumnOfAll]:
    """Return the board of some workspaces, in as many queries as that of one.

    A handoff between two is where the work is done, and names the other one.
    """
    chosen = [w for w in known if asked.workspace in ("", w.slug)]
    homes = {w.pk: _home(w, now) for w in known}
    names = {w.slug: w.name for w in known}
    limits = dict.fromkeys(HANDOFF_STATES, _CARDS)
    found = board(chosen, asked.filters, now, limits=limits)
    return [_column(column, homes, names) for column in found]


def _home(workspace: Workspace, now: datetime) -> _Home:
    clock = Clock.of(workspace.time_zone, now)
    return _Home(workspace, addresses_of(workspace.slug), clock)


def _column(
    column: Column, homes: Mapping[int, _Home], names: Mapping[str, str]
) -> ColumnOfAll:
    kind, label = HANDOFF_STATES[column.state]
    cards = tuple(_row(card, homes[card.workspace_id], names) for card in column.cards)
    return ColumnOfAll(
        column.state, kind, str(label), column.count, cards, column.left_out
    )


def _row(card: Card, home: _Home, names: Mapping[str, str]) -> CardRow:
    other = names.get(card.twin.partition("/")[0], "")
    name = home.workspace.name
    if other:
        name = gettext("%(name)s, for %(other)s") % {"name": name, "other": other}
    return replace(
        card_row(card, home, {}), home=name, home_url=home.addresses.handoffs
    )


def type_options() -> list[tuple[str, str]]:
    """Return the types that one can choose from."""
    return [(kind, str(TYPES[kind])) for kind in KNOWN_TYPES]
