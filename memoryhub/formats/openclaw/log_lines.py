"""Recognise the lines of running text that begin an entry.

These are lines with a time, else list items and paragraphs; lists of work and of
decisions, and text above the notes, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from memoryhub.formats.openclaw.log_titles import role_of
from memoryhub.formats.text.dates import leading_time
from memoryhub.formats.text.growing import Growing
from memoryhub.prose.labels import list_kind_of as kind_of_label


class _Traits(NamedTuple):
    """Kind of a line in the first column, by its own characters.

    `marker` is the length of its list marker; `list_kind` and `inline_kind` are those
    of the lists that it heads, as a whole or by its label.
    """

    marker: int
    timed: bool
    list_kind: str
    inline_kind: str


class Line(NamedTuple):
    """A written line in the first column; `opens`: a blank or a list is above it."""

    start: int
    number: int
    text: str
    opens: bool
    traits: _Traits

    @property
    def body_start(self) -> int:
        return self.start + self.traits.marker

    @property
    def is_item(self) -> bool:
        return self.traits.marker > 0

    @property
    def timed(self) -> bool:
        return self.traits.timed


_MARKER = re.compile(
    r"(?:[-*+•–—·▪◦‣→]|\d{1,3}[.)、]|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)"
    r"[ \t]+(?=\S)"
    r"|\|[ \t]*(?=[*_`~\d(\[]{1,4}\d*[:：hH.])"
)
_BOLD = re.compile(r"(?:\*\*[^*\n]{2,80}\*\*|__[^_\n]{2,80}__)[:：]?")
#: A title at the head of its paragraph.
_RUN_IN = re.compile(
    r"\*\*[^*\n]{2,60}(?:[.:：。!?]\*\*|\*\*[.:：。]|\*\* [–—-])[ \t]*(?=\S)"
)
_BOX = re.compile(r"\[( |x|X)\][ \t]+")
_CATEGORY = re.compile(r"\[([^\]\n]{1,30})\][ \t]")
#: A key of the file before its notes: ``**Created:** 2026-05-03``, ``status: ok``.
_META = re.compile(
    r"(?:\*\*[^*\n]{2,30}\*\*[:：]|\*\*[^*\n]{2,30}[:：]\*\*|[a-z]{2,20}_[a-z_]{1,20}:"
    r"|[*_]?(?:agent|model|author|date|created|source|session(?:[ _]key)?|status|host"
    r"|mood|weather|agente|modelo|autor|fecha|data|datum|modell|auteur|modèle|агент"
    r"|модель|автор|дата|模型|代理|日期|创建时间|作成日|担当|모델|날짜|에이전트)[:：])"
    r"[ \t]*\S",
    re.IGNORECASE,
)
#: A line about the day as a whole, over its notes.
_DAY_REMARK = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|domingo|segunda"
    r"|terça|quarta|quinta|sexta|sábado|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|понедельник"
    r"|вторник|среда|четверг|пятница|суббота|воскресенье)(?=[ ]?[,–—-]|[ ]*\Z)",
    re.IGNORECASE,
)
_NOT_PROSE = ("|", "===", "<!--", "---", "***", "___", ">", "```", "~~~", "#", "![")
_LABEL_SIZE = 60
_GREETING = 40
_META_SIZE = 80
#: Fewer lines with a time among many without are items like the others.
TIMED = 2
#: Traits of the lines of logs, found again in their next versions; of most lines only
#: the beginning is asked for.
_TRAITS: Growing[_Traits] = Growing()
_BEGINNINGS: Growing[tuple[int, bool]] = Growing()


def holds_entries(
    text: str, start: int, end: int, number: int, fenced: frozenset[int]
) -> bool:
    """Return whether lines below a title are entries: several with a time or a kind."""
    timed = marked = 0
    parts = _BEGINNINGS.parts_of(text)
    for at, after, place, line in _written(text, start, end, number):
        if not line or line[0] in " \t" or place in fenced:
            continue
        marker, is_timed = parts.value((at, after), partial(_beginning_of, line))
        timed += is_timed
        marked += marker > 0 and _is_category(line[marker:])
        if TIMED in (timed, marked):
            return True
    return False


def _is_category(text: str) -> bool:
    return bool(_CATEGORY.match(text)) and not _BOX.match(text)


def is_aside(text: str) -> bool:
    """Return whether a paragraph among titled ones has no title, nor heads a list."""
    return not (is_titled(text) or _label_kind(text))


def is_titled(text: str) -> bool:
    """Return whether a paragraph begins with its title: ``**Boiler.** It …``."""
    return _RUN_IN.match(text) is not None


def lists_in_line(line: Line) -> bool:
    """Return whether a line has a label and a list of several items."""
    several = ";" in line.text or " / " in line.text or "、" in line.text
    return several and bool(line.traits.inline_kind)


def is_list_of_work(body: str) -> bool:
    """Return whether a text is nothing but a list of work, with its label or boxes."""
    lines = [line for line in body.split("\n") if line.strip()]
    if not lines:
        return False
    if _label_kind(lines[0]) != "open":
        return all(map(_is_box, lines))
    items = lines[1:]
    return bool(items) and all(_MARKER.match(one.lstrip()) for one in items)


def is_list(body: str) -> bool:
    """Return whether a text consists of list items only."""
    lines = [line.lstrip() for line in body.split("\n") if line.strip()]
    return bool(lines) and all(_MARKER.match(line) for line in lines)


def _is_box(line: str) -> bool:
    bare = line.lstrip()
    found = _MARKER.match(bare)
    return found is not None and _BOX.match(bare, found.end()) is not None


def lines_of(
    text: str,
    start: int,
    end: int,
    number: int,
    fenced: frozenset[int],
    *,
    blank: bool = True,
) -> Iterator[Line]:
    """Yield the written lines in the first column, outside of fences.

    `blank`: the line before the first one is blank, or there is none.
    """
    parts = _TRAITS.parts_of(text)
    for at, after, place, line in _written(text, start, end, number):
        if line and line[0] not in " \t" and place not in fenced:
            traits = parts.value((at, after), partial(_traits_of, line))
            opens = traits.marker > 0 or blank or traits.timed
            yield Line(at, place, line[traits.marker :], opens, traits)
        blank = not line


def _written(
    text: str, start: int, end: int, number: int
) -> Iterator[tuple[int, int, int, str]]:
    """Yield the start, end and number of each line, and its words."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        yield start, after, number, text[start:after].rstrip()
        start, number = after, number + 1


