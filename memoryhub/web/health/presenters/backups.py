"""Presenter of the hub's backups and its database file on the health page."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.backups.ledger import BackupEntry, Backups
from memoryhub.repair.checkup import QuickCheck
from memoryhub.web.kit.clock import Clock

#: Glyph per concern about the backups; others are failures.
_GLYPHS = {"": "done", "none": "conflict", "old": "conflict"}


@dataclass(frozen=True, slots=True)
class ShownBackups:
    """State of the backups or of the database: glyph, advice and facts."""

    glyph: str
    state: str
    advice: str
    facts: tuple[str, ...]


def shown_backups(known: Backups, clock: Clock) -> ShownBackups:
    """Return the state of the hub's backups for display."""
    concern = known.concern(clock.now)
    return ShownBackups(
        _GLYPHS.get(concern, "failed"),
        _state(concern, known, clock),
        _advice(concern),
        tuple(_facts(known.last)) if known.last else (),
    )


def shown_look(found: QuickCheck | None, clock: Clock) -> ShownBackups | None:
    """Return the state of the database by the last daily check; None if unknown."""
    if found is None or found.at is None or found.sound is None:
        return None
    age = {"age": clock.age(found.at)}
    if found.sound:
        return ShownBackups("done", gettext("Database sound %(age)s") % age, "", ())
    return ShownBackups(
        "failed",
        gettext("The database is damaged, found %(age)s") % age,
        gettext(
            "Stop the hub and run memoryhub doctor --repair: it builds a new database"
            " from readable data, the journal and the files, and reports what is lost."
        ),
        (found.detail,),
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


def _facts(last: BackupEntry) -> list[str]:
    facts = [str(last.path), gettext("%(n)s MB") % {"n": f"{last.size / 1e6:.1f}"}]
    facts.append(gettext("verified"))
    return [*facts, gettext("encrypted")] if last.encrypted else facts
