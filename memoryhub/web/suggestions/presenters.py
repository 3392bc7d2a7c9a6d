"""Presenter of suggestions as rows, and of a verdict on a card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from memoryhub.journal.grades import LIKELY, Grade, Graded
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.prose import shortened
from snapshots.queries.suggestions import Among, Suggestion, suggestions

#: Most rows of a block; the verdicts on these make room for the next.
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    """A suggestion with its page, or its line of a file."""

    one: Suggestion
    url: str
    how_sure: str

    @property
    def text(self) -> str:
        return shortened(self.one.text)


def suggestion_block(shell: Shell, among: Among) -> dict[str, Any]:
    """Return the suggestions of a page, and how many there are."""
    found, addresses = suggestions(shell.workspace, among), shell.addresses
    page_of = {"decision": addresses.decision, "item": addresses.open_item}
    rows = [
        SuggestionRow(
            one,
            page_of[one.kind](one.code)
            if one.kind in page_of
            else addresses.file(one.path, line=one.line),
            how_sure(one.confidence),
        )
        for one in found[:_SHOWN]
    ]
    return {"rows": rows, "total": len(found)}


def how_sure(confidence: float) -> str:
    """Return a confidence as a word."""
    return gettext("likely") if confidence >= LIKELY else gettext("perhaps")


def verdict_text(row: Graded, shell: Shell) -> str:
    """Return who accepted or dismissed a row, and when; empty if nobody did."""
    if not row.judged_by or row.judged_at is None:
        return ""
    day = shell.clock.date_label(shell.clock.day(row.judged_at))
    words = {"name": row.judged_by, "day": day}
    if row.grade == Grade.DISMISSED:
        return gettext("dismissed by %(name)s, %(day)s") % words
    return gettext("accepted by %(name)s, %(day)s") % words
