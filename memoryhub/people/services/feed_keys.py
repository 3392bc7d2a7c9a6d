"""Keys of feeds, part of the address: feed readers cannot sign in.

A key is valid for the feeds of one workspace only, until its person signs out
everywhere. It is derived, not stored.
"""

from __future__ import annotations

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from memoryhub.people.models import User
from memoryhub.people.policy import operator, person_of
from memoryhub.people.roles import OPERATOR

#: Digits of a person's number: SQLite has no larger integers.
_DIGITS = 19
_SALT = "memoryhub.people.feeds"


def feed_address(request: HttpRequest, name: str, slug: str, **named: str) -> str:
    """Return the address of a feed with the key of the request's person."""
    address = reverse(name, kwargs={"slug": slug, **named})
    return f"{address}?key={_named_key(person_of(request), slug)}"


def person_by_feed_key(key: str, slug: str) -> User | None:
    """Return the person whose key for a workspace's feeds it is; None if it is none."""
    number, dash, _ = key.partition("-")
    if not dash:
        person: User | None = operator()
    elif number.isdecimal() and len(number) < _DIGITS:
        person = User.objects.filter(pk=int(number), is_active=True).first()
    else:
        person = None
    if person and constant_time_compare(key, _named_key(person, slug)):
        return person
    return None


def end_feed_keys(person: User) -> None:
    """Invalidate all feed keys of a person; pages then show new ones."""
    User.objects.filter(pk=person.pk).update(feed_round=F("feed_round") + 1)


def _named_key(person: User, slug: str) -> str:
    """Return a key with its owner's number; the operator's has none."""
    name = "" if person.get_username() == OPERATOR else f"{person.pk}-"
    return f"{name}{_key(person, slug)}"


def _key(person: User, slug: str) -> str:
    seed = f"{slug}\n{person.get_session_auth_hash()}"
    if person.feed_round:
        seed += f"\n{person.feed_round}"
    return salted_hmac(_SALT, seed, algorithm="sha256").hexdigest()
