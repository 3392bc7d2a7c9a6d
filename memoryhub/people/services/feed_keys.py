"""Keys of feeds: feed readers cannot sign in, so the address lets them in.

A key is good for the feeds of one workspace and for nothing else, until its person
is signed out everywhere. It is kept nowhere.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from memoryhub.people.models import User
from memoryhub.people.policy import operator, person_of

_SALT = "memoryhub.people.feeds"


def feed_address(request: HttpRequest, name: str, slug: str, **named: str) -> str:
    """Return the address of a feed by which a reader of who asks is let in."""
    address = reverse(name, kwargs={"slug": slug, **named})
    return f"{address}?key={_key(person_of(request), slug)}"


def is_feed_key(key: str, slug: str) -> bool:
    """Tell whether a key lets in to the feeds of a workspace."""
    return constant_time_compare(key, _key(operator(), slug))


def _key(person: User, slug: str) -> str:
    seed = f"{slug}\n{person.get_session_auth_hash()}"
    return salted_hmac(_SALT, seed, algorithm="sha256").hexdigest()
