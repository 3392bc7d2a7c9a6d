"""The one shape in which a refusal is told, whichever door it was asked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: More wrong fields than these are only counted; their names are cut at a length.
_MOST_FIELDS, _FIELD_LENGTH = 20, 200


def wrong_fields(found: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the details of fields and why each is wrong; `more` counts those left out.

    A request may hold any number of them, and an answer that names all is larger.
    """
    wrong = [
        {"field": name[:_FIELD_LENGTH], "message": message} for name, message in found
    ]
    more = len(wrong) - _MOST_FIELDS
    return {"fields": wrong[:_MOST_FIELDS], **({"more": more} if more > 0 else {})}


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
        if more := self.details.get("more"):
            named.append(f"and {more} more")
        text = f"{self.message}: {'; '.join(named)}" if named else self.message
        return " ".join(text.splitlines())


BODY_TOO_LARGE = Refusal("body-too-large", "the body is too large", 413)
#: A body whose JSON holds more than anybody asks for.
JSON_TOO_LARGE = Refusal(
    "json-too-large", "the body holds too many values, keys or levels", 413
)
