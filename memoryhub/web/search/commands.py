"""Commands of the palette: links to pages with actions."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext

from memoryhub.web.kit.links import Addresses


class Command(NamedTuple):
    """A link to a page with an action."""

    url: str
    label: str
    icon: str


def commands(addresses: Addresses, typed: str) -> list[Command]:
    """Return the commands whose label contains every typed word."""
    known = (
        Command(addresses.decision_new(), gettext("Add a decision"), "plus"),
        Command(addresses.handover, gettext("Export for an agent"), "swap"),
        Command(addresses.export, gettext("Export preview"), "export"),
        Command(addresses.imports, gettext("Imports"), "import"),
        Command(addresses.health, gettext("Health"), "health"),
        Command(addresses.unassigned, gettext("Unassigned"), "updown"),
        Command(addresses.settings, gettext("Settings"), "filter"),
    )
    words = typed.lower().split()
    return [
        command
        for command in known
        if all(word in command.label.lower() for word in words)
    ]
