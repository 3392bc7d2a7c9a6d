"""Presenter of files in play: claims of agents that they change a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext

from memoryhub.timeline.queries.in_play import Claim, FileInPlay
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.labels import listed
from memoryhub.web.kit.links import Addresses

#: Most overlaps named on the overview.
_OVERLAPS = 2


def file_rows(
    files: Iterable[FileInPlay], addresses: Addresses, clock: Clock
) -> list[dict[str, Any]]:
    """Return files with their claims for display."""
    return [
        {
            "path": file.path,
            "rivals": file.rivals,
            "claims": [_claim(claim, file, addresses, clock) for claim in file.claims],
        }
        for file in files
    ]


def _claim(
    claim: Claim, file: FileInPlay, addresses: Addresses, clock: Clock
) -> dict[str, Any]:
    source, url = _source(claim, addresses)
    return {
        "agent": claim.agent,
        "active": claim.agent in file.active,
        "purpose": claim.purpose,
        "source": source,
        "url": url,
        "when": clock.moment(claim.at),
        "iso": clock.local(claim.at).isoformat(timespec="seconds"),
    }


def _source(claim: Claim, addresses: Addresses) -> tuple[str, str]:
    """Return the source of a claim and its address."""
    code = code_of(claim.id)
    words = {"name": claim.name or code}
    if claim.kind == "snapshot":
        return gettext("Snapshot %(name)s") % words, addresses.snapshot(code)
    if claim.kind == "memory":
        url = f"{addresses.memories}{claim.name or code}/"
        return gettext("Session memory %(name)s") % words, url
    return gettext("Handoff %(name)s") % words, addresses.handoff(code)


def overlap_lines(files: Sequence[FileInPlay]) -> list[tuple[str, str]]:
    """Return files changed by several active agents, with the agents' names."""
    found = [file for file in files if file.rivals]
    return [(file.path, listed(file.rivals)) for file in found[:_OVERLAPS]]
