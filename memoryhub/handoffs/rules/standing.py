"""Who must act on a handoff, and whether its write is in the lane. Pure.

Decided once, when a handoff is projected, and stored as `Handoff.acts` and
`Handoff.in_lane`: pages, notices and tools filter and print these columns.
"""

from __future__ import annotations

from typing import Protocol

from memoryhub.handoffs.rules.acting import (
    ACTIVE,
    DECISION,
    OPEN,
    RETURNED,
    REVIEW,
    UNFINISHED,
    WRITE,
)
from memoryhub.handoffs.rules.parties import (
    BY_COORDINATOR,
    BY_PERSON,
    is_pool,
    reviewer_of,
)
from memoryhub.journal.ownership import is_person

#: Value of `acts` if a person must act, whoever the file names; no agent has this name.
PERSON = "person"


class Terms(Protocol):
    """The task's terms; `away`: the work is done in another workspace."""

    @property
    def type(self) -> str: ...
    @property
    def sender(self) -> str: ...
    @property
    def recipient(self) -> str: ...
    @property
    def away(self) -> bool: ...
    @property
    def problem(self) -> str: ...
    @property
    def review(self) -> str: ...


class Progress(Protocol):
    """Progress of a handoff so far."""

    @property
    def state(self) -> str: ...
    @property
    def signed_by(self) -> str: ...
    @property
    def last_verb(self) -> str: ...
    @property
    def taken_by(self) -> str: ...


def needs_sign_off(terms: Terms, progress: Progress) -> bool:
    """Return whether a decision still waits for a person to sign it or send it back."""
    unanswered = not progress.signed_by and progress.last_verb != "sent back"
    return terms.type == DECISION and progress.state in ACTIVE and unanswered


def who_acts(terms: Terms, progress: Progress) -> str:
    """Return who must act: `PERSON`, the name of an agent, or "" for nobody."""
    if progress.state not in UNFINISHED:
        return ""
    if progress.state == RETURNED:
        return PERSON if is_person(terms.sender) else terms.sender
    if progress.state == REVIEW:
        name = reviewer_of(terms)
        return PERSON if name in (BY_COORDINATOR, BY_PERSON) else name
    if needs_sign_off(terms, progress) or is_person(terms.recipient):
        return PERSON
    if progress.state != OPEN and is_pool(terms.recipient):
        return progress.taken_by or terms.recipient
    return terms.recipient


def in_lane(terms: Terms, progress: Progress) -> bool:
    """Return whether a write is in its workspace's lane: in progress, next or held."""
    is_whole = not (terms.away or terms.problem)
    return terms.type == WRITE and progress.state in ACTIVE and is_whole
