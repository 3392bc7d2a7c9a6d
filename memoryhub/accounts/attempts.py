"""Attempts to sign in and used codes, as allauth counts them, in the database."""

from __future__ import annotations

import time

from allauth.mfa import app_settings
from django.db import transaction

from memoryhub.accounts.models import Attempt


class StoredAttempts:
    """The part of a cache that allauth's limits use.

    A cache in memory would forget them at a restart, and lose some to pages' entries.
    """

    def get(self, key: str, default: object = None) -> object:
        """Return the value of a key that has not expired."""
        rows = Attempt.objects.filter(key=key, expires__gt=time.time())
        return rows.values_list("value", flat=True).first() or default

    def add(self, key: str, value: object, timeout: float) -> bool:
        """Set a value if there is none; return whether there was none."""
        now = time.time()
        with transaction.atomic():
            Attempt.objects.filter(expires__lte=now).delete()
            defaults = {"value": value, "expires": now + timeout}
            return Attempt.objects.get_or_create(key=key, defaults=defaults)[1]

    def set(self, key: str, value: object, timeout: float) -> None:
        """Set a value for `timeout` seconds."""
        values = {"value": value, "expires": time.time() + timeout}
        Attempt.objects.update_or_create(key=key, defaults=values)

    def delete(self, key: str) -> None:
        """Remove a key."""
        Attempt.objects.filter(key=key).delete()


class UsedCodes:
    """Marks of one-time codes that were used: none is accepted twice.

    allauth marks a code for one period, but accepts it for as many as the tolerance
    says, before and after its own.
    """

    def add(self, key: str, value: object, timeout: int) -> bool:
        """Mark a code as used; return whether it was new.

        `timeout`: one period in seconds.
        """
        periods = 2 * app_settings.TOTP_TOLERANCE + 1
        return StoredAttempts().add(key, value, timeout * periods)
