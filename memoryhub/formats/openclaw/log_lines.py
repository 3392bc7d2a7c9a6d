"""Recognise the lines of running text that begin an entry.

These are lines with a time, else list items and paragraphs; lists of work and of
decisions, and text above the notes, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from memoryhub.formats.openclaw.log_titles import role_of
from memoryhub.formats.text.dates import leading_time
from memoryhub.formats.text.days import is_day_line
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.labels import kind_of_inline_label, kind_of_label

#: item, text: it begins an entry; "": it ends the one before, and begins none.
Start = Literal["item", "text", ""]


class Cut(NamedTuple):
    """An offset where an entry begins or ends, and where its words begin."""

    start: int
    body_start: int
    line: int
    kind: Start


class _Traits(NamedTuple):
    """Kind of a line in the first column, by its own characters.

    `marker` is the length of its list marker; `list_kind` and `inline_kind` are those
    of the lists that it heads, as a whole or by its label.
    """

    marker: int
    timed: bool
    list_kind: str
    inline_kind: str


class _Line(NamedTuple):
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
_RUN_INS = 3
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
_TIMED = 2
#: Traits of the lines of logs, found again in their next versions.
_TRAITS: Growing[_Traits] = Growing()


def cuts_of(
    text: str,
    start: int,
    end: int,
    number: int,
    fenced: frozenset[int],
    *,
    timed_only: bool,
) -> list[Cut]:
    """Return where entries begin and end in a stretch of lines, in order.

    With `timed_only`, and where most lines have a time, lines without one begin none.
    """
    lines = list(_lines(text, start, end, number, fenced))
    timed = sum(line.timed for line in lines)
    openings = sum(line.opens for line in _before_lists(lines))
    if timed >= _TIMED and (timed_only or timed * 2 >= openings):
        return _timed_cuts(lines)
    if timed_only:
        return _timed_cuts(lines) if timed else []
    return list(_text_cuts(lines))


def holds_entries(
    text: str, start: int, end: int, number: int, fenced: frozenset[int]
) -> bool:
    """Return whether lines below a title are entries: several with a time or a kind."""
    timed = marked = 0
    for line in _lines(text, start, end, number, fenced):
        timed += line.timed
        marked += line.is_item and _is_category(line.text)
        if _TIMED in (timed, marked):
            return True
    return False


def _is_category(text: str) -> bool:
    return bool(_CATEGORY.match(text)) and not _BOX.match(text)


def is_list_of_work(body: str) -> bool:
    """Return whether a text is nothing but a list of work, with its label or boxes."""
    lines = [line for line in body.split("\n") if line.strip()]
    if not lines:
        return False
    labelled = _label_kind(lines[0]) == "open"
    items = lines[1:] if labelled else lines
    if not items or not all(_MARKER.match(one.lstrip()) for one in items):
        return False
    return labelled or all(_is_box(one) for one in items)


def is_list(body: str) -> bool:
    """Return whether a text consists of list items only."""
    lines = [line.lstrip() for line in body.split("\n") if line.strip()]
    return bool(lines) and all(_MARKER.match(line) for line in lines)


def _is_box(line: str) -> bool:
    bare = line.lstrip()
    found = _MARKER.match(bare)
    return found is not None and _BOX.match(bare, found.end()) is not None


def _lines(
    text: str, start: int, end: int, number: int, fenced: frozenset[int]
) -> Iterator[_Line]:
    blank, parts = True, _TRAITS.parts_of(text)
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        line = text[start:after].rstrip()
        if not line:
            blank = True
        elif line[0] not in " \t" and number not in fenced:
            traits = parts.value((start, after), partial(_traits_of, line))
            opens = traits.marker > 0 or blank or traits.timed
            yield _Line(start, number, line[traits.marker :], opens, traits)
            blank = False
        else:
            blank = False
        start, number = after, number + 1


def _traits_of(line: str) -> _Traits:
    marker = _MARKER.match(line)
    at = marker.end() if marker else 0
    words = line[at:]
    timed = leading_time(words) is not None
    return _traits(at, timed, _label_kind(words), _inline_kind(words))


@lru_cache(maxsize=256)
def _traits(marker: int, timed: bool, list_kind: str, inline_kind: str) -> _Traits:
    """Return one object for all lines with the same traits, which are many."""
    return _Traits(marker, timed, list_kind, inline_kind)


def _before_lists(lines: list[_Line]) -> Iterator[_Line]:
    """Yield the lines up to the first list of work or of decisions."""
    for line in lines:
        if line.traits.list_kind or line.traits.inline_kind:
            return
        yield line


def _timed_cuts(lines: list[_Line]) -> list[Cut]:
    cuts: list[Cut] = []
    for line in lines:
        if line.timed:
            kind: Start = "item" if line.is_item else "text"
            cuts.append(Cut(line.start, line.body_start, line.number, kind))
        elif cuts and cuts[-1].kind and (line.traits.list_kind or _is_list(line)):
            cuts.append(Cut(line.start, line.body_start, line.number, ""))
    return cuts


def _is_list(line: _Line) -> bool:
    return line.is_item and bool(line.traits.inline_kind)


def _text_cuts(lines: list[_Line]) -> Iterator[Cut]:
    """Cut at list items and paragraphs."""
    if lines and not lines[0].is_item and is_day_line(lines[0].text):
        if _is_diary(lines[1:]):
            yield _cut(lines[0], "text")
            return
        yield _cut(lines[0], "")
        lines = lines[1:]
    in_list = head = started = False
    runs_in = _has_run_ins(lines)
    for line in lines:
        if runs_in and not line.is_item and _is_aside(line.text):
            continue
        if not line.opens or (line.is_item and head):
            # A list below "these three:" is what the paragraph says.
            head = head or line.text.endswith((":", "："))
            continue
        if in_list and line.is_item:
            continue
        in_list = bool(line.traits.list_kind)
        is_entry = not in_list and _begins(line, started=started)
        head = is_entry and not line.is_item and _heads_a_list(line.text)
        if not line.is_item and started and _goes_on(line.text):
            continue
        started = started or is_entry
        kind: Start = "item" if line.is_item else "text"
        yield _cut(line, kind if is_entry else "")


def _has_run_ins(lines: list[_Line]) -> bool:
    """Return whether most paragraphs begin with their title: ``**Boiler.** It …``."""
    opening = [line for line in lines if line.opens and not line.is_item]
    titled = sum(_RUN_IN.match(line.text) is not None for line in opening)
    return titled >= _RUN_INS and titled * 2 >= len(opening)


def _is_aside(text: str) -> bool:
    """Return whether a paragraph among titled ones has no title, nor heads a list."""
    return not (_RUN_IN.match(text) or _label_kind(text))


def _is_diary(lines: list[_Line]) -> bool:
    """Return whether paragraphs are one tale: none is a list, a label or timed."""
    return bool(lines) and not any(
        line.is_item or line.timed or line.traits.list_kind or _lists_in_line(line)
        for line in lines
    )


def _lists_in_line(line: _Line) -> bool:
    """Return whether a line has a label and a list of several items."""
    several = ";" in line.text or " / " in line.text or "、" in line.text
    return several and bool(line.traits.inline_kind)


def _cut(line: _Line, kind: Start) -> Cut:
    return Cut(line.start, line.body_start, line.number, kind)


def _heads_a_list(text: str) -> bool:
    return text.endswith((":", "：")) or _BOLD.fullmatch(text) is not None


def _begins(line: _Line, *, started: bool) -> bool:
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


def _goes_on(text: str) -> bool:
    """Return whether a paragraph belongs to the text above: a table, a key."""
    is_key = len(text) < _META_SIZE and _META.match(text) is not None
    return is_key or text.startswith(_NOT_PROSE)


def _label_kind(text: str) -> str:
    """Return the kind of the list that a line heads as a whole."""
    if len(text) > _LABEL_SIZE:
        return ""
    marker = _MARKER.match(text)
    return kind_of_label(text[marker.end() :] if marker else text)


def _inline_kind(text: str) -> str:
    """Return the kind that a label before the words of a line gives them."""
    label, colon, rest = text[:_LABEL_SIZE].replace("：", ":").partition(":")
    return kind_of_inline_label(label) if colon and rest.strip() else ""
