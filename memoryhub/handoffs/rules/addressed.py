"""Which people of a team a handoff or a message names. Pure.

Words for any person, such as ``you``, name nobody: it waits for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from memoryhub.handoffs.rules.acting import RETURNED, REVIEW
from memoryhub.handoffs.rules.parties import mentioned_in, reviewer_named
from memoryhub.journal.ownership import PEOPLE, is_person


class Addressed(Protocol):
    """The fields of a handoff that name people."""

    @property
    def sender(self) -> str: ...
    @property
    def recipient(self) -> str: ...
    @property
    def review(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def to_sign(self) -> bool: ...


def named_people(names: Iterable[str]) -> tuple[str, ...]:
    """Return the user names among names, casefolded; empty for everybody."""
    people = [name.strip().casefold() for name in names if is_person(name)]
    return () if PEOPLE.intersection(people) else tuple(dict.fromkeys(people))


def named_by_handoff(row: Addressed) -> tuple[str, ...]:
    """Return whose act a handoff needs by name; a sign-off is any signer's."""
    if row.to_sign:
        return ()
    if row.state == REVIEW:
        return named_people([reviewer_named(row)])
    return named_people([row.sender if row.state == RETURNED else row.recipient])


def named_by_message(row: Addressed, text: str) -> tuple[str, ...]:
    """Return whom a message in a handoff's thread is to: mentioned, else parties."""
    mentioned = [name for name in mentioned_in(text) if is_person(name)]
    return named_people(mentioned or (row.sender, row.recipient))
