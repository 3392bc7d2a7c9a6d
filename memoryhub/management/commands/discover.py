"""``memoryhub discover``: find the memory of agents on this machine, and add it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.timesince import timesince

from memoryhub.discovery.discover import Found
from memoryhub.errors.terminal import counted, quoted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import HubCommand
from memoryhub.workspaces.services.discovering import (
    Added,
    Offer,
    Offers,
    add_found,
    marked,
    offers_here,
)


class Command(HubCommand):
    help = (
        "Find the memory of agents on this machine: Claude Code, Codex, OpenClaw and"
        " Hermes in the home folder; Serena, memory banks and .claude in each FOLDER."
        " Reads names and sizes, not contents."
    )
    example = "memoryhub discover --all ~/code/shop"

    def audited_as(self, options: dict[str, Any]) -> str:
        # The workspaces that it adds are recorded.
        return ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folders", nargs="*", metavar="FOLDER", help="repository to search as well"
        )
        parser.add_argument(
            "--home", help="home folder to search (default: MEMORYHUB_HOME)"
        )
        parser.add_argument(
            "--all",
            action="store_true",
            help="add each folder found that is not a workspace yet",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def begins(self, options: dict[str, Any]) -> bool:
        return True

    def work(self, **options: Any) -> int:
        home = Path(options["home"]) if options["home"] else None
        offers = offers_here(home, [Path(folder) for folder in options["folders"]])
        added = add_found(offers.new) if options["all"] else Added([], [], [])
        offers = marked(offers.discovery)
        if options["json"]:
            self.give(_described(offers, added))
        else:
            self._say_found(offers)
            self._say_added(offers, added)
        return 0

    def _say_found(self, offers: Offers) -> None:
        for offer in offers.offers:
            self.say(_line(offer))
        if not offers.offers:
            home = quoted(str(offers.discovery.home))
            self.say(f"No memory of agents was found in {home}")
        if offers.discovery.was_cut:
            self.say("The search ended at its limit: there may be more.")

    def _say_added(self, offers: Offers, added: Added) -> None:
        for workspace in added.workspaces:
            self.say(f"added {workspace.slug}: {quoted(workspace.root)}")
        for found, moved in added.moved:
            self.complain(
                f"{_place(found)} looks like the folder of {moved.slug}, which is not"
                f" there: memoryhub move {moved.slug} {_place(found)} keeps its history"
            )
        for _, reason in added.refused:
            self.complain(reason)
        if added.workspaces:
            self.say("memoryhub sync imports them.")
        elif offers.new and not (added.moved or added.refused):
            self.say("Add one: memoryhub add FOLDER. Add all: the same with --all.")


def _line(offer: Offer) -> str:
    """Return a folder as a line: host, path, counts, age, project, workspace."""
    found = offer.found
    parts = [found.place.host, _place(found), _counts(found)]
    if found.newest:
        parts.append(f"changed {timesince(found.newest, timezone.now(), depth=1)} ago")
    if found.place.project:
        parts.append(f"of {quoted(found.place.project)}")
    if offer.workspace:
        parts.append(f"added as {offer.workspace.slug}")
    return "  ".join(parts).replace("\xa0", " ")


def _counts(found: Found) -> str:
    if found.is_unreadable:
        return "cannot be read"
    more = "more than " if found.was_cut else ""
    return f"{more}{counted(found.files, 'file')}, {filesizeformat(found.size)}"


def _place(found: Found) -> str:
    return quoted(str(found.place.root))


def _described(offers: Offers, added: Added) -> dict[str, Any]:
    return {
        "home": str(offers.discovery.home),
        "found": [_row(offer.found, offer.workspace) for offer in offers.offers],
        "complete": not offers.discovery.was_cut,
        "added": [workspace.slug for workspace in added.workspaces],
        "left_out": [
            str(found.place.root) for found, _ in (*added.moved, *added.refused)
        ],
    }


def _row(found: Found, workspace: Workspace | None) -> dict[str, Any]:
    return {
        "host": found.place.host,
        "path": str(found.place.root),
        "project": found.place.project,
        "files": found.files,
        "bytes": found.size,
        "changed": found.newest.isoformat() if found.newest else None,
        "complete": not found.was_cut,
        "readable": not found.is_unreadable,
        "workspace": workspace.slug if workspace else None,
    }
