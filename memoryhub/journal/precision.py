"""Precision of a time in a file."""

from __future__ import annotations

from django.db import models


class Precision(models.TextChoices):
    """Precision of a time in a file."""

    SECOND = "second"
    MINUTE = "minute"
    DAY = "day"
    NONE = "none"  # no time in the file: it is when the hub learned of it
