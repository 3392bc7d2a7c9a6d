"""Notes on pieces of work: their entries, and the time of each line of them."""

from __future__ import annotations

import datetime
from bisect import bisect_left, bisect_right

from memoryhub.dialects.agent_team import TeamFile, agent_of_list
from memoryhub.dialects.daily_log import DailyLog, log_entries
from memoryhub.dialects.decision_record import DecisionRecord
from memoryhub.dialects.memory_bank import MemoryBankFile
from memoryhub.dialects.rollout_summary import RolloutSummary, started_of
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.dialects.work_note import Part, WorkNote
from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import key_of
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.lifetimes import Fact
from memoryhub.journal.ownership import Owner, is_agent
from snapshots.importers.provenance import Owners, Provenance, Timestamp
from snapshots.models import LogEntry

_TITLE_SIZE, _EXCERPT_SIZE, _TEXT_SIZE = 300, 240, 4_000
_KINDS = {"session": LogEntry.Kind.SESSION, "entry": LogEntry.Kind.ENTRY}


def stated_time(provenance: Provenance, lines: Lines | None = None) -> Timestamp:
    """Return the time that a file states for some lines of it, else that of its name.

    Without lines: the time of the file as a whole.
    """
    match provenance.change.document:
        case DailyLog() as log if lines:
            return provenance.of_entry(heading_at(log, lines.first), None)
        case SessionTranscript() as session:
            return provenance.at(session.started, session.zone)
        case RolloutSummary() | MemoryBankFile() as document:
            return provenance.at(_moment_in(document, provenance, lines))
        case DecisionRecord(date=day) if day:
            return provenance.on(day)
        case WorkNote(parts=parts, at=at):
            line = lines.first if lines else 0
            inside = (p for p in parts if p.lines.first <= line <= p.lines.last)
            part = next(inside, None)
            return _time_of(part.at if part else at, provenance)
    return provenance.when()


def _moment_in(
    document: RolloutSummary | MemoryBankFile,
    provenance: Provenance,
    lines: Lines | None,
) -> datetime.datetime | None:
    """Return when a thread began, or the stamp of a line of a memory bank."""
    if isinstance(document, RolloutSummary):
        return started_of(provenance.change.pure_path) or document.updated_at
    line = lines.first if lines else 0
    place = bisect_left(document.items, line, key=lambda item: item.lines.first)
    found = document.items[place : place + 1]
    return found[0].at if found and found[0].lines.first == line else None


def entry_at(log: DailyLog, line: int) -> log_entries.Entry | None:
    """Return the entry of a log that has a line; None without one."""
    place = bisect_right(log.entries, line, key=lambda entry: entry.lines.first)
    entry = log.entries[place - 1] if place else None
    return entry if entry and line <= entry.lines.last else None


def heading_at(log: DailyLog, line: int) -> str:
    """Return the heading of a log's entry that has a line; "" without one."""
    entry = entry_at(log, line)
    return entry.title if entry and entry.level else ""


def entries_of(note: WorkNote, provenance: Provenance, owners: Owners) -> list[Fact]:
    """Return the entries for the work in a note."""
    match note:
        case RolloutSummary() as thread:
            return [_thread(thread, stated_time(provenance), owners)]
    lines = split_lines(note.text)
    return [
        _entry(
            part,
            "".join(lines[part.lines.first - 1 : part.lines.last]),
            _time_of(part.at, provenance),
            owners_of_part(part, provenance) or owners,
        )
        for part in note.parts
        if part.kind
    ]


def _time_of(at: datetime.date | None, provenance: Provenance) -> Timestamp:
    match at:
        case datetime.datetime() as moment:
            return provenance.at(moment)
        case datetime.date() as day:
            return provenance.on(day)
    named = day_in(provenance.change.pure_path.stem.replace("_", " "))
    return provenance.on(named) if named else provenance.when()


def owners_of(
    note: WorkNote, provenance: Provenance, topic_id: int | None = None
) -> Owners:
    """Return agent and topic of a note's rows: its author, if that is an agent."""
    author = note.author if is_agent(note.author) else ""
    if not author and isinstance(note, TeamFile):
        author = agent_of_list(provenance.change.place)
        if not author:
            return Owners(Owner(), Owner())
    return provenance.owners(agent=provenance.author(author), topic_id=topic_id)


def owners_of_part(part: Part, provenance: Provenance) -> Owners | None:
    """Return the owners of a part that names an agent of its own; None otherwise."""
    if not is_agent(part.agent):
        return None
    return provenance.owners(agent=provenance.author(part.agent))


def _thread(thread: RolloutSummary, when: Timestamp, owners: Owners) -> Fact:
    """Return the entry of a thread: its title, and its tasks with their outcomes."""
    title = thread.title or thread.first_paragraph or thread.thread_id
    part = Part(title, thread.outcome, thread.lines, session=thread.thread_id)
    return _entry(part, thread.text, when, owners)


def _entry(part: Part, source: str, when: Timestamp, owners: Owners) -> Fact:
    values = {
        "kind": _KINDS[part.kind].value,
        "title": part.title[:_TITLE_SIZE],
        "excerpt": " ".join(part.text[:_TEXT_SIZE].split())[:_EXCERPT_SIZE],
        "level": 0,
        "session_key": part.session[:_TITLE_SIZE],
        **when.columns,
        **owners.columns,
    }
    return Fact(key_of(source.rstrip(), part.title), part.lines, values)
