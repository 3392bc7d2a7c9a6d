"""The handoffs app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.handoffs.log_verbs import VERBS
from memoryhub.journal.follow_ups import FollowUp
from memoryhub.journal.follow_ups import register as register_follow_up
from memoryhub.journal.verbs import register

#: After a sync, carries hand edits of one file of a handoff over to its twin.
RECONCILING = FollowUp(
    "memoryhub.handoffs.services.after_sync:reconcile_all",
    ("twin-gone", "twin-refused", "twin-apart", "twin-missing"),
)


class HandoffsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.handoffs"
    label = "handoffs"

    def ready(self) -> None:
        register(VERBS)
        register_follow_up(RECONCILING)
