"""Words for new practices in a note: from now on, no longer.

Nobody says that it was decided: the first person of the present and a word that
excludes something, or two ways side by side, tell that it was.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.directing import ORDERS
from memoryhub.formats.text.stems import Family, Stems

#: Russian verbs whose ending tells of us, without a pronoun.
_RUSSIAN = (
    *("делим", "чиним", "красим", "печатаем", "продаём", "продаем", "работаем"),
    *("закрываем", "открываем", "меняем", "ставим", "платим", "берём", "берем"),
)
#: French words that exclude: "on" alone stands in too many words and languages.
_FRENCH = (
    *("jusqu", "plus de", "pas de", "sauf", "seulement", "au lieu", "plutôt"),
    *("parce qu", "à partir", "dès"),
)
#: Where "we" begins a clause, or says what it always does.
_WE = (
    "^we ",
    ", we ",
    "; we ",
    ": we ",
    "then we ",
    "so we ",
    "we never ",
    "we always ",
)
#: What we do from here on: the first person of the present, with a word that excludes.
PRACTICE = Family(
    Stems((*_WE, "wir ", "мы ", "не ", "nie ", *_FRENCH, *_RUSSIAN)),
    re.compile(
        r"(?:^|[,;:] |\bthen |\bso )we (?!have|are|were|was|had|need|want|see|know"
        r"|think"
        r"|hope|expect|wait|can|could|may|might|must|should|would|did|got|get|found|say"
        r"|said|saw|went|sent|made|met|took|came|left|put|lost|told|thought|tried|still"
        r"|talk|discuss|look|agree|call|meet|will|’|')(?:never |always |only )?"
        r"(?!\w+ed )[a-z]+ (?=.{0,160}\b(?:not|no|never|only|instead|because|until"
        r"|unless"
        r"|even if|rather|drop|stop)\b)"
        r"|\bwe (?:never|always) (?!had|saw|got|knew|were|have|found|seem)[a-z]+\b"
        r"|\b(?:on|nous) (?!a |ai|est|ont|av|sommes|voit|sait|peut|doit|attend|verra"
        r"|ne sait)"
        r"\w+(?:e|ons|t|s|d) (?=.{0,120}\b(?:jusqu|plus de|pas de|sauf|seulement"
        r"|au lieu"
        r"|plutôt|parce qu|à partir|dès))"
        r"|\bwir (?!haben|sind|waren|müssen|können|wollen|sollten|warten|wissen"
        r"|brauchen)"
        r"\w+(?:en|ern|eln) (?=.{0,120}\b(?:statt|nur|nie|ab [a-z]|erst|bis|weil|selber"
        r"|selbst|reparieren)\b)"
        r"|(?:^|[,:;] )(?:мы )?(?:сами )?(?:(?:\w+ ){0,4}не (?!знаем|видим|можем|хотим"
        r"|ждём"
        r"|ждем|помним|понимаем|успеваем|имеем|нашли)\w{2,}(?:аем|яем|уем|ём|дем|им|сим"
        r"|сем)\b|(?:делим|чиним|красим|печатаем|продаём|продаем|работаем|закрываем"
        r"|открываем|меняем|ставим|платим|берём|берем) )"
        r"|\bnie (?!wiemy|mamy|możemy|widzimy|rozumiemy|musimy|chcemy|pamiętamy)"
        r"\w{3,}(?:amy|emy|imy|ymy)\b"
    ),
)
#: One way and not the other, by the same preposition: ``by courier, not by post``.
WAYS = Family(
    Stems(
        (
            *(", not ", ", nicht ", ", no ", ", não ", ", pas ", ", non ", ", niet "),
            *(
                ", а не ",
                ", nie ",
                ", only ",
                ", just ",
                ", nur ",
                ", sondern ",
                ", solo ",
            ),
            *(
                ", sólo ",
                ", sino ",
                ", só ",
                ", apenas ",
                ", seulement ",
                ", tylko ",
                ", а ",
            ),
            *("，只", "，不再", "ない、", "말고"),
        )
    ),
    re.compile(
        r"\b(by|in|on|at|with|to|from|per|as|for) [\w ’'-]{2,30}, not \1\b"
        r"|\b(auf|in|im|an|am|mit|per|bei|beim|zu|zum|zur|nach|von|als"
        r"|für) [\w -]{2,30}, nicht \2\b"
        r"|\b(en|con|por|a|al|para|de) [\w -]{2,30}, no \3\b"
        r"|\b(em|no|na|com|por|para|de|ao) [\w -]{2,30}, não \4\b"
        r"|\b(à|au|en|par|avec|sur|dans|pour|chez) [\w ’'-]{2,30}, pas \5\b"
        r"|\b(in|con|per|a|al|da|su) [\w ’'-]{2,30}, non \6\b"
        r"|\b(op|in|met|per|bij|naar|van|als|voor) [\w -]{2,30}, niet \7\b"
        r"|\b(в|на|по|с|через|до|для|из|раз в) [\w -]{2,30}, а не \8\b"
        r"|\b(na|w|do|przez|z|po|od) [\w -]{2,30}, nie \9\b"
        r"|\bnot [\w ’'-]{2,40}, (?:only|just)\b"
        r"|\b(?:nicht|keine?[nrms]?) [\wäöüß -]{2,40}, (?:nur|sondern)\b"
        r"|\bno (?:se )?[\w -]{2,40}, (?:solo|sólo|sino)\b|\bnão [\w -]{2,40}, (?:só"
        r"|apenas)\b"
        r"|\bnon [\w ’'-]{2,40}, solo\b|\bpas [\w ’'-]{2,40}, seulement\b"
        r"|\bне [\w -]{2,40}, (?:только|а (?:только|лишь))\b"
        r"|\bnie [\w -]{2,40}, tylko\b"
        r"|不[^，。]{1,15}，只(?!有)|只[^，。]{1,15}，不再?|(?:わ|ら|か"
        r"|し)ない、[^。、]{1,20}(?:だけ|のみ)"
    ),
)
#: Ways of faults and of what has been are facts.
_FACT = re.compile(
    r"\b(?:was|were|been|had|came|lies|lay|error|errors|bug|problem|cause|issue|fault"
    r"|because"
    r" it|looks|seems|war|waren|lag|liegt|fehler|ursache|estaba|era|fue|estava|foi"
    r"|était|erro"
    r"|errore|problema|был|была|было|ошибка|причина|fout|był|była|błąd|needs?|must|who"
    r"|told|said"
    r"|thought)\b"
)

#: How a rule starts, which says nothing of what was before.
_RULES = ("always ", "never ", "immer ", "nie ", "siempre ", "nunca ", "sempre ")
#: Parts of these words: a line without any of them tells of no practice.
PRACTICE_STEMS = (
    *(*_WE, "wir ", " не ", "nie ", *_FRENCH, *_RUSSIAN),
    *WAYS.stems.words,
)


def may_be_ways(low: str) -> bool:
    """Return whether a sentence about two ways is no fact, order or rule."""
    return not (_FACT.search(low) or ORDERS.match(low) or low.startswith(_RULES))
