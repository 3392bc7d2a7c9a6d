"""The people app."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class PeopleConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.people"
    label = "people"

    def ready(self) -> None:
        # It would write a row at each sign-in; nothing reads it.
        user_logged_in.disconnect(dispatch_uid="update_last_login")
