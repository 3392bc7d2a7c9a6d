"""The claims app."""

from __future__ import annotations

from django.apps import AppConfig


class ClaimsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.claims"
    label = "claims"
