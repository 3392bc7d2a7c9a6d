"""Log entries and open items of daily logs; a transcript or report is one entry."""

from __future__ import annotations

from typing import Any

from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.formats.openclaw.dreaming import DreamReport
from memoryhub.formats.openclaw.log_entries import Entry
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.optimizer.decision_text import parse_decision
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.dates import title_without_time
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Said, fold_aligned
from memoryhub.journal.rows import Row
from snapshots.importers.telling import Telling, Whose, tell
from snapshots.models import LogEntry, OpenItem
from topics.importers.decisions import Mention

_TITLE_SIZE = 300
_EXCERPT_SIZE = 240


def take_logs(change: Change, telling: Telling) -> list[Mention]:
    """Import entries and open items of a revision; return the decisions of a log."""
    mentions: list[Mention] = []
    match change.document:
        case DailyLog() as document:
            whose = telling.whose(document.session_keys)
            said = [_entry(document, e, telling, whose) for e in document.entries]
            _fold_items(change, document, telling, whose)
            mentions = _decisions(document, telling, whose)
        case SessionTranscript() as document:
            said = [_transcript(document, telling)]
        case DreamReport() as document:
            said = [_report(document, telling)]
        case _:
            said = []
    if said or not change.fresh:
        for matched in fold_aligned(LogEntry, change, said).said:
            if matched.verb == "kept":
                continue
            values = matched.said.values
            kind = "session" if values["kind"] == LogEntry.Kind.SESSION else "note"
            tell(change, matched, kind, values["title"], values["excerpt"])
    if not change.fresh and not isinstance(change.document, DailyLog):
        fold_aligned(OpenItem, change, [])
    return mentions


def _decisions(log: DailyLog, telling: Telling, whose: Whose) -> list[Mention]:
    """Return the decisions of a log, each with time and owner of its entry."""
    mentions = []
    for decision in log.decisions:
        first = decision.lines.first
        inside = (e for e in log.entries if e.lines.first <= first <= e.lines.last)
        entry = next(inside, None)
        mentions.append(
            Mention(
                parse_decision(decision.text),
                decision.lines,
                whose.topic.id,
                whose.agent.id,
                *telling.when(entry.time if entry else None),
            )
        )
    return mentions


def _entry(log: DailyLog, entry: Entry, telling: Telling, whose: Whose) -> Said:
    source = log.source_of(entry)

    def columns() -> Row:
        excerpt = log.excerpt(entry, _EXCERPT_SIZE)
        title = _title_of(entry) or excerpt or source.strip()
        return {
            "kind": LogEntry.Kind.ENTRY.value,
            "title": title[:_TITLE_SIZE],
            "excerpt": excerpt if excerpt != title else "",
            "level": entry.level,
            "session_key": "",
            **telling.when(entry.time).columns,
            **whose.columns,
        }

    return Said(key_of(source.rstrip(), entry.title), entry.lines, columns)


def _title_of(entry: Entry) -> str:
    """Return an entry's heading without its time, which has a column of its own."""
    if entry.time is None:
        return entry.title
    return title_without_time(entry.title) or entry.title


def _transcript(document: SessionTranscript, telling: Telling) -> Said:
    first = next((t.text for t in document.turns if t.role == "user"), "")
    values = {
        "kind": LogEntry.Kind.SESSION.value,
        "title": _one_line(first) or _file_name(telling),
        "excerpt": document.unavailable[:_EXCERPT_SIZE],
        "session_key": document.session_key,
        **telling.at(document.started, document.zone).columns,
        **telling.whose([document.session_key]).columns,
    }
    return _whole_file(document.text, values)


def _report(document: DreamReport, telling: Telling) -> Said:
    first = document.candidates[0].text if document.candidates else ""
    phase = f"{document.phase.capitalize()} sleep" if document.phase else ""
    values = {
        "kind": LogEntry.Kind.DREAM.value,
        "title": phase or _file_name(telling),
        "excerpt": _one_line(first)[:_EXCERPT_SIZE],
        "session_key": "",
        **telling.when().columns,
        **telling.whose().columns,
    }
    return _whole_file(document.text, values)


def _whole_file(text: str, values: dict[str, Any]) -> Said:
    lines = Lines(1, max(1, text.rstrip().count("\n") + 1))
    return Said(key_of(text, ""), lines, {"level": 0, **values})


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _TITLE_SIZE].split())[:_TITLE_SIZE]


def _file_name(telling: Telling) -> str:
    return telling.change.path.rpartition("/")[2][:_TITLE_SIZE]


def _fold_items(change: Change, log: DailyLog, telling: Telling, whose: Whose) -> None:
    when = telling.when()
    said = [
        Said(
            Key(key_of(f"{item.mark}\n{item.done}\n{item.text}", "").text, text_key),
            item.lines,
            {
                "text": item.text,
                "done": item.done,
                "mark": item.mark[:20],
                **when.columns,
                **whose.columns,
            },
        )
        for item in log.open_items
        for text_key in (key_of(item.text, "").text,)
    ]
    for matched in fold_aligned(OpenItem, change, said).said:
        if matched.verb == "changed" and matched.said.values["done"]:
            text = matched.said.values["text"]
            tell(change, matched, "note", text, verb="ticked")
