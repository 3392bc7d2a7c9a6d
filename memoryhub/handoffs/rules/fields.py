"""Values of a handoff's columns: ids that name a file anywhere, tokens. Pure."""

from __future__ import annotations

import re
import unicodedata

#: The most characters of an id, and bytes of its file's name.
MOST, _BYTES = 80, 200
#: Marks that no file name can have somewhere, that split lists, or that hide.
_ODD = re.compile(r'[/\\:*?"<>|,;，；、\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def is_id(task_id: str) -> bool:
    """Return whether a handoff can be sent with an id."""
    sizes = len(task_id) <= MOST and len(task_id.encode("utf-8", "replace")) <= _BYTES
    edges = task_id == task_id.strip() and not task_id.startswith((".", "-", "#"))
    plain = unicodedata.normalize("NFC", task_id) == task_id
    odd = _ODD.search(task_id) or _RESERVED.fullmatch(task_id) or task_id.endswith(".")
    return bool(task_id) and sizes and edges and plain and not odd


def can_differ_by_case(task_id: str) -> bool:
    """Return whether another id could be the same file on some systems."""
    return task_id.lower() != task_id.upper()


#: Value of `acts` if a person must act, whoever the file names; no agent has this name.
PERSON = "person"


def standing(moves: int, verb: str, actor: str) -> str:
    """Return a version token of a handoff, readable, that changes with every move."""
    return f"{moves} {verb}{', ' * bool(actor)}{actor}".strip()
