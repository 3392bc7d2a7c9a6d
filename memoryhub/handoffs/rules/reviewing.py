"""Who accepts work that its task asks to be reviewed. Pure."""

from __future__ import annotations

from typing import Protocol

from memoryhub.journal.ownership import is_person

#: Words of a task's ``review`` beside the name of an agent.
BY_SENDER, BY_COORDINATOR, BY_PERSON = "sender", "coordinator", "person"
_SENDER_WORDS = frozenset({BY_SENDER, "yes", "true"})


class Reviewed(Protocol):
    """The fields of a handoff that decide who reviews it."""

    @property
    def sender(self) -> str: ...
    @property
    def review(self) -> str: ...


def reviewer_of(handoff: Reviewed) -> str:
    """Return who accepts: an agent, `BY_COORDINATOR`, `BY_PERSON`, or "" for nobody."""
    name = reviewer_named(handoff)
    if name.casefold() in (BY_COORDINATOR, BY_PERSON):
        return name.casefold()
    return BY_PERSON if is_person(name) else name


def reviewer_named(handoff: Reviewed) -> str:
    """Return the reviewer's name as in the file, of the sender for such words."""
    word = handoff.review.strip()
    return handoff.sender if word.casefold() in _SENDER_WORDS else word


def is_agent_named(review: str) -> bool:
    """Return whether a task's ``review`` is the name of an agent."""
    word = review.strip().casefold()
    words = {"", BY_COORDINATOR, BY_PERSON, *_SENDER_WORDS}
    return word not in words and not is_person(review)


def reviewers_of(handoff: Reviewed) -> set[str]:
    """Return the agents that may accept; none where it is a coordinator or person."""
    name = reviewer_of(handoff)
    return set() if name in ("", BY_COORDINATOR, BY_PERSON) else {name}
