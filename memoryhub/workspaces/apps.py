"""The workspaces app."""

from __future__ import annotations

from django.apps import AppConfig


class WorkspacesConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.workspaces"
    label = "workspaces"
