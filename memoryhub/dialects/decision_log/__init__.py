"""Logs of decisions: a heading, a table row or a dated line for each.

No system defines the form; agents write architecture records, tables, dated bullets
and Roo's ``[timestamp] - text`` lines, often several of them in one file.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Literal

from memoryhub.dialects import facts
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import DecisionText as DecisionText
from memoryhub.dialects.facts import Document, open_without_stamps
from memoryhub.formats.base import NO_PATH, NOWHERE, FormatError, Lines
from memoryhub.formats.text.dates import parse_date, split_dated
from memoryhub.formats.text.days import leading_day
from memoryhub.formats.text.line_edits import append_lines, one_line
from memoryhub.formats.text.list_items import section_bullets, split_at_dash
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    sections_below,
    split_lines,
    split_sections,
)
from memoryhub.prose.labels import kind_of_label, says_nothing
from memoryhub.prose.stated import Stated, decides, doubts

_SUPERSEDES = "supersedes "
_SIGNED_OFF = "signed off by "
_REJECTED = "rejected:"
#: What separates a reason from its decision, as in snapshots.
_RATIONALE = " -- "
_BLANKS = re.compile(r"\s+")
_MARKS = str.maketrans("", "", "*_`")


def settled(
    decisions: Iterable[DecisionText], lapsed: Mapping[str, str] | None = None
) -> tuple[DecisionText, ...]:
    """Return the decisions with `lapsed` set where others rejected or superseded them.

    `lapsed` adds outcomes from other places, by `normalise`d texts.
    """
    held = tuple(decisions)
    became = dict(lapsed or {}) | outcomes(held)
    states = [became.get(normalise(one.text), "") for one in held]
    return tuple(
        one if one.rejected else replace(one, lapsed=state)
        for one, state in zip(held, states, strict=True)
    )


def outcomes(decisions: Iterable[DecisionText]) -> dict[str, str]:
    """Return the outcomes of decisions by later lines, by `normalise`d texts."""
    found: dict[str, str] = {}
    for one in decisions:
        if one.supersedes and normalise(one.supersedes) != normalise(one.text):
            found[normalise(one.supersedes)] = "superseded"
        if one.rejected:
            found[normalise(one.text)] = "rejected"
    return found


def parse_decision(text: str) -> DecisionText:
    """Parse a line ``YYYY-MM-DD: Decision (reason; ...)``.

    The other parts are ``supersedes YYYY-MM-DD: old`` and ``signed off by NAME
    YYYY-MM-DD``, in any order. A rationale after a dash is a reason too. A colon does
    not separate: ``API: keep REST`` is one decision.
    """
    date, body = split_dated(text.strip().removeprefix("- ").strip())
    rejected = body[: len(_REJECTED)].casefold() == _REJECTED
    if rejected:
        body = body[len(_REJECTED) :].strip()
    body, inner = _split_parentheses(body)
    details = _details(inner)
    decision, rationale = split_at_dash(body)
    reason = _joined_reason(rationale, inner, details) if rationale else details.reason
    return DecisionText(
        date,
        decision,
        reason,
        details.supersedes,
        details.signed_off_by,
        details.signed_off_on,
        rejected,
    )


def _joined_reason(rationale: str, inner: str, details: DecisionText) -> str:
    if not details.reason:
        return rationale
    if details.supersedes or details.signed_off_by:
        return f"{rationale}; {details.reason}"
    return f"{rationale} ({inner})"


def _split_parentheses(text: str) -> tuple[str, str]:
    """Split ``decision (parts)`` in two; the parentheses have to balance."""
    if not text.endswith(")"):
        return text, ""
    depth = 0
    for found in reversed(list(re.finditer(r"[()]", text))):
        depth += 1 if found[0] == ")" else -1
        if not depth:
            start = found.start()
            head = text[:start].rstrip()
            inner = text[start + 1 : -1].strip()
            whole = bool(head and inner and text[start - 1].isspace())
            return (head, inner) if whole else (text, "")
    return text, ""


def _details(inner: str) -> DecisionText:
    found = DecisionText(None, "")
    if not inner:
        return found
    reasons: list[str] = []
    for part in _parts(inner):
        low = part.casefold()
        if low.startswith(_SUPERSEDES):
            found = replace(found, supersedes=part[len(_SUPERSEDES) :].strip())
        elif low.startswith(_SIGNED_OFF):
            found = _with_sign_off(found, part[len(_SIGNED_OFF) :].strip())
        elif reasons and found.supersedes and not found.signed_off_by:
            # The written order is reason, supersedes: this is the old text's own ";".
            found = replace(found, supersedes=f"{found.supersedes}; {part}")
        else:
            reasons.append(part)
    return replace(found, reason="; ".join(reasons))


def _parts(inner: str) -> list[str]:
    """Split at semicolons outside inner parentheses."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(r"[();]", inner):
        if found[0] != ";":
            depth += 1 if found[0] == "(" else -1
        elif depth <= 0:
            parts.append(inner[start : found.start()].strip())
            start = found.end()
    parts.append(inner[start:].strip())
    return [part for part in parts if part]


