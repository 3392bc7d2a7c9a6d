"""How exactly a file says when something happened."""

from __future__ import annotations

from django.db import models


class Precision(models.TextChoices):
    """How exactly a file says when something happened."""

    SECOND = "second"
    MINUTE = "minute"
    DAY = "day"
    NONE = "none"  # not said: the time is when the hub learned of it
