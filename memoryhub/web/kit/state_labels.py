"""States of topics, decisions, handoffs and versions in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

#: States of topics, as glyph and word.
TOPIC_STATES: dict[str, Promise] = {
    "progress": gettext_lazy("In progress"),
    "blocked": gettext_lazy("Blocked"),
    "done": gettext_lazy("Done"),
    "open": pgettext_lazy("topic", "Open"),
    "idle": gettext_lazy("Note"),
    "stale": gettext_lazy("File is gone"),
}

DECISION_STATES: dict[str, tuple[str, Promise]] = {
    "stated": ("open", gettext_lazy("Recorded")),
    "signed_off": ("done", gettext_lazy("Signed off")),
    "rejected": ("failed", gettext_lazy("Rejected")),
    "superseded": ("stale", gettext_lazy("Superseded")),
    "unsigned": ("turn", gettext_lazy("Needs sign-off")),
}

#: States of open items, as glyph and word.
ITEM_STATES: dict[str, tuple[str, Promise]] = {
    "open": ("open", pgettext_lazy("item", "Open")),
    "done": ("done", gettext_lazy("Done")),
}

HANDOFF_STATES: dict[str, tuple[str, Promise]] = {
    "open": ("open", pgettext_lazy("handoff", "Open")),
    "in_progress": ("progress", gettext_lazy("In progress")),
    "blocked": ("blocked", gettext_lazy("Blocked")),
    "returned": ("turn", gettext_lazy("Sent back")),
    "review": ("turn", gettext_lazy("To be accepted")),
    "done": ("done", gettext_lazy("Done")),
    "failed": ("failed", gettext_lazy("Failed")),
    "withdrawn": ("stale", gettext_lazy("Withdrawn")),
}

REVISION_KINDS: dict[str, Promise] = {
    "seen": gettext_lazy("read"),
    "written": gettext_lazy("written here"),
    "deleted": gettext_lazy("deleted"),
    "moved": gettext_lazy("moved"),
    "moved_changed": gettext_lazy("moved and changed"),
}


def revision_label(kind: str, lines: tuple[int, int] | None) -> str:
    """Return the kind of a revision in words; `lines` are those gained and lost."""
    is_changed = kind == "moved" and lines is not None and any(lines)
    return str(REVISION_KINDS["moved_changed" if is_changed else kind])


#: Types of handoffs.
HANDOFF_TYPES: dict[str, Promise] = {
    "read_only": gettext_lazy("read only"),
    "write": gettext_lazy("write"),
    "decision": gettext_lazy("decision"),
    "unknown": gettext_lazy("unknown type"),
}
