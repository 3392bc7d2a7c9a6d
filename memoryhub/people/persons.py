"""Names of people as pages show them."""

from __future__ import annotations

from memoryhub.people.models import User


def shown_name(person: User) -> str:
    """Return the name that pages show of a person: allauth's ACCOUNT_USER_DISPLAY."""
    return person.shown_name
