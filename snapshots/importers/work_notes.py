"""Notes on a piece of work, each one entry: threads of Codex."""

from __future__ import annotations

from memoryhub.formats.codex.rollout_summary import RolloutSummary, started_of
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.others.decision_record import DecisionRecord
from memoryhub.formats.statements.stated import WorkNote
from memoryhub.formats.text.alignment import key_of
from memoryhub.journal.lifetimes import Fact
from snapshots.importers.provenance import Owners, Provenance, Timestamp
from snapshots.models import LogEntry

_TITLE_SIZE, _EXCERPT_SIZE = 300, 240


def stated_time(provenance: Provenance) -> Timestamp:
    """Return the time that a file as a whole states, else that of its name."""
    match provenance.change.document:
        case SessionTranscript() as session:
            return provenance.at(session.started, session.zone)
        case RolloutSummary() as thread:
            started = started_of(provenance.change.pure_path)
            return provenance.at(started or thread.updated_at)
        case DecisionRecord(date=day) if day:
            return provenance.on(day)
    return provenance.when()


def entries_of(note: WorkNote, when: Timestamp, owners: Owners) -> list[Fact]:
    """Return the entry that a note is, if it tells of work that was done."""
    match note:
        case RolloutSummary() as thread:
            return [_thread(thread, when, owners)]
    return []


def _thread(thread: RolloutSummary, when: Timestamp, owners: Owners) -> Fact:
    """Return the entry of a thread: its title, and its tasks with their outcomes."""
    title = thread.title or thread.first_paragraph or thread.thread_id or "rollout"
    values = {
        "kind": LogEntry.Kind.SESSION.value,
        "title": title[:_TITLE_SIZE],
        "excerpt": thread.outcome[:_EXCERPT_SIZE],
        "level": 0,
        "session_key": thread.thread_id[:_TITLE_SIZE],
        **when.columns,
        **owners.columns,
    }
    return Fact(key_of(thread.text, ""), thread.lines, values)
