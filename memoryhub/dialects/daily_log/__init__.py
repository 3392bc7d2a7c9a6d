"""Daily logs, ``memory/YYYY-MM-DD*.md``: free Markdown, cut into entries.

No program fixes their grammar. The rules here were chosen for what agents write.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import PurePosixPath
from typing import TypeVar

from memoryhub.dialects.daily_log.going_on import Shortened, shortened
from memoryhub.dialects.daily_log.log_entries import (
    Entry,
    Span,
    cut_entries,
    sentence_title,
    title_of,
)
from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.dreaming import managed_blocks
from memoryhub.dialects.facts import Author, Document, Time
from memoryhub.dialects.facts import Entry as Told
from memoryhub.dialects.file_days import date_of, slug_of, time_of
from memoryhub.dialects.task_snapshot import (
    TaskSnapshot,
    find_snapshots,
    problems_in,
)
from memoryhub.formats.base import NO_PATH, Lines, Problem
from memoryhub.formats.identities import agent_of_log
from memoryhub.formats.openclaw.session_key import find_session_keys
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import heading_time, parse_date
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.source import (
    fenced_lines,
    hiding_fence,
    split_lines,
    split_sections,
)
from memoryhub.formats.text.zones import zone_of_times
from memoryhub.prose.stated import (
    OpenItem,
    Stated,
    StatedDecision,
    StatedDirective,
    read_since,
    still_open,
)

NAME = "daily_log"

#: Folders that hold daily logs, at any depth above the file.
_FOLDER_NAMES = """
memory .memory memories daily logs journal diary journals dailies daily-notes notes
worklog devlog meetings standups diario diário diários tagebuch notizen notas carnet
bitácora bitacora bitácoras bitacoras diarios giornale logboek dagboek
log sessions sitzungen protokolle tageslogs sesiones reuniones incidentes sessões
atas reuniões séances réunions comptes-rendus sesje verbali riunioni diari olaylar
günlük toplantılar minutes incidents vorfälle сессии встречи инциденты 会话 会议记录
セッション 議事録 세션 회의록
дневник журнал заметки 日志 日誌 日记 日記 日报 作業ログ 일지 일기 dziennik notatki
"""
_FOLDERS = frozenset(_FOLDER_NAMES.split())
#: Folders in which hosts keep a file for each session.
_OF_SESSIONS = ("session", "sessions")

_DAY_FIRST = re.compile(r"\W{0,4}(\d{4}-\d\d-\d\d)(?![\d.-])")
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")

#: Marks before the words of a line: list, heading and quote marks, checkbox.
_MARKERS = re.compile(
    r"[ \t]*+(?:>[ \t]*)?(?:#{1,6}[ \t]+|(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
    r"(?:\[[^\]\n]{0,3}\][ \t]+)?"
)
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)")
_NOT_PROSE = ("<!--", "|", "---", "***", "___")


_Told = TypeVar("_Told", Entry, StatedDecision, StatedDirective, OpenItem)
#: Lines of a log that are not its own notes, and whether dreaming manages them.
_Block = tuple[Lines, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLog(Document):
    """A parsed daily log; entries, snapshots and items refer to its lines."""

    entries: tuple[Entry, ...]

    def entry_lines(self) -> Sequence[Lines]:
        """Return the lines of all entries."""
        return [entry.lines for entry in self.entries]

    def entries_from(self, start: int = 0) -> Iterator[Told]:
        """Yield the entries from one on."""
        return map(self._told, self.entries[start:])

    def entry_at(self, line: int) -> Told:
        """Return the entry that has a line; only a heading names a day or an agent."""
        found = bisect_right(self.entries, line, key=lambda entry: entry.lines.first)
        entry = self.entries[found - 1] if found else None
        if entry is None or line > entry.lines.last:
            return Document.entry_at(self, line)
        signed = entry.title if entry.level else ""
        return Told("", "", entry.lines, _time(entry), kind="", signed=signed)

    def _told(self, entry: Entry) -> Told:
        return Told(
            entry.title,
            "",
            entry.lines,
            _time(entry),
            kind="entry",
            source=self.source_of(entry).rstrip(),
            heading=entry.title,
            level=entry.level,
            words=partial(self._words, entry),
            signed=entry.title,
        )

    def _words(self, entry: Entry) -> tuple[str, str]:
        excerpt = self.excerpt(entry, 240)
        title = title_of(entry.title) or sentence_title(excerpt) or entry.title
        title = title or self.source_of(entry).strip()
        return title, excerpt if excerpt != title else ""

    def source_of(self, entry: Entry) -> str:
        """Return an entry's source text, heading included."""
        return self.text[entry.start : entry.end]

    def body_of(self, entry: Entry) -> str:
        """Return the text of an entry below its heading or behind its list marker."""
        return self.text[entry.body_start : entry.end]

    def excerpt(self, entry: Entry, limit: int = 160) -> str:
        """Return the first line of prose of an entry, bare of marks, cut at a word."""
        body = self.body_of(entry)
        fence = ""
        for line in body[: limit * 40].split("\n"):
            start = line.lstrip()[:3]
            if start in ("```", "~~~"):
                fence = "" if fence == start else fence or start
            elif start and not fence and (prose := _prose(line[: limit * 8])):
                return prose if len(prose) <= limit else _cut(prose, limit)
        return ""


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether name and place of a file are a daily log's; its text is free."""
    return is_daily(path)


