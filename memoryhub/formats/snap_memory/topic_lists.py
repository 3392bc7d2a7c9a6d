"""Entries of a topic file's two lists: count, add, remove and restore.

A restored entry has its exact former lines, including continuation lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.formats.base import FormatError
from memoryhub.formats.snap_memory import topic_context, topic_edits
from memoryhub.formats.snap_memory.topic_context import TopicContext
from memoryhub.formats.snap_memory.topic_edits import DECISIONS, HISTORY
from memoryhub.formats.text.javascript import trim
from memoryhub.formats.text.list_items import Item
from memoryhub.formats.text.source import newline_of, split_lines

__all__ = [
    "DECISIONS",
    "HISTORY",
    "added",
    "count_of",
    "dropped_by",
    "put_at",
    "removed",
    "source_of",
]


def count_of(document: TopicContext, section: str, text: str) -> int:
    """Return the number of entries of a list with this text."""
    return sum(item.text == trim(text) for item in _items(document, section))


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
    return index, _source(document, [item])


def dropped_by(document: TopicContext, section: str, count: int, limit: int) -> str:
    """Return the lines of the entries removed by the limit when `count` are added."""
    items = _items(document, section)
    size = max(0, len(items) + count - limit) if count else 0
    return _source(document, items[:size])


def put_at(
    document: TopicContext, section: str, index: int, source: str
) -> TopicContext:
    """Return a copy with the lines of entries restored before the one at `index`."""
    if not source:
        return document
    items = _items(document, section)
    if not items:
        text = source.rstrip("\r\n").lstrip().removeprefix("- ")
        place = topic_edits.Place(section, 0)
        return topic_context.parse(
            topic_edits.with_entries(document.text, place, [text], raw=True)
        )
    after = items[min(index, len(items)) - 1].lines.last
    if index == 0:
        after = items[0].lines.first - 1
    lines = split_lines(document.text)
    newline = newline_of(document.text)
    lines[:after] = [_ended(line, newline) for line in lines[:after]]
    lines.insert(after, _ended(source, newline))
    return topic_context.parse("".join(lines))


def _items(document: TopicContext, section: str) -> Sequence[Item]:
    return document.decisions if section == DECISIONS else document.history


def _newest(document: TopicContext, section: str, text: str) -> tuple[int, Item]:
    items = _items(document, section)
    for index in reversed(range(len(items))):
        if items[index].text == trim(text):
            return index, items[index]
    raise FormatError("item-not-there", text=text)


def _source(document: TopicContext, items: Sequence[Item]) -> str:
    lines = split_lines(document.text)
    newline = newline_of(document.text)
    return "".join(
        _ended(line, newline)
        for item in items
        for line in lines[item.lines.first - 1 : item.lines.last]
    )


def _ended(text: str, newline: str) -> str:
    return text if text.endswith("\n") else text + newline
