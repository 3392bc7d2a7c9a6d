"""ccw's memory tips: one remembered hint, with tags and a link to its session."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.session_compact import split_known

TITLES = (
    "Tip ID",
    "Timestamp",
    "Project Root",
    "Content",
    "Tags",
    "Context",
    "Session Link",
    "Auto-Detected Context",
)

_TIP_ID = re.compile(r"TIP-[0-9]{8}-[0-9]{6}")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text has a tip id below its heading, and another heading."""
    if "Tip ID" not in text:
        return False
    parts = split_known(text, TITLES)
    return len(parts) > 1 and any(
        part.title == "Tip ID" and _TIP_ID.search(part.body) for part in parts
    )


DIALECT = Dialect(
    title=gettext_noop("Tips"),
    kind=gettext_noop("memory tip"),
    order=230,
    is_found=True,
)
