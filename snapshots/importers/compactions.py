"""Importer of compactions, from the history lines of topic files."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.events.importers import Happening, add_event
from memoryhub.formats.snap_memory import topic_history
from memoryhub.formats.snap_memory.topic_history import auto_saved_of, compaction_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Matched
from snapshots.models import Compaction


def take_compactions(
    change: Change, history: Sequence[Matched], agent_id: int | None
) -> None:
    """Import the compactions in new history lines of a revision."""
    saved = False
    for line in history:
        text = line.said.values["text"]
        found = compaction_of(text)
        if found and line.verb == "added":
            _write(change, line, found, saved_before=saved, agent_id=agent_id)
        saved = auto_saved_of(text) is not None


def rename_topic(old: int, new: int) -> None:
    """Move the compactions of a topic to the one its file is now named for."""
    Compaction.objects.filter(topic_id=old).update(topic_id=new)


def _write(
    change: Change,
    line: Matched,
    found: topic_history.Compaction,
    *,
    saved_before: bool,
    agent_id: int | None,
) -> None:
    values = line.said.values
    row_id = change.row_id(Compaction, line.row_id)
    change.rows.insert(
        Compaction,
        id=row_id,
        workspace_id=change.workspace.id,
        entry_id=line.row_id,
        topic_id=values["topic_id"],
        before=found.before,
        after=found.after,
        saved_before=saved_before,
        occurred_at=values["occurred_at"],
        precision=values["precision"],
        first_seq=change.seq,
    )
    happening = Happening(
        "compaction",
        "added",
        values["text"],
        row_id,
        at=values["occurred_at"],
        precision=values["precision"],
        agent_id=agent_id,
        topic_id=values["topic_id"],
        line=line.said.lines.first,
        data={"before": found.before, "after": found.after, "saved": saved_before},
    )
    add_event(change, happening)
