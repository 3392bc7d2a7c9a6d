"""Handoff notes: free Markdown from one session to the next.

``HANDOFF.md``, ``handoffs/*.md`` and the like. No program fixes their form: they are
read by labels such as From, Done, Next, Blockers, and are no tasks of the hub.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Document, Entry, dated, whole_lines
from memoryhub.dialects.handoff import find_results, find_tasks
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.source import fenced_lines, split_lines, split_sections
from memoryhub.prose.labels import kind_of_label, normalise, says_nothing
from memoryhub.prose.stated import OpenItem, Stated, doubts, find_stated
from memoryhub.prose.units import bare

NAME = "handoff_note"

Kind = Literal["", "done", "next", "blocked", "failed"]

_NAMED = re.compile(
    r"(?:^|[-_. ])(?:hand-?(?:offs?|overs?)|passation|übergabe|traspaso|передача|交接"
    r"|引き?継ぎ?|인수인계)(?:[-_. \d]|$)",
    re.IGNORECASE,
)
_FOLDERS = frozenset({"handoffs", "handoff", "handovers", "handover"})
#: Words in a name of a text about handoffs.
_ABOUT = re.compile(
    r"template|protocol|guide|readme|index|format|workflow|rules|skill|agent\b",
    re.IGNORECASE,
)
_HUB_LOG = re.compile(r"\n## Log[ \t\r]*\n\s{0,9}-[ \t]")
_FIELD = re.compile(
    r"[ \t]{0,8}(?:[-*|>][ \t]*)?[*_]{0,2}([^\W\d_][^\n:：|*]{0,24})"
    r"[*_]{0,2}[ \t]*[:：|][*_]{0,2}[ \t]*(\S[^\n|]*)"
)
_SIDES: dict[str, tuple[str, ...]] = {
    "from": (
        *("from", "from agent", "from_agent", "author", "written by", "handed over by"),
        *("outgoing agent", "outgoing", "agent", "session", "von", "de", "от", "来自"),
        *("交接人", "差出人", "担当", "보낸 사람", "da"),
    ),
    "to": (
        *("to", "to agent", "to_agent", "for", "next agent", "incoming agent"),
        *("recipient", "an", "für", "para", "pour", "кому", "для", "交给", "接手人"),
        *("宛先", "받는 사람", "a"),
    ),
    "date": (
        *("date", "created", "written", "updated", "last updated", "timestamp"),
        *("datum", "fecha", "data", "дата", "日期", "时间", "日付", "날짜"),
    ),
}
_BOTH = re.compile(
    r"(?:from[ \t]*+[:：]?[ \t]*+)?([^\n→]{1,60}?)[ \t]*+(?:→|->|=>)[ \t]*"
    r"(?:to[ \t]*[:：]?[ \t]*)?([^\n→]{1,60})",
    re.IGNORECASE,
)
_AGENT = re.compile(r"@?([\w][\w.@-]{0,39}(?: [\w.@-]{1,20}){0,2})")
#: What a title has before the name: ``Handoff scout → builder``.
_TITLE_WORD = re.compile(
    r"\A(?:hand-?(?:off|over)|passation|übergabe|traspaso|passagem|przekazanie|devir"
    r"|передача|交接|引き?継ぎ?|인수인계)[ :：—–-]*",
    re.IGNORECASE,
)
#: A day, a session or whoever comes next is nobody.
_NOBODY = re.compile(
    r"\A(?:\d[\d ./:-]*(?:[^\W\d]{3,10}\.?(?: \d{4})?)?\Z"
    r"|who(?:m|so)?ever|anyone|anybody|someone|next\b|the next)"
    r"|\b(?:session|sesión|sessão|sitzung|séance|сессия|tomorrow|yesterday|today)\b"
    r"|会话|會話|セッション|세션",
    re.IGNORECASE,
)
_HEAD_LINES, _DATED_LINES = 25, 10
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "failed",
        re.compile(
            r"failed|failures?|dead ends?|did(?:n['’]t| not) work|not work|don['’]t try"
            r"|do not try|tried and|gescheitert|nicht (?:ging|funktioniert)|sackgasse"
            r"|no funcionó|fallid|não funcionou|não deu|pas marché|échoué|не сработ"
            r"|не получ|失败|不行|行不通|うまくいかな|ダメだった|실패"
        ),
    ),
    (
        "blocked",
        re.compile(
            r"^(?:open |current |remaining |known )?block(?:ed|ers?|ing|iert|aden)\b"
            r"|bloque(?:o|os|ado|ios?)\b|bloqué|blocages?|блок|阻塞|卡点|卡住|障碍"
            r"|ブロッカー|ブロック|막힌|막힘"
        ),
    ),
    (
        "done",
        re.compile(
            r"^(?:what (?:was|is|got|i|we) )?(?:done|did|completed?|accomplish\w*"
            r"|finished|changed|shipped)\b|^what changed|^work (?:done|completed)"
            r"|^(?:erledigt|fertig|gemacht|hecho|completado|feito|concluído|fait"
            r"|terminé|сделано|готово|fatto)\b|已完成|完成|完了|やったこと|한 일|완료"
        ),
    ),
)
#: Labels that mean open work in a handoff alone.
_NEXT = re.compile(
    r"next\b.*|siguientes?|lo siguiente|próximo|weiter|als nächstes|à suivre|la suite"
    r"|далее|дальше|poi|dalej|sırada|接下来|之后|次|次は|다음"
)
_LABEL = re.compile(
    r"[ \t]{0,8}(?:[-*][ \t]+)?[*_]{0,2}([^\W_][^\n:：|*_]{1,50})"
    r"(?:[*_]{1,2}[:：]|[:：][*_]{0,2}|[*_]{2}$)[ \t]*([^\n]*)"
)
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+•]|\d{1,3}[.)、])[ \t]+(?:\[(.)\][ \t]+)?(\S.*)")
_MARKS = ("|", "<!--", "---", "***", "```", "~~~", ">")
_LEAST_KINDS = 2


class NoteItem(NamedTuple):
    """A line under a label of a note, with its kind."""

    kind: Kind
    text: str
    is_checked: bool
    lines: Lines


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether name or folder is that of a note, and the text not the hub's.

    In a folder where the hub keeps its own handoffs, two labels have to be there.
    """
    if path.suffix.casefold() not in (".md", ".markdown") or _ABOUT.search(path.stem):
        return False
    if not is_in_folder(path) and not _NAMED.search(path.stem):
        return False
    if not text.strip() or _is_of_the_hub(text):
        return False
    if path.parts[-3:-1] != ("memory", "handoffs"):
        return True
    return len({item.kind for item in items_in(text)}) >= _LEAST_KINDS