def _traits_of(line: str) -> _Traits:
    marker, timed = _beginning_of(line)
    words = line[marker:]
    return _traits(marker, timed, _label_kind(words), _inline_kind(words))


def _beginning_of(line: str) -> tuple[int, bool]:
    """Return the length of a line's list marker, and whether a time follows."""
    found = _MARKER.match(line)
    marker = found.end() if found else 0
    return marker, leading_time(line[marker:]) is not None


@lru_cache(maxsize=256)
def _traits(marker: int, timed: bool, list_kind: str, inline_kind: str) -> _Traits:
    """Return one object for all lines with the same traits, which are many."""
    return _Traits(marker, timed, list_kind, inline_kind)


def heads_a_list(text: str) -> bool:
    return text.endswith((":", "：")) or _BOLD.fullmatch(text) is not None


def begins(line: Line, *, started: bool) -> bool:
    """Return whether a list item or a paragraph reports something."""
    if not started and _DAY_REMARK.match(line.text):
        return False
    if line.is_item:
        category = _CATEGORY.match(line.text)
        if category and (not category[1].strip() or kind_of_label(category[1])):
            return False
        return line.traits.inline_kind != "open"
    if line.traits.inline_kind == "open" or line.text.startswith(_NOT_PROSE):
        return False
    label, colon, _ = line.text[:_GREETING].replace("：", ":").partition(":")
    if colon and role_of(label) == "part":
        return False
    return started or not _stands_over(line.text)


def _stands_over(text: str) -> bool:
    """Return whether a line is a key of the file or a greeting, before its notes."""
    if len(text) < _META_SIZE and _META.match(text):
        return True
    return len(text) < _GREETING and text.endswith((",", "，"))


def goes_on(text: str) -> bool:
    """Return whether a paragraph belongs to the text above: a table, a key."""
    is_key = len(text) < _META_SIZE and _META.match(text) is not None
    return is_key or text.startswith(_NOT_PROSE)


def _label_kind(text: str) -> str:
    """Return the kind of the list that a line heads as a whole."""
    if len(text) > _LABEL_SIZE or _inline_kind(text):
        return ""
    marker = _MARKER.match(text)
    return kind_of_label(text[marker.end() :] if marker else text)


def _inline_kind(text: str) -> str:
    """Return the kind that a label before the words of a line gives them."""
    label, colon, rest = text[:_LABEL_SIZE].replace("：", ":").partition(":")
    return kind_of_label(label) if colon and rest.strip(" *_") else ""
