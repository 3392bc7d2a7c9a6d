"""Profiles: shorter lists of tools, with compact schemas, for one kind of agent.

A profile saves context and grants nothing: what a caller may do is decided by scopes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.tools.base import Tool
from memoryhub.tools.registry import TOOLS

#: Name of the profile with every tool and whole schemas.
ALL = "all"
#: Name of the profile of a connection that names none.
DEFAULT = "agent"
#: What an agent at work needs. `more_tools` of MCP has the others.
_AGENT = (
    "recall",
    "memory_search",
    "memory_get",
    "memory_append",
    "snapshot_save",
    "context_snap",
    "core_memory",
    "errors_consult",
    "error_append",
    "handoff_inbox",
    "handoff_list",
    "handoff_take",
    "handoff_report",
    "handoff_send",
)
_WORKER = (
    "recall",
    "memory_search",
    "memory_get",
    "memory_append",
    "snapshot_save",
    "errors_consult",
    "error_append",
    "files_claim",
    "handoff_inbox",
    "handoff_list",
    "handoff_take",
    "handoff_update",
    "handoff_report",
    "handoff_send",
)
_COORDINATOR = ("workspace_status", *_WORKER, "decisions", "open_items")
_MEMORY = (
    "workspace_status",
    "recall",
    "memory_search",
    "memory_get",
    "memory_append",
    "snapshot_save",
    "snapshot_recall",
    "compaction_signs",
    "context_snap",
    "errors_consult",
    "error_append",
    "decisions",
    "open_items",
)
PROFILES: Mapping[str, tuple[str, ...]] = {
    DEFAULT: _AGENT,
    "coordinator": _COORDINATOR,
    "worker": _WORKER,
    "memory": _MEMORY,
}
#: Fields that a profile leaves out of schemas; a call may send them nevertheless. The
#: other form of a request, as a block of XML, is among them, so that schemas can say
#: which fields are required.
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "handoff_send": frozenset({"xml", "sender", "result_to", "topic"}),
    "handoff_list": frozenset({"type", "parent", "for_person", "text"}),
    "handoff_update": frozenset({"context", "expected_output", "constraints"}),
    "handoff_take": frozenset({"base"}),
    "handoff_report": frozenset({"xml", "base"}),
    "recall": frozenset({"form"}),
    "memory_search": frozenset({"min_score", "form"}),
    "memory_append": frozenset({"day"}),
    "snapshot_save": frozenset({"branch", "progress"}),
    "errors_consult": frozenset({"path"}),
    "error_append": frozenset({"path"}),
    "files_claim": frozenset({"repository"}),
}
#: Keywords that the server checks and a model does not need.
_CHECKED = frozenset(
    {"maxLength", "minLength", "maxItems", "minItems", "pattern", "minimum", "maximum"}
)
_NULL = {"type": "null"}
Schema = Mapping[str, Any]


def checked_profile(name: str) -> str:
    """Return the name of a profile, by default that of an agent at work.

    Raises:
        ToolError: ``profile-unknown``.
    """
    if name and name != ALL and name not in PROFILES:
        raise ToolError(
            "profile-unknown", name=name[:80], known=", ".join((*PROFILES, ALL))
        )
    return name or DEFAULT


def visible(profile: str, access: Access) -> list[Tool]:
    """Return the tools of a profile that the caller's scopes allow."""
    names = PROFILES.get(profile, TOOLS)
    return [TOOLS[name] for name in names if is_allowed(TOOLS[name], access)]


def is_allowed(tool: Tool, access: Access) -> bool:
    """Return whether some call of a tool is allowed; one that only reads may be."""
    reads = tool.reading is not None and access.allows(Scope.READ)
    return reads or access.allows(tool.scope)


def compact(tool: Tool, schema: Schema) -> dict[str, Any]:
    """Return a request's schema for a profile: the same fields and texts, no limits."""
    left_out = _LEFT_OUT.get(tool.name, frozenset())
    short: dict[str, Any] = _short(schema)
    for part in (short, *short.get("$defs", {}).values()):
        for known in ("description", "additionalProperties"):
            part.pop(known, None)
    fields = short.get("properties", {})
    short["properties"] = {
        name: about for name, about in fields.items() if name not in left_out
    }
    if needed := tool.request.needed:
        short["required"] = list(needed)
        for name in needed:
            _without_choice_of_nothing(short["properties"][name])
    return short


def without_titles(schema: Any) -> Any:
    """Return a schema without its generated titles, which repeat the fields' names."""
    if isinstance(schema, list):
        return [without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: without_titles(part)
        for name, part in schema.items()
        if name != "title" or not isinstance(part, str)
    }


def _short(schema: Any) -> Any:
    """Return a schema without limits, empty defaults and the choice of null."""
    if isinstance(schema, list):
        return [_short(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if _NULL in schema.get("anyOf", ()):
        (first, *_) = [part for part in schema["anyOf"] if part != _NULL]
        others = {name: schema[name] for name in schema if name != "anyOf"}
        return _short({**first, **others})
    return {
        name: _short(part)
        for name, part in schema.items()
        if isinstance(part, dict) or not _is_noise(name, part)
    }


def _is_noise(name: str, part: Any) -> bool:
    if name == "title" or name in _CHECKED:
        return True
    return name == "default" and part in ("", [], None, False)


def _without_choice_of_nothing(field: dict[str, Any]) -> None:
    """Remove the empty text from the values of a required field."""
    if "enum" in field:
        field["enum"] = [value for value in field["enum"] if value]
    words = field.get("description", "")
    field["description"] = words.removeprefix("Required without xml. ")
