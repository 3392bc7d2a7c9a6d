"""Whose lines in a log count: work is done by those whom a task is for. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from memoryhub.handoffs.rules.coordinators import is_coordinator
from memoryhub.handoffs.rules.pools import is_pool
from memoryhub.handoffs.rules.reviewing import BY_COORDINATOR, BY_PERSON, reviewer_of
from memoryhub.journal.ownership import is_person

#: Verbs of the work itself.
_WORK = frozenset({"taken", "done", "failed", "blocked", "put back"})


class Parties(Protocol):
    """The agents of a task; `twin`: a copy by older versions."""

    @property
    def sender(self) -> str: ...
    @property
    def recipient(self) -> str: ...
    @property
    def twin(self) -> str: ...
    @property
    def review(self) -> str: ...


def is_strange(
    verb: str, actor: str, handoff: Parties, slug: str, takers: Collection[str] = ()
) -> bool:
    """Return whether a line has an agent do another's work.

    `slug` is the workspace's, which names of its agents may begin with. Of a pool,
    anybody can have taken it. Lines that the hub wrote count in any case: its rules
    were checked when it wrote them.
    """
    if verb == "accepted":
        return not _accepts(actor, handoff, slug)
    if verb not in _WORK or not actor or handoff.twin:
        return False
    if is_pool(handoff.recipient) or is_person(actor) or is_coordinator(actor):
        return False
    theirs = (handoff.sender, handoff.recipient, *takers)
    return _plain(actor, slug) not in {_plain(name, slug) for name in theirs}


def _accepts(actor: str, handoff: Parties, slug: str) -> bool:
    """Return whether a line of a file can accept; a person does so at the hub alone."""
    name = reviewer_of(handoff)
    if name == BY_PERSON:
        return False
    if is_person(actor) or is_coordinator(actor):
        return True
    return name != BY_COORDINATOR and _plain(actor, slug) == _plain(name, slug)


def _plain(name: str, slug: str) -> str:
    return name.strip().removeprefix(f"{slug}/").casefold()
