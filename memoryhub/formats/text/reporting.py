"""Sentences that report work as done: words and endings of the past, and signs.

They tell only that something is over; whether it is some open work, its rare words do.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.open_phrases import says_open

#: Words and endings of a report, by language.
_ENGLISH = (
    r"\w{2,20}ed|sent|done|found|went|came|got|told|bought|put|made|wrote|gave|paid|took"
    r"|ran|set|built|kept|held|read|said|chose|works|gone|(?:is|are) (?:in|out|back)"
)
_GERMAN = (
    r"erledigt|fertig|da|steht|läuft|\w{0,6}ge\w{3,12}(?:t|en)|(?:be|ver)\w{3,10}t"
)
_ROMANCE = (
    r"hech[oa]|list[oa]s?|llegó|dijo|vino|puso|feit[oa]s?|chegou|pront[oa]s?|fait|reçu"
    r"|pris|mis|venu|fatt[oa]|arrivat[oa]"
    r"|\w{3,14}(?:ad[oa]s?|id[oa]s?|ó|aron|ieron|imos|amos|ou|aram|eram|iram|ei|eu|iu"
    r"|é|ée|és|ées|at[oaie]|ut[oa]|it[oa])"
)
_SLAVIC = (
    r"готово|есть|\w{1,4}(?:в[её]з|н[её]с)|\w{2,14}(?:л|ла|ло|ли|лся|лась|лись|ан|ана|ано|ен|ена|ено|ены|ят|ята)"
    r"|\w{2,14}(?:ł|ła|ło|li|ły|no|to|on[yae]|an[yae])"
)
_OTHERS = r"gedaan|\w{2,14}(?:d[ıiuü]|t[ıiuü])"
#: Syllables of the past: with a double s at the end, but for "is there" and "will".
_KOREAN_PAST = "".join(
    chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in "있겠"
)
_DONE = re.compile(
    rf"\b(?:{_ENGLISH}|{_GERMAN}|{_ROMANCE}|{_SLAVIC}|{_OTHERS})\b"
    r"|[已了完]|搞定|解决|办妥|到账|通过|回[电信复]|答复|済|[しっれきい]た|た。"
    rf"|完了|返事[：:]|より[：:]|[{_KOREAN_PAST}](?=다|음|습|는|고|지만|\W|\Z)|완료|도착"
    r"|마무리|통과|[✅✔☑]|~~"
)
#: Words for what is begun or meant.
_PARTLY = (
    r"drafts?|draft(?:ed|ing)|entwurf|borrador|rascunho|brouillon|bozza|черновик|szkic"
    r"|taslak|partly|teilweise|suggest\w*|propos\w*|möchte|would|could|wants?"
)
_DRAFTS = "草稿|下書き|초안"
_NOT_DONE = re.compile(
    r"\b(?:not|n['’]t|no|never|yet|nicht|kein\w*|noch|ni|aún|não|ainda|pas|non|niet|не"
    r"|nie"
    r"|still|need\w*|unfinished|half|wait\w*|wart\w*|aguard\w*|espera\w*|жд\w+|attente"
    r"|attesa|czeka\w*|bekl\w*|pend(?:ing|entes?|ientes?)|offen\w*|abierto|aberto|open"
    rf"|{_PARTLY})\b|[未没沒等待]|{_DRAFTS}|まだ|半|아직|미|대기"
)
_ASKING = ("?", "？")
#: Work that somebody's answer ends: a question, or words for one and for its answer.
_ASKED = re.compile(
    r"[?？]\W{0,3}(?:\Z|[(（—–-])"
    r"|\b(?:ask(?:s|ed|ing)?|answers?|repl(?:y|ies)|decides?|decision|confirm\w*|whether"
    r"|find out|hear(?:s|ing)? (?:from|back)|(?:nach|er|be)?frag\w+|antwort\w*"
    r"|rückmeldung|klären|entscheid\w*|bestätig\w*|pregunt\w+|respuesta|respond\w+"
    r"|contest\w+|averigu\w+|decid\w+|pergunt\w+|resposta|demand\w+|répon\w+|décid\w+"
    r"|chied\w+|rispo\w+|conferm\w+|vraag\w*|vragen|antwoord\w*|bevestig\w*|спрос\w+"
    r"|узна\w+|ответ\w*|уточн\w+|реш[аи]\w+|подтверд\w+|zapyta\w*|odpowie\w*"
    r"|potwierdz\w*|sor\w{1,6}|cevap\w*)\b"
    r"|[问問]|答[复復]|回[复復信电]|确认|確認|聞く|返事|承認|확인|답|물어|문의"
)
#: Words of an answer that has not come, or was asked for again.
_UNANSWERED = re.compile(
    r"\b(?:still|yet|again|wait\w*|asked|remind\w*|noch|wieder|wart\w*|gefragt|aún"
    r"|todavía|sigue|ainda|espera\w*|aguard\w*|encore|toujours|attend\w*|ancora|nog"
    rf"|wacht\w*|ещё|еще|пока|жд\w+|jeszcze|czeka\w*|hâlâ|bekl\w*|{_PARTLY})\b"
    rf"|[等待还還]|{_DRAFTS}|まだ|待ち|聞いた|아직|대기|기다"
)


def reports_work(sentence: str) -> bool:
    """Return whether a sentence tells that something was done or has happened."""
    low = sentence.lower().rstrip()
    return (
        _DONE.search(low) is not None
        and not low.endswith(_ASKING)
        and not _NOT_DONE.search(low)
        and not says_open(low, loose=True)
    )


def asks(text: str) -> bool:
    """Return whether open work is a question, or waits for an answer."""
    return _ASKED.search(text.lower()) is not None


def may_answer(sentence: str) -> bool:
    """Return whether a sentence states something, and asks and waits for nothing."""
    low = sentence.lower().rstrip()
    return not (
        low.endswith((*_ASKING, ":", "："))
        or low.startswith("#")
        or _UNANSWERED.search(low)
        or says_open(low, loose=False)
    )
