"""Sessions of a team's browsers, and invitations."""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.people.rights import Role

#: Key of the facts about a browser in its session.
BROWSER = "browser"


class Attempt(models.Model):
    """Attempts of one kind from one source, such as an address: counted by allauth.

    Stored, so that a restart does not forget them.
    """

    key = models.CharField(max_length=255, primary_key=True)
    #: Times of the attempts, or a mark.
    value = models.JSONField()
    #: Seconds since 1970.
    expires = models.FloatField(db_index=True)

    def __str__(self) -> str:
        return self.key


class BrowserSession(AbstractBaseSession):
    """A browser's session; `session_key` is a hash of the key in its cookie."""

    #: Null until somebody has signed in.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="sessions"
    )
    #: Time of a use, at most an hour before the last one.
    used_at = models.DateTimeField(default=timezone.now)

    class Meta(AbstractBaseSession.Meta):
        abstract = False


class Invitation(models.Model):
    """A link by which one person joins, with a role in a workspace or in the hub.

    Of its secret only a hash is stored. A revoked invitation is deleted.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    #: Suggested name and e-mail address of the person.
    name = models.CharField(max_length=80, default="", blank=True)
    email = models.EmailField(default="", blank=True)
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, null=True, related_name="+"
    )
    role = models.PositiveSmallIntegerField(choices=Role.choices, null=True)
    hub_administrator = models.BooleanField(default=False)
    #: Null for an invitation by a command.
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return self.name or self.email or f"invitation {self.pk}"
