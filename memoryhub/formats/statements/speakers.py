"""Who speaks in a line: ``Marta: …``, ``User on chat: …``, ``"…" (Marta)``.

A name is known by its capital letter or its role; topics, labels and parts of reports
stand before colons too, and are nobody.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memoryhub.formats.text.labels import kind_of_label, normalise_label
from memoryhub.formats.text.phrases import REASON_LABELS
from memoryhub.formats.text.sentences import quotes_of, sentences_of
from memoryhub.formats.text.speaking import LEADS_TO_QUOTE

_NAME = r"[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁ][\w'’.-]{0,20}"
_ROLE = (
    r"(?:(?i:(?:the )?(?:user|owner|human|boss|client|customer|team|b\d{1,2})"
    r"|chef(?:in)?"
    r"|leitung|usuari[oa]|utente|utilisateur|gebruiker|пользователь|владелец|shef"
    r"|хозя(?:ин|йка)|начальник))"
)
_SPEECH = (
    r"(?:said|says|answered|answers|replied|replies|wrote|writes|asked|asks|told|adds?"
    r"|added|confirmed|decided|on|in|by|at|via|re|about|after|this|just|again|today"
    r"|yesterday|later|sagt|sagte|schreibt|schrieb|meint|meinte|antwortet|bat|will|am"
    r"|im"
    r"|beim|per|zu|zum|zur|dit|a|répond|écrit|sur|au|par|dijo|dice|escribió|respondió"
    r"|contestó|por|en|sobre|disse|diz|escreveu|respondeu|no|na|ha|detto|scrive"
    r"|risponde|zei|zegt|schreef|op|over|сказал|сказала|пишет|написал|написала"
    r"|ответил|ответила|просит|по|в|на|к|me|us|mich|uns|mir)"
)
#: A name or role, and a few words of how or where it was said.
_SPOKEN = re.compile(
    r"(?:(?i:die|der|la|le|el|il|o|a|the|de|frau|herr|mr|mrs|pani|pan|dona|don) )?"
    rf"(?:(?:~?\d\d?[:h]\d\d[ ,]+)?(?:{_NAME}|{_ROLE})(?: {_NAME})?"
    rf"(?: \([^()\n]{{1,30}}\))?(?:,? {_SPEECH}(?: [\w'’.-]+){{0,4}})?)[ \t]*[:：][ \t]"
    rf"*"
)
_SPOKEN_CJK = re.compile(
    r"(?:[^\s，,。：:；;\"“「|（(]{1,8}?(?:说|說|回复|答复|要求|交代|さん|様|より|から"
    r"|の指示|님|답|왈|가 말|이 말)[ \t]*(?:[:：，,][ \t]*|(?=[「『]))"
    r"|(?:用户|用戶|主人|老板|老闆|掌柜|所長|社長|店長|親方|사용자|사장"
    r"|대표)[ \t]*[:：][ \t]*"
    r"|(?:(?!小结|小计|小时|小贴士|老问题|阿里)[老小阿][\u4e00-\u9fff]{1,2}"
    r"|[\u4e00-\u9fff]{1,2}(?:姐|哥|总|叔|姨|师傅|老师|经理|老板|先生"
    r"|女士))[ \t]*[:：][ \t]*"
    r"|[가-힣]{2,4}(?: 답)?[ \t]*[:：][ \t]*)"
)
#: A name right before a quote, which needs no colon.
_NAME_CJK = re.compile(r"(?:さん|様|님|씨|왈|曰|说|說|的话|の言葉)[ \t：:]*\Z")
_BEHIND_QUOTE = re.compile(rf"[ \t.,—–-]*\((?:{_NAME}|{_ROLE})[^()\n]{{0,30}}\)")
#: Words before colons that name a part of a report, in many languages.
_NOBODY_WORDS = (
    "on|we|i|il|elle|es|wir|ich|nous|ça|it|this|that|there|here|then|also|so|and|but|if"
    "|when|what|why|how|the|a|an|in|at|to|das|der|die|dann|aber|und|wenn|le|la|les|puis"
    "|mais|si|el|los|las|pero|cuando|o|os|as|mas|quando|lo|gli|ma|se|het|de|en|maar|мы"
    "|я"
    "|это|он|она|но|и|если|потом|to|ale|i|gdy|potem"
    "|note|notes|fix|fixed|cause|causes|reason|result|results|outcome|lesson"
    "|lessons|learned|learning|tip|warning|caution|important|reminder|remember"
    "|next|status|update|updates|summary|context|background|goal|idea|ideas|plan"
    "|plans|question|questions|answer|option|options|example|issue|issues|problem"
    "|bug|error|root|see|source|link|file|path|test|tests|build|deploy|config"
    "|setup|usage|key|value|name|time|date|today|tomorrow|morning|evening"
    "|afternoon|done|pending|blocked|blocker|risk|default|rule|rules|info|caveat"
    "|ps|nb|fyi|workaround|symptom|impact|decision|trigger|action|actions|command"
    "|output|input|version|scope|topic|title|role|owner|agent|model|tools|grund"
    "|ursache|lösung|fehler|hinweis|notiz|achtung|merke|ergebnis|fazit|beispiel"
    "|idee|frage|stand|heute|morgen|regel|lektion|anlass|thema|ort|zeit|kosten"
    "|raison|résultat|remarque|attention|exemple|problème|idée|leçon|règle|sujet"
    "|causa|motivo|resultado|nota|notas|aviso|ejemplo|exemplo|problema|solución"
    "|solução|lección|lição|regla|regra|tema|assunto|lugar|hora|coste|custo"
    "|errore|soluzione|regola|esempio|lezione|attenzione|oorzaak|oplossing|fout"
    "|approved|approval|freigegeben|freigabe|genehmigt|aprobado|aprobada|autorizado"
    "|aprovado|aprovada|approuvé|validé|approvato|approvata|akkoord|goedgekeurd"
    "|zatwierdzone|zgoda|одобрено|согласовано|승인|허락|definitivo|final"
    "|let|resultaat|opmerking|причина|итог|вывод|state|careful|schluss|quoi|quelle"
    "|wniosek|uwaga|stan|wynik|заметка|внимание|пример|проблема"
    "|решение|урок|правило|тема|원인|결과|비고|메모|주의|문제|해결|참고|이유|교훈"
    "|규칙|요약|상태|예시|제목|주제|시간|장소|내용|대상|목표|방법|이름|시간대"
    "|언어|비용|담당"
)
_NOBODY = frozenset(_NOBODY_WORDS.split("|"))

_MOST_SENTENCES = 12
_COLON = re.compile("[:：]")
_HEAD_END = re.compile(r"[\s:：(]")
#: A shorter quote is a word or a name; characters of an unspaced script are half ones.
_LEAST_WORDS = 3
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Speech(NamedTuple):
    """A person's words in a line, and whether they are quoted."""

    text: str
    quoted: bool


