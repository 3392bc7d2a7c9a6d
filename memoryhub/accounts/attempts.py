"""Cache of one-time codes that were used: none is accepted twice."""

from __future__ import annotations

from allauth.mfa import app_settings
from django.core.cache import caches


class UsedCodes:
    """The cache that allauth marks used codes in, apart from that of pages.

    allauth marks a code for one period, but accepts it for as many as the tolerance
    says, before and after its own.
    """

    def add(self, key: str, value: object, timeout: int) -> bool:
        """Mark a code as used; return whether it was new.

        `timeout`: one period in seconds.
        """
        periods = 2 * app_settings.TOTP_TOLERANCE + 1
        is_new: bool = caches["attempts"].add(key, value, timeout * periods)
        return is_new
