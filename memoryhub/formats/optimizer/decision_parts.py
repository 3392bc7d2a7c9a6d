"""The named parts of a decision record, and the columns of a table of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from memoryhub.formats.text.source import Section, split_lines

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
