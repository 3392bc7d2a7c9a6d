"""Request fields of a tool as command-line options, from its JSON schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from memoryhub.tools.base import Request

_PLAIN = {"string", "integer", "number"}


@dataclass(frozen=True, slots=True)
class RequestField:
    """A field with the schema of its value, or of its items if it is a list."""

    name: str
    schema: Mapping[str, Any]
    description: str
    is_required: bool
    is_list: bool

    @property
    def words(self) -> str:
        """Its option name: `historyLine` is `history-line`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", self.name).lower()

    @property
    def is_flag(self) -> bool:
        return self.schema.get("type") == "boolean" and not self.is_list

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values, if they are enumerated."""
        constant = [self.schema["const"]] if "const" in self.schema else []
        return tuple(self.schema.get("enum", constant))

    @property
    def is_json(self) -> bool:
        """True if it is written as JSON, because plain text cannot express it."""
        if self.choices:
            return not all(isinstance(each, str) for each in self.choices)
        return self.schema.get("type") not in {*_PLAIN, "boolean"} or (
            self.is_list and self.schema.get("type") == "boolean"
        )

    @property
    def metavar(self) -> str:
        if self.is_json:
            return "JSON"
        return "|".join(self.choices) or self.words.upper()


@cache
def fields_of(request: type[Request]) -> tuple[RequestField, ...]:
    """Return the fields of a request in its order."""
    whole = request.model_json_schema()
    told = whole.get("properties", {})
    return tuple(_field(name, told[name], whole) for name in told)


def _field(
    name: str, told: Mapping[str, Any], whole: Mapping[str, Any]
) -> RequestField:
    schema = _resolved(told, whole)
    is_list = schema.get("type") == "array"
    return RequestField(
        name,
        _resolved(schema.get("items", {}), whole) if is_list else schema,
        told.get("description", ""),
        name in whole.get("required", ()),
        is_list,
    )


def _resolved(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the single non-null schema of a value; {} if there are several."""
    several = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if several:
        return _resolved(several[0], whole) if len(several) == 1 else {}
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        found: Mapping[str, Any] = whole["$defs"][name]
        return found
    return schema