def _with_sign_off(decision: DecisionText, text: str) -> DecisionText:
    name, _, last = text.rpartition(" ")
    day = parse_date(last)
    if day is None or not name:
        return replace(decision, signed_off_by=text)
    return replace(decision, signed_off_by=name.rstrip(), signed_off_on=day)


def render_decision(decision: DecisionText) -> str:
    """Return the line of a decision, without the list mark."""
    day = f"{decision.date.isoformat()}: " if decision.date else ""
    rejected = "Rejected: " if decision.rejected else ""
    inner = "; ".join(_rendered_parts(decision))
    return f"{day}{rejected}{decision.text}" + (f" ({inner})" if inner else "")


def with_sign_off(line: str, name: str, day: datetime.date) -> str:
    """Return a decision's line with a sign-off added; the rest is unchanged.

    Raises `FormatError` ``sign-off-no-place`` where the result would parse otherwise.
    """
    body, part = line.rstrip(), f"{_SIGNED_OFF}{name} {day.isoformat()}"
    inner = _split_parentheses(body)[1]
    signed = f"{body[:-1]}; {part})" if inner else f"{body} ({part})"
    before, after = parse_decision(body), parse_decision(signed)
    wanted = replace(before, signed_off_by=name, signed_off_on=day)
    if before.signed_off_by or after != wanted:
        raise FormatError("sign-off-no-place")
    return signed


def _rendered_parts(decision: DecisionText) -> list[str]:
    is_said = decision.text.endswith(f"({decision.reason})")
    parts = [decision.reason] if decision.reason and not is_said else []
    if decision.supersedes:
        parts.append(f"{_SUPERSEDES}{decision.supersedes}")
    if decision.signed_off_by:
        day = decision.signed_off_on
        when = f" {day.isoformat()}" if day else ""
        parts.append(f"{_SIGNED_OFF}{decision.signed_off_by}{when}")
    return parts


@lru_cache(maxsize=4096)
def said_in_prose(stated: str, reason: str) -> DecisionText:
    """Return a decision of prose: its whole text, where only words give a reason.

    A sign-off, a rejection and a superseded decision count as in other files, and so
    does a whole phrase in brackets at the end: a word or two there are a remark.
    Cached: a file that changed states again what it did before.
    """
    said = parse_decision(stated)
    if said.supersedes or said.signed_off_by or said.rejected:
        return said
    if not reason and _RATIONALE in stated:
        return said
    text = split_dated(stated)[1]
    is_named = any(map(str.isalpha, said.text))
    if not reason and is_named and _is_phrase(said.reason):
        return replace(said, text=text)
    return replace(said, text=text, reason=reason)


def chosen(text: str, reason: str) -> DecisionText:
    """Return the decision of a text, with the given reason if it states none."""
    said = parse_decision(text)
    return said if said.reason else replace(said, reason=reason)


