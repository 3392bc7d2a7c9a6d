"""snap-memory's topic file, ``memory/context-<topic>.md``.

A title and four sections: Meta, Current Status, Key Decisions and History. Values
are read by the rules of snap-memory's own line machine; lines it drops are preserved.
A restored entry has its exact former lines, including continuation lines.
Edits are in `memoryhub.formats.snap_memory.topic_edits`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats.base import Field, FormatError, Lines
from memoryhub.formats.snap_memory import topic_edits
from memoryhub.formats.snap_memory.topic_edits import (
    DECISIONS,
    HISTORY,
    META,
    NO_ITEMS,
    NO_STATUS,
    SECTIONS,
    STATUS,
    Row,
    continues_item,
    read_rows,
)
from memoryhub.formats.text.javascript import LINE_TERMINATOR, key_order, trim
from memoryhub.formats.text.list_items import Item
from memoryhub.formats.text.source import newline_of, split_lines

NAME = "topic_context"

_PREFIX, _SUFFIX = "context-", ".md"
_TOPIC_SIZE = 80
_HEADING = re.compile(r"(?:^|\n)[ \t]*## (Meta|Current Status|Key Decisions|History)")


@dataclass(frozen=True, slots=True)
class TopicContext:
    """A parsed topic file; of equal keys of `meta` the last one counts."""

    text: str
    title: str
    meta: tuple[Field, ...]
    status: str
    status_lines: Lines | None
    decisions: tuple[Item, ...]
    history: tuple[Item, ...]

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
        for row in read_rows(self.text):
            if row.trimmed.startswith("## "):
                own = row.kind == "switch"
            if own:
                found.add(row.number)
        return frozenset(found)

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
        """Return a copy with another status; all other lines stay.

        Raises ``status-breaks-sections`` for lines that would start another section;
        `raw` writes them anyway, like snap-memory, which then parses them differently.
        """
        return parse(topic_edits.with_status(self.text, text, raw=raw))

    def with_decision(
        self, item: str, *, limit: int | None, raw: bool = False
    ) -> TopicContext:
        """Return a copy with one more decision; the oldest above `limit` go."""
        return self._with_entry(DECISIONS, item, limit, raw)

    def with_history_line(
        self, item: str, *, limit: int | None, raw: bool = False
    ) -> TopicContext:
        """Return a copy with one more history line; the oldest above `limit` go."""
        return self._with_entry(HISTORY, item, limit, raw)

    def _with_entry(
        self, section: str, item: str, limit: int | None, raw: bool
    ) -> TopicContext:
        held = self.items_of(section)
        size = len(held) + 1
        dropped = max(0, size - limit) if limit is not None else 0
        added = [item] if dropped < size else []
        gone = tuple(old.lines for old in held[:dropped])
        after = held[-1].lines.last if held else 0
        place = topic_edits.Place(section, after, gone)
        return parse(topic_edits.with_entries(self.text, place, added, raw=raw))

    def with_meta(self, key: str, value: str) -> TopicContext:
        """Return a copy in which `key` has this value; a new key comes last."""
        held = next((meta.lines for meta in self.meta if meta.key == key), None)
        after = max((meta.lines.last for meta in self.meta), default=0)
        return parse(topic_edits.with_meta(self.text, key, value, (held, after)))

    def with_item(self, lines: Lines, text: str) -> TopicContext:
        """Return a copy with `text` in the decision or history line at `lines`."""
        return parse(topic_edits.with_item(self.text, lines, text))

    def without_item(self, lines: Lines) -> TopicContext:
        """Return a copy without the decision or history line there."""
        section = HISTORY if any(i.lines == lines for i in self.history) else DECISIONS
        place = topic_edits.Place(section, 0, (lines,))
        return parse(topic_edits.with_entries(self.text, place, [], raw=False))


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


def parse(text: str) -> TopicContext:
    """Return the values snap-memory's parser reads, with their lines; never fails."""
    rows = list(read_rows(text))
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
            continues = continues_item(row)
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


def added(document: TopicContext, section: str, text: str, limit: int) -> TopicContext:
    """Return a copy with one more entry; the oldest above `limit` are removed."""
    if section == DECISIONS:
        return document.with_decision(text, limit=limit)
    return document.with_history_line(text, limit=limit)


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
        place = topic_edits.Place(section, 0)
        return parse(topic_edits.with_entries(document.text, place, [text], raw=True))
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
