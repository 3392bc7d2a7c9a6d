"""Constructions with which a sentence decides, found in one pass over its words.

Families of deciding verbs, of what is settled without one, and of new practices: most
sentences hold no stem of any, and are read no further.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from memoryhub.formats.text.concluding import CONCLUDING
from memoryhub.formats.text.deciding import DECIDING
from memoryhub.formats.text.directing import HENCEFORTH
from memoryhub.formats.text.practice import (
    PRACTICE,
    PRACTICE_STEMS,
    WAYS,
    may_be_ways,
)
from memoryhub.formats.text.settling import SETTLING
from memoryhub.formats.text.stems import Families, Family, Stems

#: Words of what holds from now on, which `directing.HENCEFORTH` reads.
_FROM_NOW_ON = Family(Stems((
    "from now on", "going forward", " on, ", "from today", "from monday", "ab jetzt",
    "ab sofort", "ab heute", "künftig", "desde ahora", "de ahora en", "desde hoy",
    "a partir de", "de agora em", "daqui para", "daqui pra", "désormais", "dorénavant",
    "d'ora in", "d’ora in",
    "voortaan", "vanaf nu", "впредь", "отныне", "以后", "今后", "从今",
    "今後", "これから", "앞으로",
    "od teraz", "od dziś", "od dzisiaj", "відтепер", "bundan sonra", "från och",
    "fra nå av", "fremover", "framöver", "od teď", "từ nay", "mulai sekarang",
)), HENCEFORTH)  # fmt: skip
_DECIDED = (*DECIDING, *SETTLING, *CONCLUDING)
_FAMILIES = Families((*_DECIDED, PRACTICE, WAYS, _FROM_NOW_ON))
_DECIDING = _FAMILIES.bits_of(DECIDING)
_SETTLING = _FAMILIES.bits_of((*SETTLING, *CONCLUDING))
_PRACTICE, _WAYS = _FAMILIES.bits_of((PRACTICE,)), _FAMILIES.bits_of((WAYS,))
_HENCEFORTH = _FAMILIES.bits_of((_FROM_NOW_ON,))
#: Parts of all clauses that decide: a sentence without any of them has none.
CLAUSE_STEMS = Stems(_FAMILIES.words)

#: Labels of an outcome, which may be a decision.
_OUTCOMES = (
    "ergebnis:", "fazit:", "result:", "outcome:", "conclusion:", "bottom line",
    "resultado:", "conclusão:", "conclusión:", "résultat", "итог:", "вывод:", "esito:",
    "结论", "結論", "결론", "wynik:", "wniosek:", "итого:",
)  # fmt: skip
#: Where somebody may speak: marks of quotes, and roles before a colon.
_SPEECH = (
    '"', "“", "„", "«", "»", "「", "『", "user:", "owner:", "boss:", "human:",
    "client:",
    "usuario:", "usuária:", "usuário:", "nutzer:", "chefin:", "chef:", "utilisateur:",
    "пользователь:", "директор:", "用户：", "用户:", "老板：", "主人：", "사용자:",
)  # fmt: skip
#: Parts of these words: a line without any of them states no decision.
DECIDING_STEMS = Stems(
    (
        *chain.from_iterable(one.stems.words for one in _DECIDED),
        *(*PRACTICE_STEMS, *_OUTCOMES, *_SPEECH),
        *(*_FROM_NOW_ON.stems.words, "decision", "→", "->", "^["),
    )
)


@lru_cache(maxsize=64)
def _held_in(low: str) -> int:
    """Return the families of which a sentence holds stems.

    Cached: one rule after the other asks for those of one sentence.
    """
    return _FAMILIES.held_in(low)


def holds_clause(low: str) -> bool:
    """Return whether a lower-case sentence holds a stem of one of the families."""
    return _held_in(low) > 0


def find_deciding(low: str) -> re.Match[str] | None:
    """Return the first clause of a lower-case sentence that states a decision."""
    return _FAMILIES.first(low, _held_in(low) & _DECIDING)


def find_settling(low: str) -> re.Match[str] | None:
    """Return the first construction of a lower-case sentence that settles something."""
    return _FAMILIES.first(low, _held_in(low) & _SETTLING)


def find_practice(low: str) -> re.Match[str] | None:
    """Return the clause with a new practice: from now on, no longer."""
    held = _held_in(low)
    if found := _FAMILIES.first(low, held & _PRACTICE):
        return found
    return _FAMILIES.first(low, _WAYS) if held & _WAYS and may_be_ways(low) else None


def find_henceforth(low: str) -> re.Match[str] | None:
    """Return the words of a sentence for the day from which something holds."""
    return _FAMILIES.first(low, _held_in(low) & _HENCEFORTH)