def _is_phrase(text: str) -> bool:
    """Return whether a text has four words, or six characters without spaces."""
    return len(text.split()) >= 4 or (not text.isascii() and len(text) >= 6)


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Return the comparison key of a decision: equal for its different spellings.

    Day, reason, Markdown marks, case, width and trailing punctuation are removed.
    A rejection has the key of the rejected decision.
    """
    plain = unicodedata.normalize("NFKC", parse_decision(text).text).casefold()
    return _trimmed(_BLANKS.sub(" ", plain.translate(_MARKS)).strip())


def _trimmed(text: str) -> str:
    end = len(text)
    while end and unicodedata.category(text[end - 1])[0] in "PZ":
        end -= 1
    return text[:end] or text


_FIELD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:(\*\*|__)([^*_:：\n]{1,40})(?:[:：]\1|\1[ \t]*[:：])"
    r"|([^\W\d][^*_:：|\n]{0,30})[:：](?=[ \t\r\n]))[ \t]*([^\n]*)"
)
BULLET = re.compile(r"[-*+•][ \t]+(?=\S)")

#: The names in use, by the common name of the part.
_PARTS = {
    "context": (
        "context|background|problem|背景|contexte|contexto|contesto|kontext|kontekst"
        "|контекст|문맥|배경|経緯|hintergrund|problème|problema"
    ),
    "decision": (
        "decision|decided|what|choice|决策|決定|决定|결정|entscheidung|beschluss"
        "|décision|decisión|decisão|decisione|besluit|решение|决策内容|choix|elección"
        "|escolha|scelta|keuze|wahl|wybór|decyzja|выбор|chosen|outcome|resolution|选择"
        "|選択|結論|선택|ergebnis|beslut|acord"
    ),
    "reason": (
        "rationale|reason|reasoning|why|because|原因|理由|warum|grund|begründung"
        "|pourquoi|raison|raisons|gründe|razones|razões|motivi|redenen|powody|powód"
        "|причины"
        "|uzasadnienie|обоснование|por qué|motivo|razón|por quê|porquê|perché|waarom"
        "|reden"
        "|почему|причина|이유"
    ),
    "consequences": "consequences|consequence|impact|implications",
    "alternatives": "alternatives|alternatives considered|options",
    "status": "status|状态|状態|statut|estado|stato|статус|ステータス|상태|stand",
    "date": "date|日期|when|datum|fecha|дата|日付|날짜",
    "supersedes": "supersedes|replaces",
    "superseded by": "superseded by",
    "deciders": "deciders|decided by|owner|by",
}
#: Names that are too common to name anything but a column.
_COLUMNS = {
    "decision": "was|quoi|qué|o quê|cosa|wat|что|内容",
    "date": "data",
    "deciders": "wer|qui|quién|quem|chi|wie|кто|谁|who",
}


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    return {name: part for part, used in names.items() for name in used.split("|")}


_STRUCK = re.compile(r"~~[^~\n]{0,200}~~")
#: Words of a status, by what they mean.
STATUSES = re.compile(
    r"(?P<superseded>superseded|deprecated|replaced|obsolete|retired|abgelöst|ersetzt"
    r"|veraltet|substituíd|reemplazad|obsolet|remplac|замен|устар|废弃|取代|廃止)"
    r"|(?P<rejected>reject|declined|abandoned|withdrawn|abgelehnt|verworfen|rejeitad"
    r"|rechazad|rejet|отклон|拒绝|否决|却下)"
    r"|(?P<proposed>propos|draft|pending|in review|under review|rfc|vorgeschlagen"
    r"|entwurf|propuest|borrador|rascunho|предлож|черновик|提议|草案|提案)"
    r"|(?P<accepted>accept|approved|adopted|decided|agreed|implemented|angenommen"
    r"|akzeptiert|beschlossen|aceit|aceptad|принят|接受|采纳|通过|採用|承認)",
    re.IGNORECASE,
)
Status = Literal["", "accepted", "proposed", "rejected", "superseded"]
#: Common names of parts, and of columns, by the names in use.
PART_NAMES = _by_name(_PARTS)
COLUMN_NAMES = _by_name(_COLUMNS) | PART_NAMES
#: The parts of a decision record, by their common names, in file order.
Fields = tuple[tuple[str, str], ...]


def read_fields(sections: Sequence[Section], fenced: frozenset[int]) -> Fields:
    """Return the parts of a record: bold names, plain names, and headings below it."""
    found: list[tuple[str, list[str]]] = []
    for place, section in enumerate(sections):
        title = part_name(section.title)
        if place and title:
            found.append((title, []))
        open_part = bool(place and title)
        for number, line in enumerate(split_lines(section.body), section.body_line):
            part = None if number in fenced else part_in(line)
            if part:
                found.append((part[0], [part[1]]))
                open_part = True
            elif open_part:
                found[-1][1].append(line.strip())
                open_part = bool(line.strip()) or bool(place and title)
    pairs = ((name, _joined(lines)) for name, lines in found)
    return tuple((name, value) for name, value in pairs if value)


def _joined(lines: Sequence[str]) -> str:
    """Return the text of a part in one line, its bullets parted by semicolons."""
    said = ""
    for line in filter(None, lines):
        bullet = BULLET.match(line)
        gap = "; " if bullet and said else " " if said else ""
        said += gap + (line[bullet.end() :] if bullet else line)
    return said


def part_name(title: str) -> str:
    """Return the common name of a part such as ``Context``; empty for other titles."""
    return PART_NAMES.get(title.strip(" *:：").casefold(), "")


def part_in(line: str) -> tuple[str, str] | None:
    found = _FIELD.match(line)
    if not found:
        return None
    name = PART_NAMES.get((found[2] or found[3]).strip().casefold(), "")
    return (name, found[4].strip()) if name else None


def status_of(status: str) -> Status:
    """Return the first known word of a record's status, in any language, or ""."""
    found = STATUSES.search(_STRUCK.sub("", status))
    match found.lastgroup if found else "":
        case "accepted" | "proposed" | "rejected" | "superseded" as state:
            return state
    return ""


