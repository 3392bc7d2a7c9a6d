"""The people app."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_delete, post_save

from memoryhub.journal.ownership import TEAM_NAMES


class PeopleConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.people"
    label = "people"

    def ready(self) -> None:
        # Disconnected: it would write an unused row at each sign-in.
        user_logged_in.disconnect(dispatch_uid="update_last_login")
        for changed in (post_save, post_delete):
            changed.connect(TEAM_NAMES.forget, "people.User", weak=False)
