"""The audit app."""

from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """App configuration with a short label."""

    name = "memoryhub.audit"
    label = "audit"
