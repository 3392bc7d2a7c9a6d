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
_DONE = re.compile(
    rf"\b(?:{_ENGLISH}|{_GERMAN}|{_ROMANCE}|{_SLAVIC}|{_OTHERS})\b"
    r"|[已了]|完成|搞定|解决|完了|済|した|った|れた|きた|届いた|た。|완료|[했됐았었]|도착"
    r"|[✅✔☑]|~~"
)
_NOT_DONE = re.compile(
    r"\b(?:not|n['’]t|no|never|yet|nicht|kein\w*|noch|ni|aún|não|ainda|pas|non|niet|не"
    r"|nie"
    r"|still|need\w*|unfinished|half|wait\w*|wart\w*|aguard\w*|espera\w*|жд\w+|attente"
    r"|attesa|czeka\w*|bekl\w*|pend(?:ing|entes?|ientes?)|offen\w*|abierto|aberto|open"
    r"|drafts?|draft(?:ed|ing)|entwurf|borrador|rascunho|brouillon|bozza|черновик|szkic"
    r"|taslak|partly|teilweise|suggest\w*|propos\w*|möchte|would|could|wants?)\b"
    r"|[未没沒等待]|草稿|まだ|半|下書き|아직|미|대기|초안"
)
_ASKING = ("?", "？")


def reports_work(sentence: str) -> bool:
    """Return whether a sentence tells that something was done or has happened."""
    low = sentence.lower().rstrip()
    return (
        _DONE.search(low) is not None
        and not low.endswith(_ASKING)
        and not _NOT_DONE.search(low)
        and not says_open(low, loose=True)
    )
