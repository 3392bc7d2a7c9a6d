"""Names of the parts of a decision record, and of the columns of a table of them."""

from __future__ import annotations

from collections.abc import Mapping

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
        "|選択|結論|선택|ergebnis|beslut"
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
    "status": "status|状态|statut|estado|stato|статус|ステータス|상태|stand",
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


#: Common names of parts, and of columns, by the names in use.
PART_NAMES = _by_name(_PARTS)
COLUMN_NAMES = _by_name(_COLUMNS) | PART_NAMES
