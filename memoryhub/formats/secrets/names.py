"""Rules for secrets by the word in front of them: ``password: …``, ``密码是…``.

Words of nine languages. Between word and value there may be agents' usual separators:
bold marks, code marks, blanks, a line break, the bar of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryhub.formats.secrets.rules import (
    Judge,
    Rule,
    Span,
    is_key,
    is_password,
    is_phrase,
    is_spoken,
    is_strong,
    lines_with,
)

_PASS_WORDS = (
    r"pass(?:word|wd|phrase|code)s?|passwort|kennwort|mot de passe|contraseña|senha"
    r"|wachtwoord|hasło|пароль|パスワード|비밀번호|密码|密碼|口令"
)
#: Short words, which count as a name only by themselves: ``pass:``, ``DB_PW=``.
_SHORT_WORDS = r"pass|pwd|pw|creds?|credentials?"
_KEY_WORDS = (
    r"(?:api|access|secret|private|auth|client|signing|encryption|master|shared|session"
    r"|account|service|webhook|bot|refresh|bearer|deploy|app|admin|user|id|jwt|csrf)"
    r"[ _-]?(?:key|secret|token)s?(?:[ _-]base)?|secrets?|tokens?|auth"
    # Any name of one's own, such as ``.boiler_key``.
    r"|(?!(?:cache|primary|foreign|sort|partition|public|object|idempotency|row)[_-])"
    r"\.?[a-z][a-z0-9]{1,30}[_-](?:key|secret|token)"
    r"|zugangsschlüssel|schlüssel"
)
_CHINESE_KEYS = "密钥|密鑰|令牌"
_PASSES = (
    "pass", "pwd", "pw", "cred", "kennwort", "contraseña", "senha", "wachtwoord",
    "hasło", "пароль", "パスワード", "비밀번호", "密码", "密碼", "口令",
)  # fmt: skip
_KEYS = ("key", "secret", "token", "auth", "schlüssel")

_MARKS = r"[*_`\"'\])]{0,4}[ \t]{0,4}"
_SIGN = r"(?::=|=>|[:=：＝|])"
_BREAK = r"(?:[ \t]{0,8}\n[ \t]{1,12})?"
_BEFORE = r"(?:[*_`\"'(\[]|[ \t]){0,8}"
_ENDS = r"\s*`\"'<>|,;(){}\[\]，。；"
_SUBJECT = rf"(?:{_PASS_WORDS}|(?<![a-zA-Z0-9])(?:{_SHORT_WORDS}|{_KEY_WORDS}))"
_OBJECT = rf"[`\"'*「『“]{{0,3}}((?:[^{_ENDS}「」『』“”]|\*(?=\w)){{6,200}})"


_LETTER, _MARK = r"[^\W\d_]", rf"(?:_|[^\w{_ENDS}])"
#: A digit in one value with a letter, beside it or behind marks.
_MIXED = (
    rf"\d(?:(?<={_LETTER}\d)|(?<={_LETTER}{_MARK}\d)|(?<={_MARK}{_MARK}\d)"
    rf"|{_MARK}*{_LETTER})"
)
#: The end of a name of a key before its value.
_NAMED = rf"(?:{'|'.join(_KEYS)})s?(?:[ _-]base)?{_MARKS}{_SIGN}"
#: Required content of a line, for rules whose judge needs it.
_NEEDS: dict[Judge, str] = {
    is_password: r"[:=：＝|]",
    is_key: _MIXED,
    is_strong: _MIXED,
    is_spoken: _MIXED,
    is_phrase: "",
}


def _rule(
    words: tuple[str, ...], form: str, judge: Judge, lines: int = 1, needs: str = ""
) -> Rule:
    needed = re.compile(needs or _NEEDS[judge], re.IGNORECASE)
    return Rule(words, re.compile(form, re.IGNORECASE), judge, lines, needs=needed)


NAMES = (
    _rule(
        _PASSES,
        rf"(?:{_PASS_WORDS}|(?<![a-zA-Z0-9])(?:{_SHORT_WORDS})){_MARKS}{_SIGN}{_BREAK}"
        rf"{_BEFORE}([^{_ENDS}]{{4,400}})",
        is_password,
        lines=2,
    ),
    _rule(
        _KEYS,
        rf"(?<![a-zA-Z0-9])(?:{_KEY_WORDS}){_MARKS}{_SIGN}{_BREAK}{_BEFORE}"
        rf"([^{_ENDS}]{{8,400}})",
        is_key,
        lines=2,
        needs=_NAMED,
    ),
    _rule(
        tuple(_CHINESE_KEYS.split("|")),
        rf"(?:{_CHINESE_KEYS}){_MARKS}(?:{_SIGN}|[是为為]){_BEFORE}([!-~]{{8,400}})",
        is_key,
    ),
    # Words as a token: ``token: harbor-lantern-seven-moss``
    _rule(
        _KEYS,
        rf"(?<![a-zA-Z0-9])(?:{_KEY_WORDS}){_MARKS}{_SIGN}{_BEFORE}"
        r"((?:[a-z]{3,12}-){3,8}[a-z]{3,12})(?![\w/.-])",
        is_phrase,
        needs=_NAMED,
    ),
    # ``the admin password for x is …``, ``Das Passwort lautet …``, ``密码是…``
    _rule(
        _PASSES,
        rf"(?:{_PASS_WORDS})(?=(?:[ \t][^\s,:=]{{1,30}}){{0,8}}?(?:[ \t](?:is|was"
        rf"|lautet|ist|est|es|é|è|to)[ \t:]{{1,3}}(?:(?:now|jetzt|désormais|ahora"
        rf"|maintenant)[ \t]{{1,3}})?|[ \t]?[是为為は][ \t:：]{{0,3}}){_OBJECT})",
        is_spoken,
    ),
    _rule(
        (*_PASSES, *_KEYS),
        rf"{_SUBJECT}(?=(?:[ \t][^\s,:=]{{1,30}}){{0,8}}?(?:[ \t](?:is|are|was|lautet"
        rf"|ist|est|es|é|è|to)[ \t:]{{1,3}}|[ \t]?[:：][ \t]{{1,3}}"
        rf"|[ \t]?[是为為は][ \t:：]{{0,3}}){_OBJECT})",
        is_strong,
    ),
    # ``login dana password …``, ``signing key `…` ``
    _rule(
        (*_PASSES, *_KEYS),
        rf"{_SUBJECT}(?=(?:[ \t](?:value|string|code))?[ \t]{{1,3}}{_OBJECT})",
        is_strong,
    ),
    # ``the password that he told me (…)``
    _rule(
        _PASSES,
        rf"(?:{_PASS_WORDS})(?=(?:[ \t][^\s()]{{1,20}}){{0,5}}?[ \t]?"
        r"\([`\"']?([^\s()`\"']{6,60})[`\"']?\))",
        is_strong,
    ),
    _rule(
        ("wi-fi", "wifi", "wlan", "ssid"),
        r"(?:wi-?fi|wlan|ssid)[^\n]{0,80}?(?:key|password|pass|psk|code|kennwort|passwort"
        rf"|schlüssel|clé|密码)[ \t]?[:=：]?[ \t]{{1,3}}{_OBJECT}",
        is_spoken,
    ),
    _rule(
        ("wi-fi", "wifi", "wlan", "无线"),
        rf"(?:wi-?fi|wlan|无线)[^\n:=：]{{0,60}}[:=：]{_BEFORE}([^{_ENDS}]{{6,100}})",
        is_spoken,
    ),
    _rule(
        ("passphrase",),
        r"passphrase[\s:=*]{1,6}(?:is[ \t]{1,3})?[\"'`]([^\"'`\n]{8,200})",
        is_phrase,
    ),
    _rule(
        ("phrase", "mnemonic", "words", "助记词"),
        r"(?:(?:seed|recovery|mnemonic|backup|secret)[ _-]?(?:phrase|words)|mnemonic"
        r"|助记词)"
        r"[\s:=*`\"'：-]{1,20}((?:[a-z]{3,8}[ \t]{1,3}){11,23}[a-z]{3,8})\b",
        is_phrase,
        lines=3,
    ),
    _rule(
        ("pin", "code", "otp"),
        r"(?<![a-z])(?:pin(?:[ _-]?code)?|recovery[ _-]?codes?|backup[ _-]?codes?|otp)"
        rf"{_MARKS}[:=：]{_BEFORE}"
        r"(\d{4,8}(?![\w ]*[a-z])|[a-z0-9]{4,8}-[a-z0-9]{4,8})",
        is_phrase,
    ),
)

#: How far a table is followed, in lines, and how wide a row may be, in characters.
_MOST_ROWS, _WIDEST = 1000, 2000
_CODES = re.compile(
    r"(?:recovery|backup|2fa|einmal)[ _-]?codes?|备用码|恢复码", re.IGNORECASE
)
_CODE = re.compile(
    r"[ \t]*(?:[-*+]|\d{1,2}[.)])?[ \t]*`?"
    r"([A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10})*)`?[ \t]*"
)
#: Two groups, one of which has a digit: ``30a55-62605``.
_PAIR = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8}(?![\w-])")
_MOST_CODES = 24
_ROW = re.compile(r"[ \t]*\|(.+)\|[ \t]*")
_PASS_CELL = re.compile(
    rf"(?:[\w ]{{0,30}}[ _-])?(?:{_PASS_WORDS}|{_SHORT_WORDS})", re.IGNORECASE
)
_KEY_CELL = re.compile(rf"(?:[\w ]{{0,30}}[ _-])?(?:{_KEY_WORDS})", re.IGNORECASE)


def secrets_in_lists(text: str) -> Iterator[Span]:
    """Yield the codes listed below a line such as ``## Recovery codes``."""
    for start, end in lines_with(text.lower(), ("codes", "备用码", "恢复码")):
        heading = _CODES.search(text, start, end)
        if heading is None:
            continue
        yield from (c.span() for c in _PAIR.finditer(text, heading.end(), end))
        for _ in range(_MOST_CODES):
            stop = text.find("\n", end)
            code = _CODE.fullmatch(text, end, stop if stop >= 0 else len(text))
            if code is None or not any(map(str.isdigit, code[1])):
                break
            yield code.span(1)
            end = code.end() + 1


