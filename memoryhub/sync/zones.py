"""The time zone of a workspace, as its files state it until a person chooses one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from memoryhub.disk.files import UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.formats.openclaw.daily_log import is_daily
from memoryhub.formats.text.zones import stated_zone
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.sync.linked import place_at
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.walk import FoundFile

#: Files that tell of a person or an agent; the first that states a zone decides.
_NAMES = (
    *("user.md", "identity.md", "soul.md", "memory.md", "agents.md", "claude.md"),
    *("gemini.md", "tools.md", "readme.md"),
)
_ORDER = {name: number for number, name in enumerate(_NAMES)}
_DEEPEST = 3
_MOST_FILES = 24
_LARGEST = 200_000


def adopt_zone(workspace: Workspace, root: Path, found: Iterable[FoundFile]) -> None:
    """Set the zone that the files state, and project the journal again if it is new.

    The caller holds the workspace's lock.
    """
    if workspace.zone_chosen:
        return
    zone = _zone_of(root, found, first=not workspace.last_seq) or _zone_around(root)
    if not zone or zone == workspace.time_zone:
        return
    workspace.time_zone = zone
    workspace.save(update_fields=["time_zone"])
    if workspace.last_seq:
        rebuild(workspace)


def _zone_of(root: Path, found: Iterable[FoundFile], *, first: bool) -> str:
    """Return the zone that files state; at the first import, of any file but logs."""
    named = [
        (_rank(path), len(path.parts), file.path)
        for file in found
        if first or file.path.rpartition("/")[2].casefold() in _ORDER
        for path in (PurePosixPath(file.path),)
        if path.suffix == ".md" and file.size <= _LARGEST and not is_daily(path)
        if len(path.parts) <= _DEEPEST
    ]
    for _, _, path in sorted(named)[:_MOST_FILES]:
        if zone := stated_zone(_text(place_at(root, path))):
            return zone
    return ""


def _rank(path: PurePosixPath) -> int:
    return _ORDER.get(path.name.casefold(), len(_NAMES))


def _zone_around(root: Path) -> str:
    """Return the zone of the innermost workspace that this folder lies in."""
    around = {str(folder): depth for depth, folder in enumerate(root.parents)}
    known = [one for one in _ZONES() if around.get(one[0], _MOST_FILES) < _MOST_FILES]
    return min(known, key=lambda one: around[one[0]], default=("", ""))[1]


#: Root and time zone of each workspace.
_ZONES: Prepared[tuple[str, str]] = Prepared(
    lambda: Workspace.objects.values_list("root", "time_zone")
)


def _text(place: Place) -> str:
    try:
        return read_file(place, limit=_LARGEST).data.decode(errors="replace")
    except UnreadableFile:
        return ""
