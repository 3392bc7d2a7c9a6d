"""Codes in words: problems and events as people read them, translated."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_lazy

_PROBLEMS = {
    "unreadable": gettext_lazy("cannot be read: {reason}"),
    "link-not-followed": gettext_lazy(
        "is a link; links are not followed, its target is not imported"
    ),
    "log-shrank": gettext_lazy("shrank by {lines} lines; revision {seq} has them"),
    "bytes-replaced": gettext_lazy(
        "{count} characters stand for bytes that are no text; the bytes are kept"
    ),
    "json-invalid": gettext_lazy("is not valid JSON: {reason}"),
    "json-not-a-map": gettext_lazy("holds no map of sessions to topics"),
    "section-missing": gettext_lazy("the snapshot has no section “{section}”"),
    "unterminated": gettext_lazy("the snapshot has no end comment"),
}


def problem_text(code: str, parameters: dict[str, Any]) -> str:
    """Return what a problem is in words; a code without words is spelled out."""
    template = str(_PROBLEMS.get(code) or "")
    if not template:
        details = ", ".join(f"{k} {v}" for k, v in parameters.items() if v != "")
        words = code.replace("-", " ")
        return f"{words} ({details})" if details else words
    try:
        return template.format(**parameters)
    except (KeyError, IndexError):
        return gettext("unknown problem")
