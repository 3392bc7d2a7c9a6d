"""App configuration of the web pages."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    """App configuration; Django finds the template tags through it."""

    name = "memoryhub.web"
    label = "web"