def speech_of(plain: str) -> Speech | None:
    """Return the reported words of a line whose beginning names the speaker."""
    found = _SPOKEN.match(plain) if _COLON.search(plain) else None
    found = found or (None if plain.isascii() else _SPOKEN_CJK.match(plain))
    if not found or found.end() == len(plain) or not _is_somebody(found[0]):
        return None
    said = plain[found.end() :]
    quote = next(quotes_of(said), None)
    if quote and not quote.before.strip():
        return Speech(quote.text, True)
    return Speech(said, False)


@lru_cache(maxsize=1024)
def speech_in(plain: str) -> Speech | None:
    """Return the first speech of a line up to its end, at a sentence's beginning.

    Cached: several rules ask who speaks in one line.
    """
    if plain.isascii() and ":" not in plain:
        return None
    sentences = sentences_of(plain)
    for place, _ in enumerate(sentences[:_MOST_SENTENCES]):
        if speech := speech_of(" ".join(sentences[place:])):
            return speech
    return None


def is_spoken(before: str, behind: str) -> bool:
    """Return whether the text around a quote names its speaker."""
    head = before.rpartition(". ")[2].rpartition("。")[2].lstrip("-–—→ ")
    if _NAME_CJK.search(head):
        return True
    if head and head.rstrip().endswith((":", "：")):
        return bool(speech_of(head.rstrip() + " x"))
    return _BEHIND_QUOTE.match(behind) is not None


def is_persons(before: str, text: str, behind: str) -> bool:
    """Return whether a quote is a sentence of a person, whom the line names."""
    words = len(text.split()) + len(_UNSPACED.findall(text)) // 2
    if words < _LEAST_WORDS:
        return False
    head = before.strip(" \t>-*•")
    led = LEADS_TO_QUOTE.search(head)
    if led is None:
        return is_spoken(before, behind)
    return _is_somebody(led[0].lstrip(".!?…—–- "))


@lru_cache(maxsize=1024)
def _is_somebody(head: str) -> bool:
    """Return whether the words before a colon name a speaker.

    Cached: several rules ask for those of one line, and lines share labels.
    """
    first = _HEAD_END.split(head.strip(), maxsplit=1)[0].casefold().strip(".")
    if first in _NOBODY:
        return False
    if len(first) > 3 and head.split()[0].rstrip(":").isupper():
        return False
    label = normalise_label(head.rstrip(" :："))
    return label not in REASON_LABELS and not kind_of_label(label)
