"""Storage of messages to a person; it keeps their levels for the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest


class NotedMessages(CookieStorage):
    """Messages in a cookie; `levels` are those of the messages that a request added."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.levels = set[int]()

    def add(self, level: int, message: str, extra_tags: str | None = "") -> None:
        """Queue a message, unless its level is below the one that is recorded."""
        self.levels.add(level)
        super().add(level, message, extra_tags)
