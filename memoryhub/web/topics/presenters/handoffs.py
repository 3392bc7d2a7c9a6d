"""Presenter of handoffs on decision pages: unsigned ones and citations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import wanted_handoffs
from memoryhub.handoffs.queries.decisions import citing, unsigned
from memoryhub.journal.page_cache import kept
from memoryhub.web.decisions.presenters.decisions import DecisionQuery
from memoryhub.web.handoffs.presenters.cards import CardRow, card_row, title_of
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.state_labels import HANDOFF_STATES
from topics.models import Decision
from topics.queries.sources import Spoken

#: Most unsigned decisions above the log; with the filter "unsigned" all are shown.
_ABOVE = 5


class Waiting(NamedTuple):
    """The decisions that wait for a sign-off, and the cards shown of them."""

    cards: tuple[Handoff, ...]
    shown: tuple[CardRow, ...]

    @property
    def more(self) -> int:
        """Number of cards left out; 0 if none are shown."""
        return len(self.cards) - len(self.shown) if self.shown else 0


def waiting_for(query: DecisionQuery, shell: Shell) -> Waiting:
    """Return the decisions that wait for a sign-off and match the log's query.

    A handoff has no month, so a filter by month excludes all. Only the first page of
    the log shows cards.
    """
    filters = wanted_handoffs(
        shell.workspace, agent=query.agent, text=query.text, topic=query.topic
    )
    cards = kept(
        shell.workspace,
        ("unsigned", filters),
        lambda: unsigned(shell.workspace, filters, shell.clock.now),
    )
    if query.month:
        cards = ()
    most = {Decision.State.UNSIGNED.value: len(cards), "": _ABOVE}.get(query.state, 0)
    shown = cards[:most] if query.before is None else ()
    return Waiting(cards, tuple(card_row(card, shell) for card in shown))


def citing_rows(
    decision: Decision, spoken: Sequence[Spoken], shell: Shell
) -> list[dict[str, Any]]:
    """Return the handoffs that a decision cites, or that cite it."""
    said = [decision.reason, *(each.source.value for each in spoken)]
    found = kept(
        shell.workspace,
        ("citing", decision.id),
        lambda: citing(shell.workspace, decision.text, said),
    )
    return [_row(handoff, shell) for handoff in found]


def _row(handoff: Handoff, shell: Shell) -> dict[str, Any]:
    state, label = HANDOFF_STATES[handoff.state]
    return {
        "url": shell.addresses.handoff(handoff.code),
        "title": title_of(handoff),
        "id": handoff.name,
        "sender": handoff.sender or "?",
        "recipient": handoff.recipient or "?",
        "state": state,
        "state_label": str(label),
    }
