"""The people app."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import (
    user_logged_in,
    user_logged_out,
    user_login_failed,
)
from django.db.models.signals import post_delete, post_save
from django.utils.module_loading import import_string

from memoryhub.journal.ownership import TEAM_NAMES

_AUDITING = "memoryhub.people.auditing"


class PeopleConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.people"
    label = "people"

    def ready(self) -> None:
        # Disconnected: it would write an unused row at each sign-in.
        user_logged_in.disconnect(dispatch_uid="update_last_login")
        # By their names: they import models, which are not there before.
        user_logged_in.connect(import_string(f"{_AUDITING}.signed_in"))
        user_logged_out.connect(import_string(f"{_AUDITING}.signed_out"))
        user_login_failed.connect(import_string(f"{_AUDITING}.refused"))
        for changed in (post_save, post_delete):
            changed.connect(TEAM_NAMES.forget, "people.User", weak=False)