def secrets_in_tables(text: str) -> Iterator[Span]:
    """Yield the cells of Markdown tables below a heading such as ``Password``."""
    if "|" not in text:
        return
    for start, end in lines_with(text.lower(), (*_PASSES, *_KEYS)):
        row = _ROW.fullmatch(text[start:end].rstrip("\n"))
        before = text[max(0, start - _WIDEST) : start].rstrip().rpartition("\n")[2]
        if row and not _ROW.fullmatch(before):
            yield from _below(text, end, _headings(row[1]))


def _headings(row: str) -> dict[int, Judge]:
    """Return the columns whose heading names a secret, each with its judge."""
    found: dict[int, Judge] = {}
    for column, cell in enumerate(row.split("|")):
        if _PASS_CELL.fullmatch(cell.strip(" \t*_`")):
            found[column] = is_password
        elif _KEY_CELL.fullmatch(cell.strip(" \t*_`")):
            found[column] = is_key
    return found


def _below(text: str, place: int, judges: dict[int, Judge]) -> Iterator[Span]:
    """Yield secrets in the rows from `place` on, across blank lines."""
    for _ in range(_MOST_ROWS if judges else 0):
        end = text.find("\n", place)
        end = end if end >= 0 else len(text)
        row = _ROW.fullmatch(text, place, end)
        if (row is None and text[place:end].strip()) or place >= len(text):
            return
        if row is not None:
            yield from _judged(text, _cells(text, *row.span(1)), judges)
        place = end + 1


def _judged(
    text: str, cells: Iterator[Span], judges: dict[int, Judge]
) -> Iterator[Span]:
    for column, (start, end) in enumerate(cells):
        value, judge = text[start:end], judges.get(column)
        if judge and " " not in value and judge(value, True):
            yield start, end


def _cells(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges of a row's cells, without blanks and code marks."""
    while start <= end:
        bar = text.find("|", start, end)
        stop = bar if bar >= 0 else end
        cell = text[start:stop]
        left = len(cell) - len(cell.lstrip(" \t*_`"))
        yield start + left, start + max(left, len(cell.rstrip(" \t*_`")))
        start = stop + 1
