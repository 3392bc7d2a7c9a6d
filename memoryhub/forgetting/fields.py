"""A column whose value is not readable in the database's file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from memoryhub.database.sealing import opened, seal

if TYPE_CHECKING:
    _Field = models.Field[Any, Any]
else:
    _Field = models.Field


class SealedJSON(_Field):
    """A JSON value, stored encrypted with this hub's key."""

    def get_internal_type(self) -> str:
        return "TextField"

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Migrate as a text column: only this version's code encrypts."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.TextField", arguments, options

    def get_prep_value(self, value: Any) -> str:
        return seal(json.dumps(value, ensure_ascii=False))

    def from_db_value(self, value: str, expression: object, connection: object) -> Any:
        return json.loads(opened(value))

    def to_python(self, value: Any) -> Any:
        return value
