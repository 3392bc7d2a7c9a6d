"""Open items that a text states: boxes, lists below labels, marked lines, rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import BULLET, LabelledList, Listed
from memoryhub.formats.statements.open_sentences import (
    done_lines,
    is_told_done,
    open_sentences,
)
from memoryhub.formats.statements.open_states import (
    WAITING_SIGNS,
    is_done,
    is_empty,
    is_measure,
)
from memoryhub.formats.statements.open_tables import open_rows
from memoryhub.formats.text.labels import kind_of_inline_label
from memoryhub.formats.text.sentences import LONGEST_LINE, bare_line

_DONE_MARKS = frozenset("xX✅✔☑✓❌-")
_CHECKBOX = re.compile(
    rf"\n[ \t]*+(?:{BULLET})\[([ xX!?~/>\-✅✔☑✓❌⏳⌛🔄🔲⬜🚧❓])?\ufe0f?\]"
    r"[ \t]+(\S[^\n]*)"
)
#: A tag before an item: ``- [todo] clear the barn``.
_TAGGED = re.compile(rf"\n[ \t]*+(?:{BULLET})\[([^\]\[\n]{{3,24}})\][ \t]+(\S[^\n]*)")
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
_SIGNS = (*WAITING_SIGNS, "❓", "TODO")
#: Where both stand in a line, it explains the signs.
_LEGEND = "✅"


class OpenItem(NamedTuple):
    """An open item; `mark` is the character in its checkbox, empty without one."""

    text: str
    done: bool
    mark: str
    lines: Lines


def find_open_items(
    text: str,
    lists: Iterable[LabelledList],
    skipped: frozenset[int],
    *,
    told: bool = True,
) -> tuple[OpenItem, ...]:
    """Return the open items of a text in file order.

    `lists` are those of `memoryhub.formats.statements.lists`. Items without content
    are dropped, and done ones too unless they have a checkbox. `told`: sentences that
    say of some work that it is open count, too.
    """
    lines, found, stated = text.split("\n"), dict[int, OpenItem](), list[OpenItem]()
    known = [*lists]
    settled = {
        item.lines.first for one in known if one.kind != "open" for item in one.items
    }
    others = chain(_tagged(text), _below_labels(known), _marked(lines))
    for item in chain(_checkboxes(text), others, open_rows(lines, skipped)):
        first = item.lines.first
        if first not in skipped and first not in found and not is_empty(item.text):
            done = item.mark in _DONE_MARKS or is_done(item.text)
            if item.mark or not (done or first in settled):
                found[first] = OpenItem(item.text, done, item.mark, item.lines)
    if told:
        taken = skipped | found.keys() | settled
        said = open_sentences(lines, [one.text for one in found.values()], taken)
        stated = [OpenItem(one.text, False, "", one.lines) for one in said]
    items = sorted([*found.values(), *stated], key=lambda one: one.lines)
    return tuple(_without_repeats(items, lines))


def _below_labels(lists: Sequence[LabelledList]) -> Iterator[Listed]:
    """Yield the items below labels, and those behind them but for counts and times."""
    for one in lists:
        for item in one.items if one.kind == "open" else ():
            if not (one.is_inline and is_measure(item.text)):
                yield item


def _checkboxes(text: str) -> Iterator[Listed]:
    return _boxes(text, _CHECKBOX)


def _tagged(text: str) -> Iterator[Listed]:
    for item in _boxes(text, _TAGGED):
        tag = item.mark.strip().casefold()
        if tag in _TAGS or kind_of_inline_label(tag) == "open":
            yield item._replace(mark="")


def _boxes(text: str, pattern: re.Pattern[str]) -> Iterator[Listed]:
    if "] " not in text and "]\t" not in text:
        return
    padded, line, counted = "\n" + text, 0, 0
    for found in pattern.finditer(padded):
        line += padded.count("\n", counted, found.start() + 1)
        counted = found.start() + 1
        yield Listed(found[2].strip(), found[1] or " ", Lines(line, line))


def _marked(lines: Sequence[str]) -> Iterator[Listed]:
    """Yield what stands behind a sign for waiting, or behind ``TODO``."""
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE or not any(sign in line for sign in _SIGNS):
            continue
        if line.lstrip()[:1] in ("|", "#") or _LEGEND in line:
            continue
        found = _MARKED.search(bare_line(line))
        if found:
            yield Listed(found[1].strip(), "", Lines(number, number))


def _without_repeats(
    items: Sequence[OpenItem], lines: Sequence[str]
) -> Iterator[OpenItem]:
    """Drop what stands in the text again, or is done further below."""
    done = {_key(one): one.lines.first for one in items if one.done}
    reports = done_lines(lines) if any(not one.mark for one in items) else ()
    seen = set[str]()
    for one in items:
        key = _key(one)
        if one.done:
            yield one
        elif key not in seen and one.lines.first > done.get(key, 0):
            seen.add(key)
            if one.mark or not is_told_done(one.text, one.lines.last, reports):
                yield one


def _key(one: OpenItem) -> str:
    return "".join(filter(str.isalnum, one.text.casefold()))