_RULE_MARKS = "|:- \t"

NAME = "decision_log"
#: context-memory-optimizer's log of a workspace.
PATH = "memories/decisions.md"

_TITLE = "# Decisions\n"
_LIST_TITLE = "Decisions"
_DATED_NAME = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_CLOCK = r"(?:[T ][0-9]{2}:[0-9:.]{2,12}Z?)?"
_DAY = re.compile(rf"[(\[]?\b([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\b{_CLOCK}[)\]]?")
_RECORD = re.compile(
    r"(?:(?:ADR|Decision|D)[- #]?[0-9]{1,5}|Decision|决策|決定)"
    r"[ \t]*[:.：—–-][ \t]*(?=\S)"
)
_DATED = re.compile(
    rf"[*_`\[(]{{0,4}}([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\b{_CLOCK}[\])`*_:：]{{0,6}}"
    r"[ \t]*(?:(?:--?|[:：—–|])[ \t]*)?(\S.*)"
)
_BRACKETED = re.compile(r"\([^()]*\)")
_SEPARATORS = " \t:：-–—|.,"


def _table_rows(
    section: Section, fenced: frozenset[int]
) -> Iterator[tuple[Fields, Lines]]:
    """Yield the rows of a section's tables that have a column of decisions."""
    header: list[str] = []
    lines = split_lines(section.body)
    for number, line in enumerate(lines, section.body_line):
        content = line.strip()
        if not content.startswith("|") or number in fenced:
            header = []
        elif not header:
            header = [COLUMN_NAMES.get(cell.casefold(), "") for cell in _cells(content)]
            header = header if "decision" in header else ["other"]
        elif "decision" in header and content.strip(_RULE_MARKS):
            pairs = zip(header, _cells(content), strict=False)
            fields = tuple((name, cell) for name, cell in pairs if name and cell)
            yield fields, Lines(number, number)


