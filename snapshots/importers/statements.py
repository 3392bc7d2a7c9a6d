"""Statements of prose: decisions and directives with their entry's time, open items."""

from __future__ import annotations

from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.roles import Role
from memoryhub.formats.statements import statements_of
from memoryhub.formats.work_note import WorkNote
from memoryhub.journal.changes import Change
from memoryhub.prose.stated import Stated
from snapshots.importers.items import fold_items
from snapshots.importers.provenance import Owners, Provenance, Timestamp
from snapshots.importers.work_notes import (
    entry_at,
    heading_at,
    owners_of,
    owners_of_part,
    stated_time,
)
from topics.importers.directives import Directed, fold_directives
from topics.importers.mentions import Mention, text_of


def take_statements(
    change: Change, provenance: Provenance, topic_id: int | None
) -> list[Mention]:
    """Import directives and open items of a revision; return decisions that it states.

    `topic_id` is the topic whose file it is; a log has none of its own.
    """
    stated = _of_role(change.role, statements_of(change.pure_path, change.document))
    owners = _owners(change, provenance, topic_id)
    if not any(stated):
        fold_directives(change, [])
        fold_items(change, (), provenance, owners)
        return []
    fold_items(change, stated.open_items, provenance, owners)
    placed = (owners.topic.id, owners.agent.id)
    directed = [
        Directed(
            one.text,
            one.lines,
            *placed,
            *_when(change, provenance, one.lines),
            one.confidence,
            one.why,
        )
        for one in stated.directives
    ]
    fold_directives(change, directed)
    return [
        Mention(
            text_of(one.text, one.reason),
            one.lines,
            owners.topic.id,
            _author(change, provenance, one.lines) or owners.agent.id,
            *_when(change, provenance, one.lines),
            one.confidence,
            one.why,
        )
        for one in stated.decisions
    ]


def _of_role(role: Role, stated: Stated) -> Stated:
    """Return the kinds of statements that are read from files of a role."""
    match role:
        case Role.MEMORY:
            return stated
        case Role.WORK:
            return Stated(open_items=stated.open_items)
        case Role.RECORD:
            return Stated(stated.decisions)
    return Stated()


def _author(change: Change, provenance: Provenance, lines: Lines) -> int | None:
    """Return the id of the agent that a note or a heading names for these lines."""
    match change.document:
        case DailyLog() as log:
            heading = heading_at(log, lines.first)
            name = provenance.author_of_entry(log, heading) if heading else ""
            return provenance.owners(agent=name).agent.id if name else None
        case WorkNote(parts=parts):
            inside = (
                part
                for part in parts
                if part.agent and part.lines.first <= lines.first <= part.lines.last
            )
            part = next(inside, None)
            found = owners_of_part(part, provenance) if part else None
            return found.agent.id if found else None
    return None


def _owners(change: Change, provenance: Provenance, topic_id: int | None) -> Owners:
    match change.document:
        case DailyLog() as log:
            return provenance.owners(
                log.session_keys, agent=provenance.author(log.agent), topic_id=topic_id
            )
        case SessionTranscript() as session:
            return provenance.owners([session.session_key], topic_id=topic_id)
        case WorkNote() as note:
            return owners_of(note, provenance, topic_id)
    return provenance.owners(topic_id=topic_id)


def _when(change: Change, provenance: Provenance, lines: Lines) -> Timestamp:
    """Return the time of the entry that holds the lines, else that of the file."""
    match change.document:
        case DailyLog() as log:
            entry = entry_at(log, lines.first)
            title = entry.title if entry and entry.level else ""
            return provenance.of_entry(title, entry.time if entry else None)
    return stated_time(provenance, lines)
