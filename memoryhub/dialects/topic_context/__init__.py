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


def _read_rows(text: str) -> Iterator[Row]:
    """Assign every line to its section by snap-memory's tests, in their order.

    A heading switches by its start alone (``## History (old)``) and at any indent;
    a line ``# ...`` is dropped in every section; no other heading ends a section.
    """
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = trim(line)
        kind = "text"
        if trimmed.startswith("#"):
            switched = _section_of(trimmed)
            section = switched or section
            title = "title" if trimmed.startswith("# ") else kind
            kind = "switch" if switched else title
        yield Row(number, line, trimmed, section, kind)


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


class TopicLines:
    """The lines of a text during an edit, by their original numbers."""

    def __init__(self, text: str) -> None:
        self.newline = newline_of(text)
        self.rows = list(_read_rows(text))
        self._lines: list[str] = split_lines(text)
        self._after: dict[int, list[str]] = {}

    @property
    def size(self) -> int:
        return len(self._lines)

    def line(self, number: int) -> str:
        return self._lines[number - 1]

    def replace(self, number: int, line: str) -> None:
        self._lines[number - 1] = line

    def insert(self, after: int, lines: list[str]) -> None:
        """Insert lines after a line; 0 is the start of the text."""
        ended = [line + self.newline for line in lines]
        self._after.setdefault(after, []).extend(ended)
        last = self.line(after) if 0 < after == self.size else ""
        if ended and last and not last.endswith("\n"):
            self._lines[after - 1] += self.newline

    def render(self) -> str:
        start = self._after.get(0, [])
        parts = ["".join(start)]
        for number, line in enumerate(self._lines, 1):
            parts.append(line)
            parts += self._after.get(number, [])
        return "".join(parts)

    @property
    def stated_status(self) -> str:
        """The status, as `TopicContext` states it."""
        status, _ = _status(self.rows)
        return "" if status == NO_STATUS else status

    def set_meta(self, key: str, value: str) -> bool:
        """Give a key another value where it has one; return whether it has."""
        held = [meta for meta in _meta(self.rows) if meta.key == key and value]
        for meta in held:
            line = f"- **{key}**: {value}"
            number = meta.lines.first
            self.replace(number, _rewritten(self.line(number), line))
        return bool(held)

    def with_status(self, text: str, *, raw: bool = False) -> TopicContext:
        """Return the file with another status; all other lines stay as they are here.

        Raises ``status-breaks-sections`` for lines that would start another section;
        `raw` writes them anyway, like snap-memory, which then parses them differently.
        """
        lines = [text] if raw else _status_lines(text)
        heading, held = self.heading(STATUS), _status_rows(self)
        for row in held:
            self.replace(row.number, "")
        if heading is None:
            self.add_section(STATUS, lines)
        elif held:
            self.insert(held[0].number, lines)
        else:
            self.insert_below(heading, lines)
        return parse(self.render())

    def heading(self, section: str) -> Row | None:
        return next((row for row in self._headings() if row.section == section), None)

    def _headings(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "switch"]

    def insert_below(self, heading: Row, lines: list[str]) -> None:
        """Insert lines right below a heading, separated from the text after it."""
        self.insert(heading.number, lines)
        below = heading.number + 1
        if below <= self.size and trim(self.line(below)):
            self.insert(heading.number, [""])

    def add_section(self, section: str, lines: list[str]) -> None:
        """Add a missing section before those that follow it in the format's order."""
        order = list(SECTIONS)
        later = order[order.index(section) + 1 :]
        below = next((row for row in self._headings() if row.section in later), None)
        block = [f"## {SECTIONS[section]}", *lines]
        before = below.number - 1 if below else self.size
        if before and trim(self.line(before)):
            block.insert(0, "")
        self.insert(before, [*block, ""] if below else block)


def _status_rows(edited: TopicLines) -> list[Row]:
    """Return the rows of the status, without the blank lines around it."""
    held: list[Row] = []
    waiting: list[Row] = []
    for row in edited.rows:
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


