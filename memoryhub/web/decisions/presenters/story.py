"""Presenter of a decision's context: sources, first change, handoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import (
    DiffLine,
    Hunk,
    diff_lines,
    hunks,
    split_text,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import wanted_handoffs
from memoryhub.handoffs.queries.decisions import citing, unsigned
from memoryhub.journal.page_cache import cached
from memoryhub.web.decisions.presenters.decisions import DecisionQuery
from memoryhub.web.handoffs.presenters.cards import card_row, title_of
from memoryhub.web.kit.clock import recorded_text
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.state_labels import HANDOFF_STATES
from topics.models import Decision
from topics.queries.decisions import version_and_before
from topics.queries.topics import Spoken

#: Most hunks shown of the revision that introduced a decision.
_HUNKS = 3
#: Lines shown before and after the decision's own.
_AROUND = 2
#: Characters of a line beside the decision's own.
_SHORT = 200
#: Most unsigned decisions above the log; with the filter "unsigned" all are shown.
_ABOVE = 5


def shown_spoken(spoken: Spoken, shell: Shell) -> dict[str, Any]:
    """Return one source of a decision, present or past."""
    source, addresses = spoken.source, shell.addresses
    path = source.file.path
    return {
        "path": path,
        "line": source.first_line,
        "url": addresses.file(path, line=source.first_line, rev=source.newest_seq),
        "reason": source.value,
        "since": recorded_text(spoken.first, shell.clock),
        "until": ""
        if source.last_seq is None
        else recorded_text(spoken.last, shell.clock),
    }


def introduced(
    spoken: Sequence[Spoken],
) -> tuple[Spoken | None, tuple[Hunk, ...]]:
    """Return the earliest source of a decision and the hunks around its line."""
    first = min(spoken, key=lambda each: each.source.first_seq, default=None)
    if first is None or first.first is None:
        return first, ()
    new, old = version_and_before(first.first)
    before = split_text(decode(old).text)
    found = hunks(diff_lines(before, split_text(decode(new).text)))
    return first, tuple(_near(found, first.source.first_line))


def _near(found: Sequence[Hunk], line: int) -> list[Hunk]:
    """Return up to three hunks, cut to a few lines around `line`.

    A new file is a single hunk as long as itself.
    """
    lines = [
        Hunk(
            tuple(
                each if each.new == line else _shortened(each)
                for each in hunk.lines
                if each.new is None or abs(each.new - line) <= _AROUND
            ),
            0,
        )
        for hunk in found
    ]
    return [hunk for hunk in lines if any(each.new for each in hunk.lines)][:_HUNKS]


def _shortened(line: DiffLine) -> DiffLine:
    """Cut a line of a comparison to the width of its column."""
    if len(line.text) <= _SHORT:
        return line
    return replace(line, parts=((f"{line.text[:_SHORT]}…", False),))


def waiting_for(query: DecisionQuery, shell: Shell) -> dict[str, Any]:
    """Return the decisions that wait for a sign-off and match the log's query.

    A handoff has no month, so a filter by month excludes all. Only the first page of
    the log shows cards.
    """
    filters = wanted_handoffs(
        shell.workspace, agent=query.agent, text=query.text, topic=query.topic
    )
    cards = cached(
        shell.workspace,
        ("unsigned", filters),
        lambda: unsigned(shell.workspace, filters, shell.clock.now),
    )
    if query.month:
        cards = ()
    most = {Decision.State.UNSIGNED.value: len(cards), "": _ABOVE}.get(query.state, 0)
    shown = cards[:most] if query.before is None else ()
    return {
        "total": len(cards),
        "shown": [card_row(card, shell) for card in shown],
        "more": len(cards) - len(shown) if shown else 0,
    }


def citing_rows(
    decision: Decision, spoken: Sequence[Spoken], shell: Shell
) -> list[dict[str, Any]]:
    """Return the handoffs that a decision cites, or that cite it."""
    texts = [decision.reason, *(each.source.value for each in spoken)]
    found = cached(
        shell.workspace,
        ("citing", decision.id),
        lambda: citing(shell.workspace, decision.text, texts),
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
