"""For whom a row of Your turn waits, in words."""

from __future__ import annotations

from django.utils.translation import gettext

from memoryhub.timeline.queries.turns import Turn


def awaited(turn: Turn) -> str:
    """Return for whom a row waits by name, in words; "" for everybody."""
    if (turn.kind == "comment" and not turn.assigned) or not turn.waits_for:
        return ""
    return gettext("waiting for %(names)s") % {"names": ", ".join(turn.waits_for)}