def _cells(line: str) -> list[str]:
    cells = line.replace("\\|", "\0").split("|")
    return [cell.strip(" \t*").replace("\0", "|") for cell in cells]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a log; `fields` are the named parts it was read from, if any."""

    content: DecisionText
    lines: Lines
    status: str = ""
    fields: Fields = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLog(Document):
    """A parsed log."""

    sections: tuple[Section, ...]
    decisions: tuple[Decision, ...]

    def facts(self, place: PurePosixPath) -> Iterator[facts.Decision]:
        """Yield the decisions; a log is of no topic."""
        yield from stated_in(self.text, self.decisions, place, of_topic=False)

    def statements(self) -> Stated:
        """Return open items, without stamps."""
        return open_without_stamps(self.text)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the file name is a decision log's; a dated name is a day's."""
    name = path.name.casefold()
    named = "decision" in name and name.endswith(".md")
    return named and not _DATED_NAME.match(name)


def parse(text: str, path: PurePosixPath = NO_PATH) -> DecisionLog:
    """Return the decisions of any text; it never fails."""
    sections = split_sections(text)
    found = tuple(_decisions(text, sections))
    return DecisionLog(text, sections=sections, decisions=found)


def find_decisions(text: str) -> tuple[Decision, ...]:
    """Return the decisions of a text on decisions."""
    return parse(text).decisions


def render_log(decisions: Sequence[DecisionText]) -> str:
    """Return the text of a new log, in the order given."""
    lines = (f"- {one_line(render_decision(decision))}\n" for decision in decisions)
    return f"{_TITLE}\n" + "".join(lines)


def _decisions(text: str, sections: tuple[Section, ...]) -> Iterator[Decision]:
    """Yield the decisions of a text, without proposals and open questions."""
    return filter(_is_decided, _stamped(text) or _filed(text, sections))


def _stamped(text: str) -> list[Decision]:
    """Return the decisions of a log whose stamped lines are titles, as Roo's are.

    Empty where no stamped line has a part with the decision: there each line is one.
    """
    fenced, lines = fenced_lines(text), split_lines(text)
    titles = [
        title
        for number, line in enumerate(lines, 1)
        if line[0] == "[" and number not in fenced
        if (title := _dated(line.strip(), Lines(number, number)))
    ]
    starts = [title.lines.first for title in titles]
    found: list[Decision] = []
    has_parts = False
    for title, end in zip(titles, [*starts[1:], len(lines) + 1], strict=False):
        record, rest = _stamped_record(lines, title, end)
        has_parts = has_parts or "decision" in dict(record.fields)
        found += [record, *_filed_from("".join(lines[rest - 1 : end - 1]), rest)]
    head = _filed_from("".join(lines[: starts[0] - 1]), 1) if has_parts else []
    return [*head, *found] if has_parts else []


def _stamped_record(
    lines: Sequence[str], line: Decision, end: int
) -> tuple[Decision, int]:
    """Return the record of a stamped line, and the line where its parts end."""
    start = line.lines.first
    block = "".join(lines[start - 1 : end - 1])
    sections = split_sections(block)
    parts = [*takewhile(lambda s: not s.level or part_name(s.title), sections)]
    rest = start + parts[-1].lines.last
    fields = read_fields(parts, fenced_lines(block))
    decided = dict(fields).get("decision", "")
    if says_nothing(decided):
        return line, start + 1
    title = line.content.text.strip("*_ ")
    return _from_fields(fields, title, line.content.date, Lines(start, rest - 1)), rest


def _filed_from(text: str, first_line: int) -> list[Decision]:
    """Return the decisions of a part of a file that begins at a line."""
    by = first_line - 1
    found = _filed(text, split_sections(text))
    return [
        replace(one, lines=Lines(one.lines.first + by, one.lines.last + by))
        for one in found
    ]


def _is_decided(one: Decision) -> bool:
    """Return whether a decision has a text, and no word that leaves it open."""
    return (
        status_of(one.status) != "proposed"
        and decides(one.content.text)
        and _BRACKETED.fullmatch(one.content.text) is None
    )


