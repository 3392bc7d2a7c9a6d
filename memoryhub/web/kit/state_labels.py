"""States of topics, decisions, handoffs and versions in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from topics.queries.topics import Standing

#: States of topics, as glyph and word.
TOPIC_STATES: dict[str, tuple[str, Promise]] = {
    "progress": ("progress", gettext_lazy("In progress")),
    "blocked": ("blocked", gettext_lazy("Blocked")),
    "done": ("done", gettext_lazy("Done")),
    "open": ("open", pgettext_lazy("topic", "Open")),
    "idle": ("idle", gettext_lazy("Note")),
    "stale": ("stale", gettext_lazy("File is gone")),
    "quiet": ("stale", gettext_lazy("Quiet")),
}


def topic_state_shown(standing: Standing) -> tuple[str, str]:
    """Return a topic's state as glyph and words, of a quiet one with the duration."""
    glyph, label = TOPIC_STATES[standing.state]
    if standing.quiet is None:
        return glyph, str(label)
    hours = int(standing.quiet.silence.total_seconds()) // 3600
    if hours < 48:
        return glyph, gettext("Quiet %(n)s h") % {"n": hours}
    return glyph, gettext("Quiet %(n)s d") % {"n": hours // 24}


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
