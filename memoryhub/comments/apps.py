"""The comments app."""

from __future__ import annotations

from django.apps import AppConfig


class CommentsConfig(AppConfig):
    """App configuration with a short label."""

    name = "memoryhub.comments"
    label = "comments"