def _filed(text: str, sections: tuple[Section, ...]) -> Iterator[Decision]:
    fenced = fenced_lines(text)
    place, day, day_level = 0, None, 0
    while place < len(sections):
        section = sections[place]
        if section.level <= day_level:
            day, day_level = None, 0
        block = (section, *sections_below(sections, place))
        found = _record(block, fenced, day)
        if found:
            yield found
            place += len(block)
            continue
        if _is_day(section):
            day, day_level = _day_of(section.title), section.level
        found_here = _listed(section, fenced, day)
        yield from sorted(found_here, key=lambda one: one.lines)
        place += 1


def _is_day(section: Section) -> bool:
    """Return whether a heading is a day with several decisions below it."""
    bare = _bare(section.title)
    dated = section.level > 0 and _day_of(section.title) is not None
    return dated and (not bare or kind_of_label(bare) == "decision")


def _day_of(title: str) -> datetime.date | None:
    found = _DAY.search(title)
    if found:
        return parse_date(found[1])
    worded = leading_day(title)
    return worded[0] if worded else None


def _undated(title: str) -> str:
    """Return a heading without its day."""
    worded = None if _DAY.search(title) else leading_day(title)
    rest = worded[1] if worded else _DAY.sub("", title, count=1)
    return rest.strip(_SEPARATORS)


def _bare(title: str) -> str:
    """Return a heading without its day and its record number."""
    undated = _undated(title)
    return _RECORD.sub("", undated, count=1).strip(_SEPARATORS)


def _record(
    block: tuple[Section, ...], fenced: frozenset[int], day: datetime.date | None
) -> Decision | None:
    """Return the decision a heading and all below it are about, if they are."""
    section = block[0]
    if not section.level or part_name(section.title):
        return None
    own_day, bare = _day_of(section.title), _bare(section.title)
    if not _is_record(block, fenced, own_day or day):
        return None
    lines = Lines(section.lines.first, block[-1].lines.last)
    return _from_fields(read_fields(block, fenced), bare, own_day or day, lines)


def _is_record(
    block: tuple[Section, ...], fenced: frozenset[int], day: datetime.date | None
) -> bool:
    section, bare = block[0], _bare(block[0].title)
    if _RECORD.match(_undated(section.title)):
        return True
    labelled = not bare or kind_of_label(bare) == "decision"
    if not labelled and any(part_name(s.title) == "decision" for s in block[1:]):
        return section.level == 1 or block[0].level + 1 == block[1].level
    if section.level == 1:
        return False
    has_own = "decision" in dict(read_fields(block[:1], fenced))
    return has_own or (bool(day) and not labelled)


def _from_fields(
    fields: Fields, title: str, day: datetime.date | None, lines: Lines
) -> Decision:
    first = dict(reversed(fields))
    text = first.get("decision") or title
    found, status = parse_decision(text), status_of(first.get("status", ""))
    is_replaced = not says_nothing(first.get("superseded by", ""))
    content = replace(
        found,
        rejected=found.rejected or status == "rejected",
        lapsed="superseded" if is_replaced or status == "superseded" else "",
        reason=first.get("reason") or found.reason,
        date=day or _day_of(first.get("date", "")) or found.date,
        supersedes=first.get("supersedes") or found.supersedes,
    )
    named = (("title", title),) if title and title != text else ()
    return Decision(content, lines, first.get("status", ""), (*named, *fields))


def _listed(
    section: Section, fenced: frozenset[int], day: datetime.date | None
) -> Iterator[Decision]:
    """Yield the decisions in a section's bullets, stamped lines and tables."""
    for fields, lines in _table_rows(section, fenced):
        yield _from_fields(fields, "", day, lines)
    is_list = (
        bool(day) or section.level < 2 or kind_of_label(section.title) == "decision"
    )
    is_list = is_list and part_name(section.title) in ("", "decision")
    of_parts = _lines_of_parts(section)
    for bullet in section_bullets(section, fenced):
        found = _dated(bullet.text, bullet.lines)
        if found:
            yield found
        elif is_list and not bullet.depth and bullet.lines.first not in of_parts:
            content = parse_decision(bullet.text)
            if content.rejected or decides(bullet.text):
                dated = replace(content, date=content.date or day)
                yield Decision(dated, bullet.lines)
    written = split_lines(section.body)
    for place, line in enumerate(written):
        number = section.body_line + place
        found = _dated(line.strip(), Lines(number, number)) if line[0] == "[" else None
        if found and number not in fenced:
            yield _with_reason(found, "".join(written[place + 1 : place + 2]))