def _with_entries(
    text: str,
    section: str,
    items: list[str],
    *,
    after: int = 0,
    gone: Sequence[Lines] = (),
) -> str:
    """Return the text with lines of entries added to a section, and others removed.

    The words for none stand in a section exactly while it has no entry.
    """
    edited = TopicLines(text)
    heading = edited.heading(section)
    if heading is None:
        if items:
            edited.add_section(section, items)
        return edited.render()
    emptied = {n for lines in gone for n in range(lines.first, lines.last + 1)}
    for number in emptied:
        edited.replace(number, "")
    rows = [row for row in edited.rows if row.section == section]
    stays = any(
        row.trimmed.startswith("- ") and row.number not in emptied
        for row in rows
        if row.kind == "text"
    )
    none = next((row for row in rows if row.trimmed == NO_ITEMS), None)
    if items and after:
        edited.insert(after, items)
    elif items and none:
        edited.replace(none.number, "")
        edited.insert(none.number, items)
    elif items:
        edited.insert_below(heading, items)
    elif gone and not stays:
        edited.insert(gone[0].first, [NO_ITEMS])
    return edited.render()


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
    def canonical(self) -> bool:
        """Whether snap-memory would save the values as this very text."""
        return render_values(self) == self.text

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

    def items_of(self, section: str) -> tuple[Item, ...]:
        """Return the entries of one of the two lists."""
        return self.decisions if section == DECISIONS else self.history

    def tidied(self) -> TopicContext:
        """Return the file as saved by snap-memory, if only blanks differ.

        Its saves trim the status and the items. A file of which it would drop or
        move more than blanks at line ends and blank lines is returned unchanged.
        """
        saved = render_values(self)
        same = _written_lines(saved) == _written_lines(self.text)
        return parse(saved) if same else self

    def with_status(self, text: str, *, raw: bool = False) -> TopicContext:
        """Return a copy with another status; all other lines stay."""
        return TopicLines(self.text).with_status(text, raw=raw)

    def with_entry(
        self, section: str, item: str, limit: int | None, *, raw: bool = False
    ) -> TopicContext:
        """Return a copy with one more entry in a list; the oldest above `limit` go."""
        held = self.items_of(section)
        size = len(held) + 1
        dropped = max(0, size - limit) if limit is not None else 0
        line = f"- {item if raw else _clean_item(item)}" if dropped < size else ""
        return parse(
            _with_entries(
                self.text,
                section,
                [line] if line else [],
                after=held[-1].lines.last if held else 0,
                gone=[old.lines for old in held[:dropped]],
            )
        )

    def with_meta(self, key: str, value: str) -> TopicContext:
        """Return a copy in which `key` has this value; a new key comes last."""
        cleaned = trim(value)
        if not key or "**:" in key or LINE_TERMINATOR.search(key):
            raise FormatError("meta-key", key=key)
        if not cleaned or LINE_TERMINATOR.search(cleaned):
            raise FormatError("meta-value", key=key, value=value)
        line = f"- **{key}**: {cleaned}"
        held = next((meta.lines.first for meta in self.meta if meta.key == key), 0)
        after = max((meta.lines.last for meta in self.meta), default=0)
        edited = TopicLines(self.text)
        heading = edited.heading(META)
        if held:
            edited.replace(held, _rewritten(edited.line(held), line))
        elif heading is None:
            edited.add_section(META, [line])
        elif after:
            edited.insert(after, [line])
        else:
            edited.insert_below(heading, [line])
        return parse(edited.render())

    def with_item(self, lines: Lines, text: str) -> TopicContext:
        """Return a copy with `text` in the decision or history line at `lines`.

        Raises FormatError ``no-such-item`` if that is no list line.
        """
        edited = TopicLines(self.text)
        is_there = 1 <= lines.first <= edited.size
        if not is_there or not edited.rows[lines.first - 1].trimmed.startswith("- "):
            raise FormatError("no-such-item", lines.first)
        rewritten = _rewritten(edited.line(lines.first), f"- {_clean_item(text)}")
        edited.replace(lines.first, rewritten)
        return parse(edited.render())

    def without_item(self, lines: Lines) -> TopicContext:
        """Return a copy without the decision or history line there."""
        section = HISTORY if any(i.lines == lines for i in self.history) else DECISIONS
        return parse(_with_entries(self.text, section, [], gone=[lines]))


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
    rows = list(_read_rows(text))
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


def _meta(rows: list[Row]) -> tuple[Field, ...]:
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


def _status(rows: list[Row]) -> tuple[str, Lines | None]:
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


def _items(rows: list[Row], section: str) -> Iterator[Item]:
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


def count_of(document: TopicContext, section: str, text: str) -> int:
    """Return the number of entries of a list with this text."""
    return sum(item.text == trim(text) for item in document.items_of(section))


def removed(document: TopicContext, section: str, text: str) -> TopicContext:
    """Return a copy without the newest entry with this text.

    Raises `FormatError` ``item-not-there``.
    """
    return document.without_item(_newest(document, section, text)[1].lines)


def source_of(document: TopicContext, section: str, text: str) -> tuple[int, str]:
    """Return index and source lines of the newest entry with this text.

    Raises `FormatError` ``item-not-there``.
    """
    index, item = _newest(document, section, text)
    return index, _source_of(document, [item])


def dropped_by(document: TopicContext, section: str, count: int, limit: int) -> str:
    """Return the lines of the entries removed by the limit when `count` are added."""
    items = document.items_of(section)
    size = max(0, len(items) + count - limit) if count else 0
    return _source_of(document, items[:size])


def put_at(
    document: TopicContext, section: str, index: int, source: str
) -> TopicContext:
    """Return a copy with the lines of entries restored before the one at `index`."""
    if not source:
        return document
    items = document.items_of(section)
    if not items:
        text = source.rstrip("\r\n").lstrip().removeprefix("- ")
        return parse(_with_entries(document.text, section, [f"- {text}"]))
    after = items[min(index, len(items)) - 1].lines.last
    if index == 0:
        after = items[0].lines.first - 1
    lines = split_lines(document.text)
    newline = newline_of(document.text)
    lines[:after] = [_ended(line, newline) for line in lines[:after]]
    lines.insert(after, _ended(source, newline))
    return parse("".join(lines))


def _newest(document: TopicContext, section: str, text: str) -> tuple[int, Item]:
    items = document.items_of(section)
    for index in reversed(range(len(items))):
        if items[index].text == trim(text):
            return index, items[index]
    raise FormatError("item-not-there", text=text)


def _source_of(document: TopicContext, items: Sequence[Item]) -> str:
    lines = split_lines(document.text)
    newline = newline_of(document.text)
    return "".join(
        _ended(line, newline)
        for item in items
        for line in lines[item.lines.first - 1 : item.lines.last]
    )


def _ended(text: str, newline: str) -> str:
    return text if text.endswith("\n") else text + newline


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