def is_daily(path: PurePosixPath) -> bool:
    """Return whether a path is a daily log: a date, in a memory folder or the root."""
    folders = [part.casefold() for part in path.parts[:-1]]
    if folders and _FOLDERS.isdisjoint(folders):
        return False
    return "dreaming" not in folders and date_of(path) is not None


def _is_of_one(path: PurePosixPath) -> bool:
    """Return whether a log is of one piece of work, as only its path shows.

    Its name has more than a day, ``2026-05-03-boiler.md`` or ``2026-05-03-1930.md``, or
    its folder is one of sessions.
    """
    of_session = path.parent.name.casefold() in _OF_SESSIONS
    return bool(slug_of(path) or time_of(path)) or of_session


def parse(text: str, path: PurePosixPath = NO_PATH, known: int = 0) -> DailyLog:
    """Return the log; any text is one.

    `known`: so many characters are as in the version before; what that stated in them
    is left out.
    """
    if known and (short := shortened(text, known)):
        log = _parse(short.text, path, short.known)
        if _stands(short, log, path):
            return _put_back(short, log, text)
    return _parse(text, path, known)


def _parse(text: str, path: PurePosixPath, known: int = 0) -> DailyLog:
    snapshots = find_snapshots(text)
    hidden = _hidden(text, snapshots)
    skipped, about = _lines_of(hidden), _about(text)
    stated, reports, since = read_since(text, known, skipped)
    if known:
        before = text[:known]
        then = _lines_of(_hidden(before, find_snapshots(before)))
        if about != _about(before) or min(then ^ skipped, default=since) < since:
            # What was added changes how the lines above are read.
            return _parse(text, path)
    sessions, zone, agent = about
    hiding = hiding_fence(text)
    return DailyLog(
        text,
        told=(Author(agent),) if agent else (),
        stated=stated._replace(
            open_items=(*still_open(stated.open_items, reports),),
        ),
        authors=(agent,),
        sessions=sessions,
        zone=zone,
        problems=(Problem("fence-open", hiding, {}),) if hiding else (),
        same=text.count("\n", 0, known),
        since=since,
        closing=reports if since > 1 else (),
        entries=_entries_of(text, path, hidden),
    )


def _entries_of(
    text: str, path: PurePosixPath, hidden: Sequence[_Block]
) -> tuple[Entry, ...]:
    fenced, sections = fenced_lines(text), split_sections(text)
    spans = _spans(text, hidden) if hidden else ()
    return cut_entries(text, sections, spans, fenced, is_one=_is_of_one(path))


