"""snap-memory's topic file, ``memory/context-<topic>.md``.

A title and four sections: Meta, Current Status, Key Decisions and History. Values
are read by the rules of snap-memory's own line machine; lines it drops are preserved.
A restored entry has its exact former lines, including continuation lines.

Each line belongs to a section by snap-memory's own tests. Edits change only the named
lines.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects import facts
from memoryhub.dialects.decision_log import parse_decision
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Compaction, Document
from memoryhub.formats.base import NO_PATH, NOWHERE, Field, FormatError, Lines
from memoryhub.formats.text.dates import parse_date, split_dated
from memoryhub.formats.text.javascript import LINE_TERMINATOR, key_order, trim
from memoryhub.formats.text.list_items import Item
from memoryhub.formats.text.source import newline_of, split_lines
from memoryhub.prose.stated import Stated, find_stated

META, STATUS, DECISIONS, HISTORY = "meta", "status", "decisions", "history"

#: The sections in the order they are written, with their headings.
SECTIONS = {
    META: "Meta",
    STATUS: "Current Status",
    DECISIONS: "Key Decisions",
    HISTORY: "History",
}

NO_STATUS = "(no status yet)"
NO_ITEMS = "(none yet)"

CONTEXT_CREATED = "Context created"

_COMPACTED = re.compile(
    r"compaction completed \((\w{1,18})(?:→|->)(\w{1,18}) messages\)",
    re.IGNORECASE,
)
_COMPACTED_COUNT = re.compile(
    r"compaction completed \(([0-9]{1,18}) messages compacted\)", re.IGNORECASE
)
_AUTO_SAVED = re.compile(
    r"auto-saved before ([^\n]*?)(?: \(([0-9]{1,18}) messages\))?", re.IGNORECASE
)

_SWITCHES = tuple((f"## {title}", section) for section, title in SECTIONS.items())

#: Starts of lines that do not continue the list item above.
_OWN_BLOCK = re.compile(r"[*+] |#|\||<|>|```|~~~|---|[0-9]{1,9}[.)] |\(none yet\)")


class Row(NamedTuple):
    """A line: its section, and whether it is text, a title or switches the section."""

    number: int
    line: str
    trimmed: str
    section: str
    kind: str


@lru_cache(maxsize=4)
def _read_rows(text: str) -> tuple[Row, ...]:
    """Assign every line to its section by snap-memory's tests, in their order.

    A heading switches by its start alone (``## History (old)``) and at any indent;
    a line ``# ...`` is dropped in every section; no other heading ends a section.
    Cached: an edit asks several times for those of a text.
    """
    section, rows = "", list[Row]()
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = trim(line)
        kind = "text"
        if trimmed.startswith("#"):
            switched = _section_of(trimmed)
            section = switched or section
            title = "title" if trimmed.startswith("# ") else kind
            kind = "switch" if switched else title
        rows.append(Row(number, line, trimmed, section, kind))
    return tuple(rows)


def _section_of(trimmed: str) -> str:
    """Return the section a trimmed line switches to, or nothing."""
    if trimmed.startswith("## "):
        for start, section in _SWITCHES:
            if trimmed.startswith(start):
                return section
    return ""


def plain_status(status: str) -> str:
    """Deepen headings of a status that would end it in a topic file."""
    return "\n".join(map(_lowered, status.splitlines()))


def _lowered(line: str) -> str:
    while _section_of(trim(line)) or trim(line).startswith("# "):
        line = f"#{trim(line)}"
    return line


def _continues_item(row: Row) -> bool:
    """Return whether a line continues the list item directly above it."""
    return bool(row.trimmed) and not _OWN_BLOCK.match(row.line)


def _edited(
    text: str, changed: Mapping[int, str], after: int = 0, new: Sequence[str] = ()
) -> str:
    """Return the text with other words in some lines, and new lines after one.

    A line without words goes; the others keep indent and line end. 0 is the start.
    """
    newline, lines = newline_of(text), split_lines(text)
    for number, words in changed.items():
        lines[number - 1] = _rewritten(lines[number - 1], words) if words else ""
    last = lines[after - 1] if 0 < after == len(lines) else ""
    if new and last and not last.endswith("\n"):
        lines[after - 1] += newline
    lines[after:after] = [line + newline for line in new]
    return "".join(lines)


def _in_section(text: str, section: str, lines: Sequence[str]) -> str:
    """Return the text with lines right below the heading of a section.

    A missing section comes before those that follow it in the format's order.
    """
    rows = _read_rows(text)
    headings = [row for row in rows if row.kind == "switch"]
    found = next((row for row in headings if row.section == section), None)
    if found:
        behind = rows[found.number : found.number + 1]
        gap = [""] if any(row.trimmed for row in behind) else []
        return _edited(text, {}, found.number, [*lines, *gap])
    order = list(SECTIONS)
    later = order[order.index(section) + 1 :]
    below = next((row for row in headings if row.section in later), None)
    before = below.number - 1 if below else len(rows) - (not rows[-1].line)
    gap = [""] if before and rows[before - 1].trimmed else []
    block = [*gap, f"## {SECTIONS[section]}", *lines]
    return _edited(text, {}, before, [*block, ""] if below else block)


def with_status(text: str, status: str, *, raw: bool = False) -> str:
    """Return the text with another status; all other lines stay.

    Raises ``status-breaks-sections`` for lines that would start another section;
    `raw` writes them anyway, like snap-memory, which then parses them differently.
    """
    lines = [status] if raw else _status_lines(status)
    held = _status_rows(_read_rows(text))
    if not held:
        return _in_section(text, STATUS, lines)
    return _edited(text, {row.number: "" for row in held}, held[0].number, lines)


def _status_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of the status, without the blank lines around it."""
    held: list[Row] = []
    waiting: list[Row] = []
    for row in rows:
        if row.section != STATUS or row.kind == "switch":
            waiting = []
        elif row.trimmed:
            held += [*waiting, row]
            waiting = []
        elif held and row.number == held[-1].number + len(waiting) + 1:
            waiting.append(row)
    return held


def _status_lines(status: str) -> list[str]:
    lines = (trim(status) or NO_STATUS).split("\n")
    for number, line in enumerate(lines, 1):
        if _section_of(trim(line)):
            raise FormatError("status-breaks-sections", number, text=trim(line))
    return [line.removesuffix("\r") for line in lines]


def with_entry(
    text: str, section: str, item: str, limit: int | None, *, raw: bool = False
) -> str:
    """Return the text with one more entry in a list; the oldest above `limit` go."""
    held = items_of(text, section)
    size = len(held) + 1
    dropped = max(0, size - limit) if limit is not None else 0
    new = [f"- {item if raw else _clean_item(item)}"] if dropped < size else []
    after = held[-1].lines.last if held else 0
    gone = [old.lines for old in held[:dropped]]
    return _relisted(text, section, new, after=after, gone=gone)


def _relisted(
    text: str,
    section: str,
    new: Sequence[str],
    *,
    after: int = 0,
    gone: Sequence[Lines] = (),
) -> str:
    """Return the text with lines of entries added to a section, or others removed.

    The words for none stand in a section exactly while it has no entry.
    """
    rows = [row for row in _read_rows(text) if row.section == section]
    emptied = {n for lines in gone for n in range(lines.first, lines.last + 1)}
    changed = dict.fromkeys(emptied, "")
    none = next((row for row in rows if row.trimmed == NO_ITEMS), None)
    if new and not after:
        if not none:
            return _in_section(text, section, new)
        changed[none.number], after = "", none.number
    elif not new and rows and gone:
        stays = any(
            row.trimmed.startswith("- ") and row.number not in emptied
            for row in rows
            if row.kind == "text"
        )
        after, new = gone[0].first, [] if stays else [NO_ITEMS]
    return _edited(text, changed if rows else {}, after, new)


def with_meta(text: str, key: str, value: str) -> str:
    """Return the text in which `key` has this value; a new key comes last."""
    cleaned = trim(value)
    if not key or "**:" in key or LINE_TERMINATOR.search(key):
        raise FormatError("meta-key", key=key)
    if not cleaned or LINE_TERMINATOR.search(cleaned):
        raise FormatError("meta-value", key=key, value=value)
    line, held = f"- **{key}**: {cleaned}", _meta(_read_rows(text))
    if own := [meta for meta in held if meta.key == key]:
        return _edited(text, {own[0].lines.first: line})
    if held:
        return _edited(text, {}, max(meta.lines.last for meta in held), [line])
    return _in_section(text, META, [line])


def with_item(text: str, lines: Lines, item: str) -> str:
    """Return the text with `item` in the decision or history line at `lines`.

    Raises FormatError ``no-such-item`` if that is no list line.
    """
    rows = _read_rows(text)
    is_there = 1 <= lines.first <= len(rows)
    if not is_there or not rows[lines.first - 1].trimmed.startswith("- "):
        raise FormatError("no-such-item", lines.first)
    return _edited(text, {lines.first: f"- {_clean_item(item)}"})


def without_item(text: str, lines: Lines) -> str:
    """Return the text without the decision or history line there."""
    in_history = any(item.lines == lines for item in items_of(text, HISTORY))
    return _relisted(text, HISTORY if in_history else DECISIONS, [], gone=[lines])


def tidied(text: str) -> str:
    """Return the text as saved by snap-memory, if only blanks differ.

    Its saves trim the status and the items. A file of which it would drop or
    move more than blanks at line ends and blank lines is returned unchanged.
    """
    saved = render_values(parse(text))
    return saved if _written_lines(saved) == _written_lines(text) else text


def _clean_item(item: str) -> str:
    cleaned = trim(item)
    if not cleaned:
        raise FormatError("item-empty")
    if "\n" in cleaned:
        raise FormatError("item-has-newline", item=cleaned)
    return cleaned


def _rewritten(old: str, new: str) -> str:
    """Replace the text of a line; its indent and line end stay."""
    indent = old[: len(old) - len(old.lstrip(" \t\ufeff"))]
    end = old[len(old.rstrip("\r\n")) :]
    return f"{indent}{new}{end}"


NAME = "topic_context"

_PREFIX, _SUFFIX = "context-", ".md"
_TOPIC_SIZE = 80
_HEADING = re.compile(r"(?:^|\n)[ \t]*## (Meta|Current Status|Key Decisions|History)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicContext(Document):
    """A parsed topic file; of equal keys of `meta` the last one counts."""

    meta: tuple[Field, ...]
    status: str
    status_lines: Lines | None
    decisions: tuple[Item, ...]
    history: tuple[Item, ...]

    def facts(self, place: PurePosixPath) -> Iterator[facts.Fact]:
        """Yield the topic with its history and decisions, and its sessions."""
        named = topic_of(place)
        name = named or self.title or place.stem
        meta = {item.key: item.value for item in self.meta}
        yield facts.Topic(
            "context",
            name,
            self.title,
            self.stated_status,
            self.status_lines or NOWHERE,
            name,
            parse_date(meta.get("created", "")),
            parse_date(meta.get("updated", "")),
            meta.get("session", ""),
        )
        for item in self.history:
            said, compacted = auto_saved_of(item.text), compaction_of(item.text)
            yield facts.History(*item, said, compacted)
        for entry in self.meta:
            if entry.key == "session" and named:
                yield facts.Binding(entry.value, named, entry.lines)
        for item in self.decided:
            yield facts.Decision(parse_decision(item.text), item.lines)

    @property
    def stated_status(self) -> str:
        """The status; empty for snap-memory's words for none."""
        return "" if self.status == NO_STATUS else self.status

    @property
    def own_lines(self) -> frozenset[int]:
        """The lines below a heading of snap-memory's.

        It reads a list below another heading as one of the section above.
        """
        own, found = False, set[int]()
        for row in _read_rows(self.text):
            if row.trimmed.startswith("## "):
                own = row.kind == "switch"
            if own:
                found.add(row.number)
        return frozenset(found)

    @property
    def compactions(self) -> Iterator[Compaction]:
        """Those of the history; a save by the program is the line before one."""
        sessions = tuple(meta.value for meta in self.meta if meta.key == "session")
        is_saved = False
        for item in self.history:
            if found := compaction_of(item.text):
                yield Compaction(item.lines, *found, is_saved, sessions)
            is_saved = auto_saved_of(item.text) is not None

    def statements(self) -> Stated:
        """Return those outside the sections of snap-memory."""
        return find_stated(self.text, self.own_lines)

    @property
    def decided(self) -> tuple[Item, ...]:
        """The entries that stand below Key Decisions itself."""
        own = self.own_lines
        return tuple(item for item in self.decisions if item.lines.first in own)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether name and headings are a topic file's; one heading is enough.

    soulclaw, a descendant, names it ``topic-<name>.md``; other programs use that
    name too, so two headings are required there.
    """
    if path.suffix != _SUFFIX:
        return False
    if path.name.startswith(_PREFIX):
        return not trim(text) or bool(_HEADING.search(text))
    if path.name.startswith("topic-"):
        return len(set(_HEADING.findall(text))) > 1
    return False


def topic_of(path: PurePosixPath) -> str | None:
    """Return the topic a file name bears, exactly; None for other names."""
    name = path.name
    if not name.startswith(_PREFIX) or not name.endswith(_SUFFIX):
        return None
    return name[len(_PREFIX) : -len(_SUFFIX)] or None


def file_name(topic: str) -> str:
    return f"{_PREFIX}{topic}{_SUFFIX}"


def topic_from_session_key(key: str) -> str:
    """Return snap-memory's default topic of an unbound session."""
    safe = re.sub(r"[^a-zA-Z0-9_:-]", "-", key).replace(":", "-")
    joined = re.sub(r"-+", "-", safe)
    return joined.removeprefix("-").removesuffix("-")[:_TOPIC_SIZE]


def parse(text: str, path: PurePosixPath = NO_PATH) -> TopicContext:
    """Return the values snap-memory's parser reads, with their lines; never fails."""
    rows = _read_rows(text)
    status, status_lines = _status(rows)
    heads = (row for row in rows if row.kind == "title" and not row.section)
    titles = (trim(row.trimmed[2:]) for row in heads)
    return TopicContext(
        text=text,
        title=next(titles, ""),
        meta=_meta(rows),
        status=status,
        status_lines=status_lines,
        decisions=tuple(_items(rows, DECISIONS)),
        history=tuple(_items(rows, HISTORY)),
    )


def _written_lines(text: str) -> list[str]:
    lines = (row.rstrip(" \t") for row in text.split("\n"))
    return [line for line in lines if trim(line) not in ("", NO_STATUS, NO_ITEMS)]


def _meta(rows: Iterable[Row]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for row in rows:
        if row.section == META and row.kind == "text":
            pair = _meta_pair(row.trimmed)
            if pair:
                found[pair[0]] = Field(*pair, Lines(row.number, row.number))
    return tuple(found.values())


def _meta_pair(text: str) -> tuple[str, str] | None:
    r"""Match ``^- \*\*(.+?)\*\*:\s*(.+)$`` in one pass; `text` is trimmed."""
    if not text.startswith("- **"):
        return None
    ends = LINE_TERMINATOR.search(text)
    # Neither key nor value crosses a line terminator, only the blanks between.
    cut = text.rfind("**:", 5, ends.start()) if ends else text.find("**:", 5)
    value = trim(text[cut + 3 :])
    if cut < 0 or not value or LINE_TERMINATOR.search(value):
        return None
    return text[4:cut], value


def _status(rows: Sequence[Row]) -> tuple[str, Lines | None]:
    held = [row for row in rows if row.section == STATUS and row.kind == "text"]
    written = [row for row in held if row.trimmed]
    if not written:
        return "", None
    first = last = written[0].number
    for row in rows[first:]:
        if row.section != STATUS or row.kind == "switch":
            break
        if row.trimmed and row.kind == "text":
            last = row.number
    return trim("\n".join(row.line for row in held)), Lines(first, last)


def _items(rows: Iterable[Row], section: str) -> Iterator[Item]:
    """Read the items of one section; each takes the lines that continue it."""
    text, first, last = "", 0, 0
    for row in rows:
        if row.section != section or row.kind != "text":
            continues = False
        elif row.trimmed.startswith("- "):
            if first:
                yield Item(text, Lines(first, last))
            text, first, last = trim(row.trimmed[2:]), row.number, row.number
            continue
        else:
            continues = _continues_item(row)
        if first and continues and row.number == last + 1:
            last = row.number
    if first:
        yield Item(text, Lines(first, last))


def render_values(document: TopicContext) -> str:
    """Return a document's values in the form saved by snap-memory."""
    meta = {entry.key: entry.value for entry in document.meta}
    decisions = [item.text for item in document.decisions]
    history = [item.text for item in document.history]
    return render_topic(document.title, meta, document.status, decisions, history)


def render_topic(
    title: str,
    meta: Mapping[str, str],
    status: str,
    decisions: Iterable[str],
    history: Iterable[str],
) -> str:
    """Return a topic file exactly as snap-memory's `renderSnap` writes it."""
    pairs = [f"- **{key}**: {meta[key]}" for key in key_order(meta)]
    parts = [f"# {title}", ""]
    parts += [f"## {SECTIONS[META]}", *pairs, ""] if pairs else []
    parts += [f"## {SECTIONS[STATUS]}", status or NO_STATUS, ""]
    parts += [f"## {SECTIONS[DECISIONS]}", *_listed(decisions), ""]
    parts += [f"## {SECTIONS[HISTORY]}", *_listed(history), ""]
    return "\n".join(parts)


def _listed(items: Iterable[str]) -> list[str]:
    return [f"- {item}" for item in items] or [NO_ITEMS]


def status_of(text: str) -> str:
    """Return the status that a text states, as `TopicContext.stated_status` does."""
    status, _ = _status(_read_rows(text))
    return "" if status == NO_STATUS else status


def meta_of(text: str) -> dict[str, str]:
    """Return the values of Meta by key."""
    return {meta.key: meta.value for meta in _meta(_read_rows(text))}


def items_of(text: str, section: str) -> tuple[Item, ...]:
    """Return the entries of one of the two lists."""
    return tuple(_items(_read_rows(text), section))


def count_of(text: str, section: str, entry: str) -> int:
    """Return the number of entries of a list with these words."""
    return sum(item.text == trim(entry) for item in items_of(text, section))


def removed(text: str, section: str, entry: str) -> str:
    """Return the text without the newest entry with these words.

    Raises `FormatError` ``item-not-there``.
    """
    return _relisted(text, section, [], gone=[_newest(text, section, entry)[1].lines])


def source_of(text: str, section: str, entry: str) -> tuple[int, str]:
    """Return index and source lines of the newest entry with these words.

    Raises `FormatError` ``item-not-there``.
    """
    index, item = _newest(text, section, entry)
    return index, _source_of(text, [item])


def dropped_by(text: str, section: str, count: int, limit: int) -> str:
    """Return the lines of the entries removed by the limit when `count` are added."""
    items = items_of(text, section)
    size = max(0, len(items) + count - limit) if count else 0
    return _source_of(text, items[:size])


def put_at(text: str, section: str, index: int, source: str) -> str:
    """Return the text with the lines of entries restored before the one at `index`."""
    if not source:
        return text
    items = items_of(text, section)
    if not items:
        entry = source.rstrip("\r\n").lstrip().removeprefix("- ")
        return _relisted(text, section, [f"- {entry}"])
    after = items[min(index, len(items)) - 1].lines.last
    if index == 0:
        after = items[0].lines.first - 1
    lines, newline = split_lines(text), newline_of(text)
    lines[:after] = [_ended(line, newline) for line in lines[:after]]
    lines.insert(after, _ended(source, newline))
    return "".join(lines)


def _newest(text: str, section: str, entry: str) -> tuple[int, Item]:
    items = items_of(text, section)
    for index in reversed(range(len(items))):
        if items[index].text == trim(entry):
            return index, items[index]
    raise FormatError("item-not-there", text=entry)


def _source_of(text: str, items: Sequence[Item]) -> str:
    lines, newline = split_lines(text), newline_of(text)
    return "".join(
        _ended(line, newline)
        for item in items
        for line in lines[item.lines.first - 1 : item.lines.last]
    )


def _ended(line: str, newline: str) -> str:
    return line if line.endswith("\n") else line + newline


def auto_saved_text(day: datetime.date, messages: object) -> str:
    return f"{day}: Auto-saved before compaction ({messages} messages)"


def compaction_text(day: datetime.date, before: object, after: object) -> str:
    return f"{day}: Compaction completed ({before}→{after} messages)"


def reset_text(day: datetime.date, reason: str = "") -> str:
    return f"{day}: Auto-saved before {reason or 'reset'}"


def created_text(day: datetime.date) -> str:
    return f"{day}: {CONTEXT_CREATED}"


def compaction_of(text: str) -> tuple[int | None, int | None] | None:
    """Return the messages before and after the compaction that a history line reports.

    snap-memory writes ``(280→45 messages)``; its descendant soulclaw writes
    ``(120 messages compacted)``, of which the rest is not known.
    """
    rest = split_dated(text)[1]
    if found := _COMPACTED.fullmatch(rest):
        return _number(found[1]), _number(found[2])
    if found := _COMPACTED_COUNT.fullmatch(rest):
        return _number(found[1]), None
    return None


def auto_saved_of(text: str) -> tuple[str, int | None] | None:
    """Return the event before which the program saved, and the number of messages."""
    found = _AUTO_SAVED.fullmatch(split_dated(text)[1])
    return (found[1], _number(found[2])) if found and found[1] else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


DIALECT = Dialect(
    title=gettext_noop("Topics (context-*.md)"),
    kind=gettext_noop("topic context"),
    order=210,
    lives_long=True,
    read_whole=True,
)
