"""Questions of when, who or where, and lines that name a time, person or place.

In English, German, French, Spanish, Chinese, Japanese and, in part, Arabic.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.days import any_of, names_of
from memoryhub.search.words import fold, words

#: Words before the word that asks.
_BEFORE = (
    r"^(?:and |so |do you (?:know|remember) |tell me |remind me |i wonder |weisst du |"
    r"sag mir |tu sais |dis moi |sabes |dime )?"
)
#: First words of a question, without accents, and words anywhere in one.
_ASKS = {
    "when": re.compile(
        _BEFORE + r"(?:when|(?:since|until|by) when|how long(?: ago)?|"
        r"(?:at |on |in )?(?:what|which) (?:date|day|month|year|time|week)|"
        r"wann|(?:seit|bis|ab) wann|wie lange|um wie ?viel uhr|"
        r"an welchem (?:tag|datum)|quand|depuis quand|a quelle heure|quel jour|"
        r"cuando|desde cuando|a que hora|que dia|متي)\b"
        r"|什么时候|什麼時候|啥时候|何时|何時|哪天|哪一天|几号|几点|いつ(?!も)|何日"
    ),
    "who": re.compile(
        _BEFORE + r"(?:(?:with |from |by |to )?who(?:m|se)?|(?:mit |von )?we[rnm]|"
        r"wessen|(?:avec |a |de )?qui|(?:con |a |de )?quien(?:es)?|من الذي)\b"
        r"|谁|誰|哪位|何人|だれ|どなた"
    ),
    "where": re.compile(
        _BEFORE + r"(?:(?:from |to )?where|wo|wohin|woher|in welche[mnr] \w+|"
        r"d?ou (?:est|sont|a|ont|se|etait|va|peut)|(?:a|de)? ?donde|"
        r"en que (?:lugar|ciudad)|اين)\b"
        r"|哪里|哪裡|哪儿|何处|在哪|どこ"
    ),
}
#: The first words of a query, among which the word that asks is.
_FIRST = 8

_LANGUAGES = ("en", "de", "fr", "es")
#: Months and weekdays; shorter names are words too, and "sept" is seven.
_NAMES = any_of(
    name
    for what in ("months", "weekdays")
    for name in names_of(what, *_LANGUAGES)
    if (len(name) > 3 and name != "sept") or name == "mai"
)
#: A time: a clock, a date, a day or month by name, "ago", "last week".
_TIME = re.compile(
    r"\d:\d\d|\b(?:19|20)\d\d\b|\b\d\d?\.\d\d?\.|\b\d\d? ?(?:uhr|am|pm|h|o'clock)\b|"
    r"\b(?:yesterday|today|tonight|tomorrow|ago|since|weekend|noon|midnight|"
    r"(?:last|next|this|past) \w+|weeks?|months?|years?|days?|"
    r"gestern|heute|morgen|vorgestern|seit|wochen?|tagen?|monaten?|"
    r"hier|demain|semaines?|ayer|mañana|hoy|semanas?|"
    rf"(?:{_NAMES})s?)\b"
    r"|[\d一二三四五六七八九十半]\s*[年月日号號点點时時]|[昨今明前][天日晚夜朝]|[上下这本先今来]"
    r"[个個]?[周週月]|星期|[月火水木金土日]曜|الساعة|أمس|غدا|يوم ",
    re.IGNORECASE,
)
#: Chinese surnames that are seldom words.
_SURNAMES = "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱林郭罗羅梁宋郑鄭谢謝韩韓唐冯馮"
#: A name within a sentence, behind a title, or before a form of address.
_NAME = re.compile(
    r"(?<=[^\W\d_A-Z] )[A-ZÄÖÜÉ][^\W\d_]+|(?<=[,;:] )[A-ZÄÖÜÉ][^\W\d_]+|@\w"
    r"|\*\*[A-ZÄÖÜÉ][^\W\d_]+\*\*"
    rf"|(?:[由和与與跟请請让讓给給叫是对對]|\W)[{_SURNAMES}][\u4e00-\u9fff]"
    r"|[\u4e00-\u9fff](?:先生|女士|老师|老師|经理|さん|様|くん|氏)"
)
#: A name after a preposition of place, a path, an address, a room or town.
_PLACE = re.compile(
    r"\b(?:in|im|at|from|to|near|into|nach|aus|bei|beim|à|au|chez|dans|en|desde|de) "
    r"(?:the |der |dem |la |le |el )?[A-ZÄÖÜÉ]\w|\w/\w+\.\w|https?://"
    r"|在[^，。,.]{1,9}[室楼樓店市区區路馆館厅廳院场場站库庫省县城]"
    r"|[\u4e00-\u9fffァ-ヶー](?:で|にて)"
)
_NAMING = {"when": _TIME, "who": _NAME, "where": _PLACE}


def questions_in(text: str) -> frozenset[str]:
    """Return which of "when", "who" and "where" a query asks."""
    first = " ".join(fold(word) for word in words(text)[:_FIRST])
    return frozenset(name for name, asks in _ASKS.items() if asks.search(first))


def named_in(line: str) -> frozenset[str]:
    """Return for which of "when", "who" and "where" a line has a name."""
    return frozenset(name for name, found in _NAMING.items() if found.search(line))
