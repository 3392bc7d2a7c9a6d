"""Open items that a text states: boxes, lists below labels, marked lines, rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.item_words import Items
from memoryhub.formats.statements.label_lines import BULLET
from memoryhub.formats.statements.lists import LabelledList, Listed
from memoryhub.formats.statements.open_sentences import open_sentences
from memoryhub.formats.statements.open_states import WAITING_SIGNS, is_measure
from memoryhub.formats.statements.open_tables import open_rows
from memoryhub.formats.statements.prose import SUGGESTED, Prose
from memoryhub.formats.statements.reports import reports_on
from memoryhub.formats.statements.tables import RULES
from memoryhub.formats.text.growing import LineSearch
from memoryhub.formats.text.labels import kind_of_inline_label
from memoryhub.formats.text.list_items import Item, Labelled, without_checkbox
from memoryhub.formats.text.sentences import LONGEST_LINE, bare_line
from memoryhub.formats.text.source import fenced_lines
from memoryhub.formats.text.stems import lines_with

_DONE_MARKS = frozenset("xX✅✔☑✓❌-")
_DONE_TAGS = frozenset({"done", "ok", "erl", "fait", "feito", "完成"})
_CHECKBOX = re.compile(
    rf"[ \t]*+(?:{BULLET})\[([ xX!?~/>\-✅✔☑✓❌⏳⌛🔄🔲⬜🚧❓])?\ufe0f?\]"
    r"[ \t]+(\S[^\n]*)"
)
#: What both have in common: an item whose first words are in brackets.
_BOX = re.compile(rf"\n[ \t]*+(?:{BULLET})\[[^\]\[\n]{{0,24}}\][ \t]+\S")
#: A tag before an item: ``- [todo] clear the barn``.
_TAGGED = re.compile(rf"[ \t]*+(?:{BULLET})\[([^\]\[\n]{{3,24}})\][ \t]+(\S[^\n]*)")
_TAG_WORDS = (
    "question questions task action follow-up followup blocked blocker waiting wip"
    " pregunta tarea pergunta tarefa dúvida frage aufgabe question tâche domanda"
    " вопрос задача 问题 任务 質問 課題 질문 과제"
)
_TAGS = frozenset(_TAG_WORDS.split())
#: A sign or word of open work, at the start of a line or behind a sentence.
_MARKED = re.compile(
    rf"(?:(?:\A|[.!?。！？:：)）][ \t]*)[{WAITING_SIGNS}❓]\ufe0f?"
    r"|(?:\A|[.!?。] )TODO\b:?)"
    r"[ \t]*(?!(?:markers?|comments?|lists?|files?)\b)(\S.*)"
)
_SPEAKER = re.compile(r"[*_]{0,2}(?:user|assistant|human|agent|system)[*_]{0,2}:[ \t]*")
_BETWEEN = re.compile(r"[;；][ \t]*|[ \t]/[ \t]")
_LEAST_PART = 3
_DONE_LABEL = re.compile(
    r"[.;。；][ \t]*(?:done|erledigt|fertig|hecho|feito|fait|fatto|gedaan|сделано"
    r"|готово"
    r"|zrobione|已完成|完了|완료)[:：]",
    re.IGNORECASE,
)
_SIGNS = (*WAITING_SIGNS, "❓", "TODO")
#: Where both stand in a line, it explains the signs.
_LEGEND = "✅"


#: Lines with a sign of open work.
_SIGNED = LineSearch(partial(lines_with, _SIGNS))


class OpenItem(NamedTuple):
    """An open item; `mark` is the character in its checkbox, empty without one.

    `agent`: to whom it is assigned, empty if it is whose file it is in.
    """

    text: str
    done: bool
    mark: str
    lines: Lines
    agent: str = ""
    confidence: float = 1.0
    why: str = ""


def find_open_items(
    prose: Prose,
    lists: Iterable[LabelledList],
    *,
    sentences: bool = True,
    loose: bool = False,
) -> tuple[OpenItem, ...]:
    """Return the open items of a text in file order.

    `lists` are those of `memoryhub.formats.statements.lists`. Items without content
    are dropped, and done ones too unless they have a checkbox. `sentences`: those that
    name open work count, too; `loose`: so do those that plan or oblige.
    """
    known = [*lists]
    settled = _lines_of(
        item for one in known if one.kind != "open" for item in one.items
    )
    items, found = Items(prose.text), list[OpenItem]()
    judged = set(prose.skipped)
    for group in _groups(prose, known):
        if judged.isdisjoint(first := {item.lines.first for item in group}):
            judged |= first
            found += (one for item in group if (one := _judged(item, settled, items)))
    if sentences:
        read = [items.read(one.text) for one in found]
        said = open_sentences(prose, read, settled | judged, loose=loose)
        found += _open(said, items)
    in_order = sorted(found, key=lambda one: one.lines)
    return tuple(_without_repeats(in_order, prose, items))


def listed_items(listed: Iterable[Item | Labelled]) -> Iterator[OpenItem]:
    """Yield those of a list of open work that are open, or have a ticked box."""
    items = Items("")
    for one in listed:
        mark, text = without_checkbox(" ".join(one.text.split()))
        if found := _judged(Listed(text, mark, one.lines), frozenset(), items):
            yield found


def boxes_in(text: str, within: Lines) -> Iterator[OpenItem]:
    """Yield the checkboxes in some lines of a text, outside code."""
    prose, items = Prose(text, fenced_lines(text)), Items("")
    for one in _boxes(prose, _CHECKBOX):
        line = one.lines.first
        if line in prose.skipped or not within.first <= line <= within.last:
            continue
        if found := _judged(one, frozenset(), items):
            yield found


def find_open_sentences(text: str, skipped: frozenset[int]) -> tuple[OpenItem, ...]:
    """Return the open items in the sentences of a conversation."""
    lines = [_SPEAKER.sub("", line, count=1) for line in text.split("\n")]
    prose = Prose("\n".join(lines), skipped)
    items, said = Items(prose.text), open_sentences(prose, (), skipped, loose=False)
    return tuple(_without_repeats([*_open(said, items)], prose, items))


def _open(listed: Iterable[Listed], items: Items) -> Iterator[OpenItem]:
    for item in listed:
        read = items.read(item.text)
        if not read.is_empty and not read.is_done:
            yield OpenItem(item.text, False, "", item.lines, "", SUGGESTED)


def _lines_of(items: Iterable[Listed]) -> frozenset[int]:
    return frozenset(item.lines.first for item in items)


def _judged(item: Listed, settled: frozenset[int], items: Items) -> OpenItem | None:
    """Return an item that is open, or that has a ticked box."""
    read = items.read(item.text)
    if read.is_empty:
        return None
    mark = item.mark.strip().casefold()
    done = mark in _DONE_MARKS or mark in _DONE_TAGS or read.is_done
    if not item.mark and (done or item.lines.first in settled):
        return None
    return OpenItem(item.text, done, item.mark, item.lines)


def _groups(prose: Prose, lists: Sequence[LabelledList]) -> Iterator[list[Listed]]:
    """Yield the items of a line together; the first that names a line counts."""
    singles = chain(_boxes(prose, _CHECKBOX), _tagged(prose))
    yield from ([item] for item in singles)
    for one in lists:
        for item in one.items if one.kind == "open" else ():
            yield _parts(item) if one.is_inline else [item]
    rows = open_rows(prose.lines, RULES.lines_of(prose.text))
    yield from ([item] for item in chain(_marked(prose), rows))


def _parts(item: Listed) -> list[Listed]:
    """Return the items behind a label: several between semicolons or slashes.

    A count or a time is none; nor is what stands behind a label for done.
    """
    text = _DONE_LABEL.split(item.text, maxsplit=1)[0]
    parts = [part.strip(" .。") for part in _BETWEEN.split(text)]
    if len(parts) < 2 or min(map(len, parts)) < _LEAST_PART:
        parts = [text]
    kept = ("" if is_measure(part) else part for part in parts)
    return [item._replace(text=part) for part in kept]


def _tagged(prose: Prose) -> Iterator[Listed]:
    for item in _boxes(prose, _TAGGED):
        tag = item.mark.strip().casefold()
        if tag in _TAGS or kind_of_inline_label(tag) == "open":
            yield item._replace(mark="")


def _boxes(prose: Prose, pattern: re.Pattern[str]) -> Iterator[Listed]:
    for line in _BOXED.lines_of(prose.text):
        if found := pattern.match(prose.lines[line - 1]):
            yield Listed(found[2].strip(), found[1] or " ", Lines(line, line))


def _boxed_in(lines: str) -> Iterator[int]:
    """Yield the numbers of the lines with a box or a tag."""
    if "] " not in lines and "]\t" not in lines:
        return
    padded, number, counted = "\n" + lines, 0, 0
    for found in _BOX.finditer(padded):
        number += padded.count("\n", counted, found.start() + 1)
        counted = found.start() + 1
        yield number


#: Lines with a box or a tag.
_BOXED = LineSearch(_boxed_in)


def _marked(prose: Prose) -> Iterator[Listed]:
    """Yield the texts behind a waiting sign or ``TODO``."""
    for number in _SIGNED.lines_of(prose.text):
        line = prose.lines[number - 1]
        if len(line) > LONGEST_LINE or _LEGEND in line:
            continue
        if line.lstrip()[:1] in ("|", "#"):
            continue
        found = _MARKED.search(bare_line(line))
        if found:
            yield Listed(found[1].strip(), "", Lines(number, number))


def _without_repeats(
    found: Sequence[OpenItem], prose: Prose, items: Items
) -> Iterator[OpenItem]:
    """Drop repeated items, and those reported as done further below."""
    read = [(one, items.read(one.text)) for one in found]
    done = {own.key: one.lines.first for one, own in read if one.done}
    reports = reports_on(prose, (own.words for one, own in read if not one.mark))
    seen = set[str]()
    for one, own in read:
        if one.done:
            yield one
        elif own.key not in seen and one.lines.first > done.get(own.key, 0):
            seen.add(own.key)
            if one.mark or not reports.is_done(own.words, one.lines.last):
                yield one
