"""Keys of feeds, part of the address: feed readers cannot sign in.

A key is valid for the feeds of one workspace only, until its person signs out
everywhere. It is derived, not stored.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from memoryhub.people.models import User
from memoryhub.people.policy import operator, person_of

_SALT = "memoryhub.people.feeds"


def feed_address(request: HttpRequest, name: str, slug: str, **named: str) -> str:
    """Return the address of a feed with the key of the request's person."""
    address = reverse(name, kwargs={"slug": slug, **named})
    return f"{address}?key={_key(person_of(request), slug)}"


def is_feed_key(key: str, slug: str) -> bool:
    """Return whether a key is valid for the feeds of a workspace."""
    return constant_time_compare(key, _key(operator(), slug))


def _key(person: User, slug: str) -> str:
    seed = f"{slug}\n{person.get_session_auth_hash()}"
    return salted_hmac(_SALT, seed, algorithm="sha256").hexdigest()