def _lines_of_parts(section: Section) -> frozenset[int]:
    """Return the lines of bullets below ``Rationale:`` and parts alike."""
    found, inside = set[int](), False
    for number, line in enumerate(split_lines(section.body), section.body_line):
        if part := part_in(line):
            inside = part[0] != "decision" and not part[1]
        elif line.strip() and not BULLET.match(line.lstrip()):
            inside = inside and line[0] in " \t"
        if inside and not part:
            found.add(number)
    return frozenset(found)


def _with_reason(one: Decision, behind: str) -> Decision:
    """Return a decision with the reason that the line behind it states."""
    name, reason = part_in(behind) or ("", "")
    if name != "reason" or one.content.reason:
        return one
    return replace(one, content=replace(one.content, reason=reason))


def _dated(text: str, lines: Lines) -> Decision | None:
    """Read ``YYYY-MM-DD: text`` and ``[YYYY-MM-DD HH:MM:SS] - text``."""
    found = _DATED.match(text)
    day = parse_date(found[1]) if found else None
    if not found or day is None:
        return None
    return Decision(replace(parse_decision(found[2]), date=day), lines)


def with_decision(text: str, decision: DecisionText) -> str:
    """Return a log with this decision as a dated line at the end.

    A log that ends with a decision under a heading gets a heading for the list first.
    Raises FormatError for a value with a line end.
    """
    line, log = f"- {one_line(render_decision(decision))}", parse(text)
    last = log.decisions[-1].lines if log.decisions else NOWHERE
    heads = (s for s in log.sections if s.level and s.first_line == last.first)
    record, heading = next(heads, None), list[str]()
    if record and last.last >= log.sections[-1].first_line:
        heading = [f"{'#' * record.level} {_LIST_TITLE}", ""]
    end = "".join(split_lines(text)[-1:]).lstrip()
    in_list = not heading and end.startswith(("- ", "* "))
    gap = [] if in_list or not end else [""]
    return append_lines(text, *gap, *heading, line)


def stated_in(
    text: str,
    found: Sequence[Decision],
    place: PurePosixPath,
    *,
    of_topic: bool = True,
) -> Iterator[facts.Decision]:
    """Yield the decisions found in a text, those that the model doubts with a grade.

    Programs write those of context-memory-optimizer's log, and dated lines of their
    form; the model may doubt others without a label, a status or a sign-off.
    """
    if not found or str(place) == PATH:
        yield from (facts.Decision(o.content, o.lines, of_topic) for o in found)
        return
    lines = split_lines(text)
    starts = [lines[one.lines.first - 1].strip() for one in found]
    listed = (
        (one.lines, "decision" in dict(one.fields) and start[:1] != "|")
        for one, start in zip(found, starts, strict=True)
    )
    judged = doubts(text, listed, "decision")
    for one, start, (sure, why) in zip(found, starts, judged, strict=True):
        said = one.content
        if start[:1] == "#" and {"decision", "reason", "status"}.isdisjoint(
            dict(one.fields)
        ):
            # A heading names what was decided, or only what was talked about.
            titled = f"# Decisions\n\n- {one_line(said.text)}\n"
            sure, why = next(doubts(titled, [(Lines(3, 3), False)], "decision"))
        is_declared = (
            status_of(one.status) == "accepted"
            or not said.stands
            or said.signed_off_by
            or said.supersedes
            or (said.date and start == f"- {render_decision(said)}")
        )
        if is_declared:
            yield facts.Decision(said, one.lines, of_topic)
        elif sure:
            yield facts.Decision(said, one.lines, of_topic, sure, why)


DIALECT = Dialect(
    title=gettext_noop("Decision logs"),
    kind=gettext_noop("decision log"),
    order=270,
    role=Role.RECORD,
    lives_long=True,
    read_whole=True,
)
