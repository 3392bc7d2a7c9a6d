"""context-memory-optimizer's ``memories/project.md``: fingerprint and restore order."""

from __future__ import annotations

from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop

_FINGERPRINT = "project fingerprint"
_RESTORE = "l3 restore priority"


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether this is ``memories/project.md`` by path or by its own headings."""
    if path.name.casefold() != "project.md":
        return False
    low = text.casefold()
    return path.parts[-2:-1] == ("memories",) or _FINGERPRINT in low or _RESTORE in low


DIALECT = Dialect(
    title=gettext_noop("Project notes"),
    kind=gettext_noop("project notes"),
    order=190,
    lives_long=True,
    read_whole=True,
    recall_rank=lambda _: 2,
)