def is_in_folder(path: PurePosixPath) -> bool:
    """Return whether a path lies in a folder of handoffs."""
    return path.parent.name.casefold() in _FOLDERS


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the note of any text with its sender; it never fails."""
    fields, items = _fields(text), [*items_in(text)]
    title = first_heading(split_sections(text))
    sender, recipient = _sides(title, fields)
    said = " · ".join(_told(items)) or first_paragraph(text)[0]
    at, lines = dated(_day(text, fields), path), whole_lines(text)
    heading = _heading(title, sender, recipient)
    return Document(
        text,
        title,
        stated=_with_items(text, items, _field_lines(text)),
        parts=(Entry(heading, said, lines, at, kind=""),),
        time=dated(None, path),
        authors=(sender, ""),
        names_people=True,
    )


def _is_of_the_hub(text: str) -> bool:
    return bool(_HUB_LOG.search("\n" + text) or find_tasks(text) or find_results(text))


def _heading(title: str, sender: str, recipient: str) -> str:
    """Return the title, with both sides where they are known and not in it."""
    sides = " → ".join(filter(None, (sender, recipient)))
    if not recipient or recipient in title:
        return title or sides or "Handoff"
    return f"{title}: {sides}" if title else sides


def _fields(text: str) -> dict[str, str]:
    """Return sender, recipient and date of front matter or of the first lines."""
    matter = frontmatter.split(text)
    found = {field.key.casefold(): field.value for field in matter.fields}
    fenced = fenced_lines(text)
    for number, line in enumerate(split_lines(text[:8_000])[:_HEAD_LINES], 1):
        said = _FIELD.match(line)
        if said and number not in fenced:
            found.setdefault(said[1].strip(" *_").casefold(), said[2].strip(" *_\r"))
    known = (
        (side, next((found[word] for word in words if found.get(word)), ""))
        for side, words in _SIDES.items()
    )
    return dict(known)


def _field_lines(text: str) -> frozenset[int]:
    """Return the first lines that name a side or the day: nothing of them is work."""
    fields = frozenset(chain.from_iterable(_SIDES.values()))
    head = enumerate(split_lines(text[:8_000])[:_HEAD_LINES], 1)
    said = ((number, _FIELD.match(line)) for number, line in head)
    return frozenset(
        number
        for number, field in said
        if field and field[1].strip(" *_").casefold() in fields
    )


def _sides(title: str, fields: dict[str, str]) -> tuple[str, str]:
    """Return sender and recipient; empty where the note names none."""
    both = _BOTH.search(fields["from"][:200]) or (
        None if fields["from"] else _BOTH.fullmatch(title.rpartition(": ")[2])
    )
    sender, recipient = (both[1], both[2]) if both else (fields["from"], fields["to"])
    return _agent(sender), _agent(recipient)


def _agent(said: str) -> str:
    """Return the name in a field; empty for a sentence or a placeholder."""
    name = bare(re.split(r"[(（,;·]|\*\*", said, maxsplit=1)[0].strip())
    name = _TITLE_WORD.sub("", name.strip())
    found = _AGENT.fullmatch(name)
    is_named = found and not says_nothing(name) and not _NOBODY.search(name)
    return found[1] if found and is_named else ""


def _day(text: str, fields: dict[str, str]) -> datetime.date | None:
    said = (fields["date"], *split_lines(text[:2_000])[:_DATED_LINES])
    return next(filter(None, map(day_in, said)), None)


def _kind_of(label: str) -> Kind:
    """Return the kind of a label's lines; empty for any other text."""
    name = normalise(label)
    if not name:
        return ""
    kind: Kind = next((kind for kind, words in _KINDS if words.search(name)), "")
    if kind == "" and (kind_of_label(label) == "open" or _NEXT.fullmatch(name)):
        return "next"
    return kind


