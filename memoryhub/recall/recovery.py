"""Recovery of a task from a snapshot, for the agent that continues it."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from memoryhub.dialects.task_snapshot import TaskSnapshot, find_snapshots
from snapshots.models import Snapshot
from snapshots.queries.snapshots import block_of

#: big-memory's words for the recall of a snapshot; texts for agents are not translated.
RECALLED = (
    "I detected context was compacted. Restoring task state from snapshot taken at"
    " {timestamp}..."
)
#: Longest returned block; big-memory's own limits are far lower.
_BLOCK_CHARACTERS = 24_000
#: Files and steps of the card; the block has all.
_CARD_ITEMS = 20


@dataclass(frozen=True, slots=True)
class Recovered:
    """A snapshot as text: the fields of the recovery card, and the whole block."""

    timestamp: str
    snapshot_id: str
    goal: str
    phase: str
    files: tuple[str, ...]
    steps: tuple[str, ...]
    place: str
    block: str


def recovered(snapshot: Snapshot) -> Recovered:
    """Return a snapshot's content, parsed from the lines of its file."""
    lines = block_of(snapshot.workspace, snapshot)
    text = "\n".join(lines)
    read = next(iter(find_snapshots(text)), None)
    return Recovered(
        timestamp=_timestamp(snapshot, read),
        snapshot_id=snapshot.snapshot_id,
        goal=snapshot.goal,
        phase=snapshot.phase,
        files=tuple(_file(*pair) for pair in _files(read)[:_CARD_ITEMS]),
        steps=tuple(s.text for s in read.next_steps[:_CARD_ITEMS]) if read else (),
        place=f"{snapshot.file.path}:{snapshot.first_line}-{snapshot.last_line}",
        block=_cut(text.strip("\n")),
    )


def _timestamp(snapshot: Snapshot, read: TaskSnapshot | None) -> str:
    """Return the wall-clock time that the snapshot states, or "undated"."""
    if snapshot.stated_at is None:
        return "undated"
    at = snapshot.stated_at.astimezone(ZoneInfo(snapshot.workspace.time_zone))
    if read is not None and read.timestamp is not None:
        at = read.timestamp
    return at.replace(tzinfo=None).isoformat(timespec="seconds")


def _files(read: TaskSnapshot | None) -> list[tuple[str, str]]:
    return [(file.path, file.purpose) for file in read.files] if read else []


def _file(path: str, purpose: str) -> str:
    return f"`{path}` -- {purpose}" if purpose else f"`{path}`"


def _cut(text: str) -> str:
    if len(text) <= _BLOCK_CHARACTERS:
        return text
    return f"{text[:_BLOCK_CHARACTERS]}\n[... the rest is left out]"
