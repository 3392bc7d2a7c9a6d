"""The pages."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Registers the template tags of the pages."""

    name = "memoryhub.web"
    label = "web"
