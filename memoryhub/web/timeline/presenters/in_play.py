"""Presenter of files in play: claims of agents that they change a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.timeline.queries.in_play import Claim, FileInPlay
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.labels import listed
from memoryhub.web.kit.links import Addresses

#: Most overlaps named on the overview.
_OVERLAPS = 2


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """An agent's claim on a file, with its source."""

    agent: str
    active: bool
    purpose: str
    source: str
    url: str
    when: str
    iso: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file with all claims on it."""

    path: str
    rivals: tuple[str, ...]
    claims: tuple[ClaimRow, ...]


def file_rows(
    files: Iterable[FileInPlay], addresses: Addresses, clock: Clock
) -> list[FileRow]:
    """Return files with their claims for display."""
    return [
        FileRow(
            file.path,
            file.rivals,
            tuple(_claim(claim, file, addresses, clock) for claim in file.claims),
        )
        for file in files
    ]


def _claim(
    claim: Claim, file: FileInPlay, addresses: Addresses, clock: Clock
) -> ClaimRow:
    source, url = _source(claim, addresses)
    return ClaimRow(
        claim.agent,
        claim.agent in file.active,
        claim.purpose,
        source,
        url,
        clock.moment(claim.at),
        clock.local(claim.at).isoformat(timespec="seconds"),
    )


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