def items_in(text: str) -> Iterator[NoteItem]:
    """Yield the items under known labels; the first prose line ends a list."""
    outside = fenced_lines(text) | _field_lines(text)
    kind: Kind = ""
    is_listed = False
    for number, line in enumerate(split_lines(text), 1):
        content = line.strip()
        if number in outside or not content:
            continue
        if content.startswith("#"):
            kind, is_listed = _kind_of(content.lstrip("# ")), False
            continue
        label, item = _LABEL.match(line.rstrip()), _ITEM.match(content)
        if label and (named := _kind_of(label[1])):
            kind, content, is_listed = named, label[2].strip(" *_"), False
            item = _ITEM.match(content)
        elif not item and is_listed and line[0] not in " \t":
            kind = ""
        is_listed = is_listed or bool(item)
        said = item[2].strip() if item else content
        is_text = not content.startswith(_MARKS) and not says_nothing(said)
        if kind and is_text:
            checked = bool(item and item[1] and item[1] in "xX✅✓")
            yield NoteItem(kind, bare(said), checked, Lines(number, number))


def _told(items: Sequence[NoteItem]) -> Iterator[str]:
    """Yield the first lines of done, next, blocked and failed work."""
    kinds: tuple[Kind, ...] = ("done", "next", "blocked", "failed")
    for kind in kinds:
        if first := next((item.text for item in items if item.kind == kind), ""):
            yield first


def _with_items(text: str, items: Sequence[NoteItem], fields: frozenset[int]) -> Stated:
    """Return the statements of a note: blockers are open, failures no decisions.

    What is next is open, too, if its label means that in handoffs alone. The model may
    doubt both: below such a label some tell only how things are.
    """
    stated = find_stated(text)
    failed = {item.lines.first for item in items if item.kind == "failed"}
    decided = (one for one in stated.decisions if one.lines.first not in failed)
    found = (item for item in stated.open_items if item.lines.first not in fields)
    known = {item.lines.first: item for item in found}
    nexts = {item.lines.first for item in items if item.kind == "next"}
    is_open = ("blocked",) if nexts & set(known) else ("blocked", "next")
    more = [i for i in items if i.kind in is_open and i.lines.first not in known]
    judged = doubts(text, ((item.lines, True) for item in more), "open")
    for item, (sure, why) in zip(more, judged, strict=True):
        if sure:
            row = OpenItem(item.text, item.is_checked, "", item.lines, "", sure, why)
            known[item.lines.first] = row
    return stated._replace(
        decisions=tuple(decided),
        open_items=tuple(row for _, row in sorted(known.items())),
    )


DIALECT = Dialect(
    title=gettext_noop("Handoff notes"),
    kind=gettext_noop("handoff note"),
    order=130,
    in_place=is_in_folder,
    in_rows=always,
)
