"""People who use the hub. Nothing here is projected from files."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person. The project's own model from the first migration, so it can grow."""
