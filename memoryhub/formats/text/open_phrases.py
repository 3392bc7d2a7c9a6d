"""Phrases for open work in prose, in thirteen languages.

Each has parts of which every match holds one, with the conditions of `stems`: a text is
searched for the parts first, since most lines hold none. All are of lower-case text.

Firm phrases say that something waits or is not done. Loose ones plan or oblige; in
notes that hold rules and facts they mean other things as often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from memoryhub.formats.text.open_families import Phrases
from memoryhub.formats.text.open_phrase_words import FIRM, LOOSE
from memoryhub.formats.text.stems import Stems, bare_stem

#: Scripts without blanks: one expression each, for lines that hold them.
_CHINESE = re.compile(
    r"(?:还|還|尚|仍)(?:没|沒|未)(?!什么|问题)|没有?(?:回复|回覆|答复|回音|动静|答应)"
    r"|没[动定]"
    r"|等(?!了)(?!.{1,6}等了).{1,12}(?:回复|回覆|确认|答复|签字|审批|决定|通知|再说"
    r"|再定|回来|看|到)"
    r"|(?:还|還)(?:要|需|差|剩|得|有.{1,8}没)|需要(?:再)?(?:确认|联系|跟进|处理|补|问"
    r"|等)"
    r"|(?:明天|明早|下次|下周|周[一二三四五六日天]|回头|改天)(?:再|要|继续|得|还|给|去"
    r"|把|打)"
    r"|(?:周[一二三四五六日天]|明天|下周.?)(?:能|才)?(?:出|到|来|交货|回)"
    r"|(?:请|让).{1,8}(?:下次|当面|尽快|确认)|待.{0,8}(?:确认|处理|回复|审批|答复|签字"
    r"|定)"
    r"|^(?:剩下|剩余|还剩|缺|差)(?!.*(?:完|了|放|全部|够))|不清楚|没人(?:认领|管|接"
    r"|知道|负责|回)|(?:之前|前)要"
    r"|(?:稍后|回头)(?:回复|再)|到.{1,6}(?:也没|都没|还没)"
    r"|^(?:跟|找|向|问|去).{1,8}(?:要|催|确认|打听|借|核对|问)(?!了)"
    r"|(?:说)?再(?:想想|考虑|看看|议|商量)|不(?:确定|清楚|知道)(?:能|是|谁|要|怎|有|会)"
    r"|记得|别忘|未(?:完成|定|解决|确认|回复|付)|催(?:一下|他|她|他们|款|单)|(?:稍后"
    r"|晚点|之后|改日)再|再(?:测|试|问|查)一?[次下]"
    r"|只(?:做|完成|弄)了一半|卡在|还没"
    r"|暂(?:停|缓|定)"
)
_JAPANESE = re.compile(
    r"(?:返事|返信|回答|確認|承認|連絡|判子|判|結果|到着|入金|決裁|許可)待ち|を待って"
    r"|(?:返事|返信|連絡)(?:は|が)?(?:まだ|来ていない|来ない|なし|ない)"
    r"|まだ.{1,16}(?:ない|いない|なし|ません|中|だ)|残って(?:いる|る)"
    r"|残り.{1,12}(?:明日|枚|本"
    r"|件|箱|ページ)|(?:依頼|問い合わせ|検討|確認|考え|調整|交渉|作業|申請)中"
    r"|必要がある"
    r"|しなければ|しないと|持ち越し|未(?:定|着手|対応|確認|完了|返信|校正|処理|払|実施"
    r"|解決)"
    r"|(?:明日|来週|次回|後日)[、,は]?.{0,20}(?:する|やる|電話|確認|続き|予定|聞く|送る"
    r"|頼む)"
    r"|(?:てもらう|ておく|つもり)[。]?\Z|要(?:相談|連絡|修正|対応|検討)|催促"
    r"|未着|^(?:あと|残り)は|^次は|返事がまだ|の返事待ち|折り返し待ち"
    r"|^[^。]{2,20}に[^。]"
    r"{1,16}を(?:聞く|頼む|確認する|送る|連絡する)。?$|(?:末|日|頃|中)の予定"
    r"|保留(?!\s?\d|了|在|原|每|[一二三四五六七八九十两]|[^。、\u3040-\u30ff]{1,12}[，。])|(?:する|行う|やる)予定|忘れずに|要確認|途中"
)
_KOREAN = re.compile(
    r"(?:키|답|회신|자료|서류|견적|승인|확인)(?:가|이)? ?없음\W*\Z|재촉|아직|기다리는"
    r"|기다림|기다려|기다린다|대기(?: ?중)?\b|해야 ?(?:함|한다|할|됨|해"
    r"|된다)"
    r"|답(?:변|장)?[이은을]? ?(?:없|안)|확인 ?필요|미정|(?:내일|다음 주|다음에|월요일에"
    r"|금요일에)"
    r".{0,24}(?:하기|예정|해야|확인|전화|진행|한다|할 것|정리)|예정(?:이다|임)?\W*\Z"
    r"|(?<!0개 )남(?:음"
    r"|아 ?있|았)|못 ?(?:했|함|끝냈)|보류|미(?:완료|확인|해결|결제|답변)|잊지 말|모름"
    r"|모르겠"
    r"|(?:내일|모레|[월화수목금토일]요일|다음 ?주|다음에|나중에).{0,40}기로"
    r"|(?:하|보|내|가|오|사|쓰|넣|빼|묻|찾|고치|만들)기\W*\Z"
)
#: It says that there is nothing open any more, or tells of another time.
_CLOSED = re.compile(
    r"\b(?:instead of waiting|time waiting|statt zu warten|no longer|not any ?more"
    r"|nothing (?:left|to|more)|was (?:still )?waiting"
    r"|had to"
    r"|needed to|waited|were waiting|until (?:he|she|they|it) \w+ed|nicht mehr"
    r"|nichts mehr|ya no|já não|non più|plus besoin|больше не"
    r"|(?<!not )(?<!be )(?<!get )"
    r"done|finally|endlich|por fin|finalmente|enfin|наконец)\b"
    r"|\b(?:nichts übrig|bleibt nichts|reste rien|(?:no|non|não) (?:queda|resta|fic\w+"
    r"|quedó)"
    r" (?:nada|niente|nulla)|blijft niets|ничего не остал\w+|nic nie zostało"
    r"|bir şey kalmadı)\b"
    r"|\b(?:lieg|steh)(?:t|en) bereit\b"
    r"|没有剩|残(?:す|る)ものはない|残りはない|남(?:긴|은) 것[은이]? 없"
    r"|终于|やっと|드디어|不再|[✅✔]"
)
#: A program that waits as it was written to.
_PROGRAM = re.compile(
    r"(?:\b(?:script|skript|job|service|worker|hook|process|server|client|daemon|cron"
    r"|pipeline|container|thread|function|loop|programm?|código|betik|skrypt|скрипт)"
    r"\w{0,3}"
    r" (?:\w+ )?(?:waits?|wartet|espera|attend|aspetta|wacht|жд[её]т|czeka|bekler)\b)"
    r"|(?:脚本|程序|スクリプト|プログラム|스크립트).{0,8}(?:等|待|기다)"
)
#: It is a rule, which a loose phrase states as often as a plan.
_RULE = re.compile(
    r"\b(?:never|always|whenever|every time|nie|immer|nunca|siempre|sempre|jamais"
    r"|toujours|mai più|non .{0,20} mai|никогда|всегда|nigdy|zawsze|asla|her zaman"
    r"|nooit|altijd)\b|每次"
    r"|必ず"
)
_QUESTION_WORD = re.compile(r"(?:who|what|which|how)\b[^?？]*\Z")


class Found(NamedTuple):
    """Where the phrase begins with which a sentence marks open work, and its kind."""

    start: int
    firm: bool


class _Phrases:
    """Phrases by the part that every match of them holds."""

    def __init__(self, tables: Sequence[Phrases]) -> None:
        self._by_part: dict[str, list[str]] = {}
        for part, phrase in chain.from_iterable(table.items() for table in tables):
            self._by_part.setdefault(bare_stem(part), []).append(phrase)
        self.parts = Stems(chain.from_iterable(tables))

    def starts(self, low: str, parts: Iterable[str]) -> list[int]:
        """Return where the phrases begin of which a text holds these parts."""
        return [
            found.start()
            for part in parts
            for phrase in self._by_part.get(part, ())
            if (found := _compiled(phrase).search(low))
        ]


_FIRM, _LOOSE = _Phrases(FIRM), _Phrases(LOOSE)
_PARTS = Stems((*_FIRM.parts.words, *_LOOSE.parts.words))
#: Parts of which each phrase has one, and signs of scripts that are read as they come.
FIRM_PARTS, LOOSE_PARTS = _FIRM.parts, _LOOSE.parts
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def says_open(low: str, *, loose: bool) -> Found | None:
    """Return the first phrase that marks open work in a lower-case sentence.

    `loose`: phrases that plan or oblige count, too.
    """
    parts = _PARTS.found_in(low)
    if not parts and low.isascii():
        return None
    starts = _FIRM.starts(low, parts) + _unspaced_starts(low)
    is_firm = bool(starts)
    if loose and not is_firm:
        starts = _LOOSE.starts(low, parts)
    if not starts or _denies(low):
        return None
    is_rule = not is_firm and _RULE.search(low)
    return None if is_rule else Found(min(starts), is_firm)


def _denies(low: str) -> bool:
    """Return whether other words of a sentence change the meaning of its phrase."""
    return any(p.search(low) for p in (_CLOSED, _PROGRAM)) or bool(
        _QUESTION_WORD.match(low)
    )


def _unspaced_starts(low: str) -> list[int]:
    if low.isascii() or not UNSPACED.search(low):
        return []
    found = (one.search(low) for one in (_CHINESE, _JAPANESE, _KOREAN))
    return [one.start() for one in found if one]


@cache
def _compiled(phrase: str) -> re.Pattern[str]:
    return re.compile(phrase)
