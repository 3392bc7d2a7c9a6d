"""The handoffs app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.handoffs.log_verbs import VERBS
from memoryhub.journal.follow_ups import FollowUp
from memoryhub.journal.follow_ups import register as register_follow_up
from memoryhub.journal.verbs import register

#: After a sync, delivers results and finds handoffs that another workspace has not got.
AFTER_SYNC = FollowUp(
    "memoryhub.handoffs.services.delivering:after_sync",
    ("result-not-delivered", "twin-missing"),
)


class HandoffsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.handoffs"
    label = "handoffs"
    importers = ("memoryhub.handoffs.importers.handoffs:HandoffImporter",)

    def ready(self) -> None:
        register(VERBS)
        register_follow_up(AFTER_SYNC)
