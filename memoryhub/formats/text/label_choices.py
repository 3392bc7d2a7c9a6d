"""Labels that name a choice by a participle or its outcome: ``Chosen approach``.

The noun alone describes: ``Approach`` is no label of decisions. Labels come normalised,
see `memoryhub.formats.text.labels`.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.stems import Stems

_WORD = r"[\w'’\-.]+"
#: What can be chosen.
_THING = (
    r"(?:approach|option|solution|design|path|plan|route|stack|tools?|library|framework"
    r"|vendor|provider|supplier|name|model|strategy|variant|format|layout|direction"
    r"|method|date|venue|scope|theme|version|wording|policy|structure|architecture)s?"
)
_LABELS = re.compile(
    rf"(?:chosen|selected|picked|adopted|winning|locked)(?: {_THING})"
    rf"|(?:approved|final|agreed|confirmed|accepted) {_THING}"
    rf"|{_THING} (?:chosen|selected|picked|taken|adopted|approved|locked(?: in)?"
    r"|confirmed)"
    rf"|(?:{_WORD} )?(?:chose|picked|opted for|settled on|ruled)"
    r"|(?:the |our |my )?(?:final |user['’]s )?(?:verdict|upshot|ruling|choice|call)"
    r"(?: (?:made|taken))?"
    r"|(?:the )?(?:trade-?offs?|trade offs?|compromises?)(?: we)? (?:accepted|made"
    r"|taken)"
    r"|chosen|adopted|going with|gone with|went with|won['’]?t fix|wontfix|descoped"
    r"|finali[sz]ed|locked|ruled out|(?:new|changed) (?:policy|rule)|policy change"
    r"|(?:confirmed|decided|chosen|picked) by (?:the )?"
    rf"{_WORD}"
    rf"|gewählte[rsn]? {_WORD}|(?:unsere |die )?wahl|entschluss|entschlüsse"
    r"|elección|elegido|se (?:decidió|acordó|eligió|resolvió)|definido|opción elegida"
    r"|escolhido|escolha|opção escolhida|se decidiu|foi decidido"
    r"|(?:choix|option|solution) retenue?s?|retenu|on a (?:choisi|retenu)"
    r"|scelto|scelta|opzione scelta|выбор|выбрали|утверждено|выбранн\w+ \w+"
    r"|итоговый выбор|gekozen(?: \w+)?|wybór|wybrano"
    r"|(?:最终|最後|最后|选定|採用|采用|确定)的?(?:方案|选择|做法|方向)|方案(?:确定|选择)"
    r"|(?:技术)?选型(?:结论|结果)?|拍板|敲定|定稿|采纳|已敲定|已拍板|最终选型"
    r"|採用案?|決め事|決定したこと|選定(?:結果)?|채택안?|선정(?: ?결과)?"
)
_STEMS = Stems((
    "chose", "selected", "picked", "adopted", "winning", "locked", "approved", "final",
    "agreed", "confirmed", "accepted", "taken", "opted", "settled", "ruled", "ruling",
    "verdict", "upshot", "choice", "call", "made", "going with", "gone with",
    "went with", "fix", "descoped", "policy", "rule", "decided",
    "gewählt", "wahl", "entschl", "elec", "eleg", "se ", "defin", "escolh", "decid",
    "reten", "choisi", "scelt", "выбор", "выбр", "утвержд", "gekozen", "wyb",
    "方案", "选", "做法", "拍板", "敲定", "定稿", "采纳", "採用", "決め", "決定",
    "選定", "채택", "선정", "方向",
))  # fmt: skip
_DENIED = re.compile(
    r"\b(?:open|pending|not|to be|needs?|awaiting|your|phone|roll|function|api|next)\b"
)
#: A text without any of them is no such label.
CHOICE_STEMS = _STEMS.words


def heads_choices(label: str) -> bool:
    """Return whether a normalised label names a choice that was made."""
    return (
        _STEMS.are_in(label)
        and _LABELS.fullmatch(label) is not None
        and _DENIED.search(label) is None
    )