def _stands(short: Shortened, log: DailyLog, path: PurePosixPath) -> bool:
    """Return whether a log read without its middle is as the whole one is.

    Its start has the entries that it had before, none reaches into the middle, and
    nothing but the end is read again.
    """
    before, above = short.text[: short.known], short.above
    hidden = _hidden(before, find_snapshots(before))
    for entries in (found := [log.entries, _entries_of(before, path, hidden)]):
        lines = {entry.lines for entry in entries}
        if any(first <= above < last for first, last in lines):
            return False
        if short.is_list and not {(above, above), (above + 1, above + 1)} <= lines:
            return False
    now, then = ([e for e in some if e.lines.last <= above] for some in found)
    return now == then != [] and log.since > above + 1 - (not short.is_list)


def _put_back(short: Shortened, log: DailyLog, text: str) -> DailyLog:
    """Return the log with the line numbers that its end has in the whole text."""

    def moved(some: Iterable[_Told]) -> tuple[_Told, ...]:
        behind = (one for one in some if one.lines.first > short.above)
        return tuple(one._replace(lines=lines_of(one.lines)) for one in behind)

    def lines_of(lines: Lines) -> Lines:
        return Lines(lines.first + short.left_out, lines.last + short.left_out)

    stated = log.statements()
    return replace(
        log,
        entries=moved(log.entries),
        stated=Stated(
            moved(stated.decisions), moved(stated.directives), moved(stated.open_items)
        ),
        sessions=find_session_keys(text),
        problems=tuple(
            one._replace(line=one.line + short.left_out) for one in log.problems
        ),
        same=log.same + short.left_out,
        entries_since=short.above + 1 + short.left_out,
        since=log.since + short.left_out,
        closing=tuple((line + short.left_out, said) for line, said in log.closing),
    )


def _about(text: str) -> tuple[tuple[str, ...], str, str]:
    """Return the session keys, the zone and the agent that a log names."""
    return find_session_keys(text), zone_of_times(text), agent_of_log(text)


def _hidden(text: str, snapshots: Sequence[TaskSnapshot]) -> list[_Block]:
    """Return the lines that are not a log's own notes: front matter, blocks."""
    blocks = [(snapshot.lines, False) for snapshot in snapshots]
    blocks += [(lines, True) for lines in managed_blocks(text)]
    if text.startswith("---"):
        body_line = frontmatter.split(text).body_line
        blocks += [(Lines(1, body_line - 1), False)] if body_line > 1 else []
    hidden: list[_Block] = []
    for lines, is_managed in sorted(blocks):
        if not hidden or lines.first > hidden[-1][0].last:
            hidden.append((lines, is_managed))
    return hidden


def _spans(text: str, blocks: Sequence[_Block]) -> list[Span]:
    starts = [0, *accumulate(map(len, split_lines(text)))]
    return [
        Span(starts[lines.first - 1], starts[lines.last], is_managed)
        for lines, is_managed in blocks
    ]


def _lines_of(blocks: Sequence[_Block]) -> frozenset[int]:
    """Return the numbers of all lines of blocks."""
    return frozenset(
        number for lines, _ in blocks for number in range(lines.first, lines.last + 1)
    )


def _time(entry: Entry) -> Time:
    day = _day_of_heading(entry.title) if entry.level else None
    return Time(day=day, clock=entry.time)


def _day_of_heading(title: str) -> datetime.date | None:
    """Return the day at the start of a heading, or next to a time in brackets."""
    if found := _DAY_FIRST.match(title):
        return parse_date(found[1])
    inside = (found[0][1:-1] for found in _BRACKETS.finditer(title))
    return next((day_in(text) for text in inside if heading_time(text)), None)


def _prose(line: str) -> str:
    if line.lstrip().startswith(_NOT_PROSE):
        return ""
    found = _MARKERS.match(line)
    words = line[found.end() if found else 0 :]
    bare = words.replace("**", "") if "*" in words else words
    if "*" in bare or "_" in bare or "`" in bare:
        bare = _EMPHASIS.sub("", words)
    return " ".join(bare.split())


def _cut(text: str, limit: int) -> str:
    words = text[:limit].rpartition(" ")[0]
    head = words if len(words) > limit // 2 else text[: limit - 1]
    return head.rstrip(" ,;:.-–—") + "…"


DIALECT = Dialect(
    title=gettext_noop("Daily logs"),
    kind=gettext_noop("daily log"),
    order=280,
    role=None,
    problems_in=problems_in,
    append_only=True,
    is_found=True,
    in_rows=always,
)
