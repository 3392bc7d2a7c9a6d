"""Errors of requests, and the one form in which every door refuses them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

#: Limits: fields listed (the rest is counted), and characters of their names.
_MOST_FIELDS, _FIELD_LENGTH = 20, 200


class ToolError(Exception):
    """A request that cannot be done: an error code, and parameters of its message."""

    def __init__(self, code: str, **parameters: Any) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters


class RefusedBefore(ToolError):
    """Refusal of a repeated call, with the reason of its first attempt."""


def did_you_mean(name: str, known: Iterable[str], before: str = "") -> str:
    """Return a question with the known name most like one, "" if none is like it.

    `before` is put before the known name.
    """
    alike = {each.casefold().replace("_", "-"): each for each in known}
    near = get_close_matches(name.casefold().replace("_", "-"), alike, n=1)
    return f"Did you mean {before}{alike[near[0]]}?" if near else ""


def wrong_fields(found: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return details of invalid fields with their errors; `more` counts those omitted.

    Limited, because a request may have any number of them.
    """
    wrong = [
        {"field": name[:_FIELD_LENGTH], "message": message} for name, message in found
    ]
    more = len(wrong) - _MOST_FIELDS
    return {"fields": wrong[:_MOST_FIELDS], **({"more": more} if more > 0 else {})}


#: Default Retry-After in seconds.
RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Refusal:
    """A code for programs, a sentence for people, an HTTP status, and details."""

    code: str
    message: str
    status: int
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers of its response: how to authenticate, when to try again."""
        if self.status == 401:
            return {"WWW-Authenticate": "Bearer"}
        seconds = self.details.get("retry_after")
        if seconds is None and self.status == 503:
            seconds = RETRY_SECONDS
        return {} if seconds is None else {"Retry-After": str(seconds)}

    def as_json(self) -> dict[str, Any]:
        """Return the error's JSON form."""
        details = dict(self.details)
        return {
            "error": {"code": self.code, "message": self.message, "details": details}
        }

    def as_text(self) -> str:
        """Format as one line for a model or a terminal, including invalid fields.

        Line breaks are removed: names may come from files and must not begin a line.
        """
        fields = self.details.get("fields", [])
        named = [f"{wrong['field']}: {wrong['message']}" for wrong in fields]
        if more := self.details.get("more"):
            named.append(f"and {more} more")
        text = f"{self.message}: {'; '.join(named)}" if named else self.message
        return " ".join(text.splitlines())


BODY_TOO_LARGE = Refusal("body-too-large", "the body is too large", 413)
#: A JSON body beyond the limits.
JSON_TOO_LARGE = Refusal(
    "json-too-large", "the body holds too many values, keys or levels", 413
)
