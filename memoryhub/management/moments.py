"""Parsing of times on a command line."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError


def moment_of(text: str, time_zone: str) -> datetime:
    """Parse an ISO time to UTC; a date means its end.

    A time without a zone is in the workspace's.

    Raises:
        CommandError: not a valid time.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(time_zone))
        if len(text.strip()) <= len("2026-11-20"):
            moment = datetime.combine(moment, time.max, moment.tzinfo)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        example = datetime.now(UTC) - timedelta(days=1)
        raise CommandError(
            f"{text} is no time; write it as {example:%Y-%m-%d} or"
            f" {example:%Y-%m-%dT%H:%M}"
        ) from error
