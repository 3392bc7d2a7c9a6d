"""Session engine: in the cookie on one's own machine, in the database for a team.

A team's sessions can be listed and ended. The database has a hash of each key: whoever
reads a backup cannot take a session over.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db, signed_cookies
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone

from memoryhub.accounts.models import BrowserSession
from memoryhub.database.passing import write_in_passing

#: Lifetime of a session in which nobody has signed in.
_ANONYMOUS = timedelta(hours=1)
#: Interval in which the use of a session is recorded.
_NOTED_EVERY = timedelta(hours=1)
#: Length of `session_key`, which is 160 bits of the hash.
_NAME = 40


class SessionStore:
    """Store of the mode: Django and allauth name it by the engine's module."""

    def __new__(cls, session_key: str | None = None) -> SessionBase:  # type: ignore[misc]
        kind = TeamStore if settings.MEMORYHUB_TEAM else signed_cookies.SessionStore
        return kind(session_key)

    @classmethod
    def clear_expired(cls) -> None:
        """Delete expired sessions of the database."""
        TeamStore.clear_expired()


def session_name(key: str) -> str:
    """Return the primary key of the session with this key."""
    return sha256(key.encode()).hexdigest()[:_NAME]


class TeamStore(db.SessionStore):
    """A session in the database."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def exists(self, session_key: str) -> bool:
        return super().exists(session_name(session_key))

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            BrowserSession.objects.filter(pk=session_name(key)).delete()

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        # `save` has made a key where there was none.
        row = BrowserSession(
            session_key=session_name(self.session_key or ""),
            session_data=self.encode(dict(data)),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
        )
        if row.user_id is None:
            row.expire_date = min(row.expire_date, timezone.now() + _ANONYMOUS)
        return row

    def _get_session_from_db(self) -> BrowserSession | None:
        row = BrowserSession.objects.filter(
            pk=session_name(self.session_key or ""), expire_date__gt=timezone.now()
        ).first()
        if row is None:
            self._session_key = None
        else:
            _note_use(row, timezone.now())
        return row


def _note_use(row: BrowserSession, now: datetime) -> None:
    if now - row.used_at < _NOTED_EVERY:
        return
    again = BrowserSession.objects.filter(pk=row.pk)
    write_in_passing(lambda: again.update(used_at=now))
