"""The one shape in which a refusal is told, whichever door it was asked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A code for programs, a sentence for people, an HTTP status, and details."""

    code: str
    message: str
    status: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the one error shape."""
        details = dict(self.details)
        return {
            "error": {"code": self.code, "message": self.message, "details": details}
        }

    def as_text(self) -> str:
        """Return one line for a model or a terminal; wrong fields are named.

        What it names can be from files: none of that can begin a line of its own.
        """
        fields = self.details.get("fields", [])
        named = [f"{wrong['field']}: {wrong['message']}" for wrong in fields]
        text = f"{self.message}: {'; '.join(named)}" if named else self.message
        return " ".join(text.splitlines())
