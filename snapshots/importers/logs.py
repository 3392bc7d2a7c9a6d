"""Log entries of daily logs; a transcript or report is one entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from memoryhub.dialects.daily_log import DailyLog
from memoryhub.dialects.daily_log.log_entries import Entry, title_of
from memoryhub.dialects.dreaming import DreamReport
from memoryhub.dialects.file_days import is_report
from memoryhub.dialects.plain import Plain
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.dialects.work_note import WorkNote
from memoryhub.formats.base import Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.alignment import key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, Matched, fold_aligned, fold_going_on
from memoryhub.journal.rows import Row
from snapshots.importers.provenance import Provenance, add_row_event
from snapshots.importers.work_notes import entries_of, owners_of
from snapshots.models import LogEntry

_ENTRY, _SESSION = LogEntry.Kind.ENTRY.value, LogEntry.Kind.SESSION.value
_TITLE_SIZE = 300
_EXCERPT_SIZE = 240


def take_logs(change: Change, provenance: Provenance, topic_id: int | None) -> None:
    """Import the entries of a revision; `topic_id` is the topic that its file is."""
    match change.document:
        case DailyLog() as document:
            _add_events(change, _daily(change, document, provenance))
            return
        case SessionTranscript() as document:
            facts = [_transcript(document, provenance)]
        case DreamReport() as document:
            facts = [_report(document, provenance)]
        case WorkNote() as document:
            owners = owners_of(document, provenance)
            facts = entries_of(document, provenance, owners)
        case Plain() as document if is_report(change.place, document.text):
            facts = [_dated_note(document, provenance, topic_id)]
        case _:
            facts = []
    if facts or not change.fresh:
        _add_events(change, fold_aligned(LogEntry, change, facts).matched)


def _add_events(change: Change, found: Iterable[Matched]) -> None:
    for matched in found:
        if matched.verb == "kept":
            continue
        values = matched.fact.values
        kind = "session" if values["kind"] == _SESSION else "note"
        add_row_event(change, matched, kind, values["title"], values["excerpt"])


def _daily(
    change: Change, document: DailyLog, provenance: Provenance
) -> Sequence[Matched]:
    """Match the entries of a log, of one that grew from its first new line."""
    keys = document.session_keys
    owned = cache(lambda author: provenance.owners(keys, agent=author).columns)

    def facts_from(start: int) -> list[Fact]:
        return [
            _entry(
                document,
                one,
                provenance,
                owned(provenance.author_of_entry(document, one.title)),
            )
            for one in document.entries[start:]
        ]

    lines = [one.lines for one in document.entries]
    return fold_going_on(
        LogEntry, change, lines, facts_from, document.entries_since
    ).matched


def _entry(log: DailyLog, entry: Entry, provenance: Provenance, owned: Row) -> Fact:
    source = log.source_of(entry)

    def columns() -> Row:
        excerpt = log.excerpt(entry, _EXCERPT_SIZE)
        title = log.titled(entry)
        return {
            "kind": _ENTRY,
            "title": title[:_TITLE_SIZE],
            "excerpt": excerpt if excerpt != title else "",
            "level": entry.level,
            "session_key": "",
            **provenance.of_entry(
                entry.title if entry.level else "", entry.time
            ).columns,
            **owned,
        }

    return Fact(key_of(source.rstrip(), entry.title), entry.lines, columns)


def _transcript(document: SessionTranscript, provenance: Provenance) -> Fact:
    said = (t.own_words for t in document.turns if t.role == "user")
    first = next(filter(None, map(_one_line, said)), "")
    values = {
        "kind": _SESSION,
        "title": first or _file_name(provenance),
        "excerpt": document.unavailable[:_EXCERPT_SIZE],
        "session_key": document.session_key,
        **provenance.at(document.started, document.zone).columns,
        **provenance.owners([document.session_key]).columns,
    }
    return _whole_file(document.text, values)


def _report(document: DreamReport, provenance: Provenance) -> Fact:
    phase = f"{document.phase.capitalize()} sleep" if document.phase else ""
    values = {
        "kind": LogEntry.Kind.DREAM.value,
        "title": phase or _file_name(provenance),
        "excerpt": _one_line(document.first)[:_EXCERPT_SIZE],
        "session_key": "",
        **provenance.when().columns,
        **provenance.owners().columns,
    }
    return _whole_file(document.text, values)


def _dated_note(document: Plain, provenance: Provenance, topic_id: int | None) -> Fact:
    values = {
        "kind": _ENTRY,
        "title": (title_of(document.title) or _file_name(provenance))[:_TITLE_SIZE],
        "excerpt": _one_line(document.first_paragraph)[:_EXCERPT_SIZE],
        "session_key": "",
        **provenance.when().columns,
        **provenance.owners(topic_id=topic_id).columns,
    }
    body = frontmatter.split(document.text).body
    before = document.text[: len(document.text) - len(body.lstrip())]
    first = before.count("\n") + 1 if body.strip() else 1
    return _whole_file(document.text, values, first)


def _whole_file(text: str, values: dict[str, Any], first: int = 1) -> Fact:
    lines = Lines(first, max(first, text.rstrip().count("\n") + 1))
    return Fact(key_of(text, ""), lines, {"level": 0, **values})


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _TITLE_SIZE].split())[:_TITLE_SIZE]


def _file_name(provenance: Provenance) -> str:
    return provenance.change.path.rpartition("/")[2][:_TITLE_SIZE]
