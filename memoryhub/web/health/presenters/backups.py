"""The hub's backups in words, as Health shows them."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.backups.ledger import Backups, Taken
from memoryhub.web.kit.clock import Clock

#: How a backup asks for attention, and the glyph of that.
_GLYPHS = {"": "done", "none": "conflict", "old": "conflict"}


@dataclass(frozen=True, slots=True)
class ShownBackups:
    """How the hub's backups do: a state with its glyph, what to do, and facts."""

    glyph: str
    state: str
    advice: str
    facts: tuple[str, ...]


def shown_backups(known: Backups, clock: Clock) -> ShownBackups:
    """Return how the backups of the hub do."""
    concern = known.concern(clock.now)
    return ShownBackups(
        _GLYPHS.get(concern, "failed"),
        _state(concern, known, clock),
        _advice(concern),
        tuple(_facts(known.last)) if known.last else (),
    )


def _state(concern: str, known: Backups, clock: Clock) -> str:
    if concern == "none":
        return gettext("No backup yet")
    if concern == "failed" and known.failed:
        words = {"age": clock.age(known.failed.at), "error": known.failed.error}
        return gettext("The last one failed, %(age)s: %(error)s") % words
    if concern == "gone":
        return gettext("The last backup is no longer where it was written")
    age = clock.age(known.last.at) if known.last else ""
    return gettext("Last backup %(age)s") % {"age": age}


def _advice(concern: str) -> str:
    if not concern:
        return ""
    return gettext(
        "Take one with memoryhub backup, or set MEMORYHUB_BACKUP_DIR and the server"
        " takes one a day."
    )


def _facts(last: Taken) -> list[str]:
    facts = [str(last.path), gettext("%(n)s MB") % {"n": f"{last.size / 1e6:.1f}"}]
    facts.append(gettext("verified"))
    return [*facts, gettext("encrypted")] if last.encrypted else facts
