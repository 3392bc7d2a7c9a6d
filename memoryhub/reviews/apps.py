"""The reviews app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import import_string

from memoryhub.journal.follow_ups import undone


class ReviewsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.reviews"
    label = "reviews"
    importers = ("memoryhub.reviews.importer:ReviewFeed",)

    def ready(self) -> None:
        # Models can be imported from here on.
        note_undone = import_string("memoryhub.reviews.services.note_undone")
        undone.connect(note_undone, dispatch_uid="reviews")
