"""Detection of probable secrets in a text: a help, never a guarantee.

Three sources: the rules of Kingfisher, a scanner that is kept up to date with the key
formats of services; forms that it omits or is stricter on; and words of nine
languages, such as ``password``, in front of a value. Between word and value there may
be agents' usual separators: bold marks, code marks, blanks, a line break, the bar of a
table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.secrets import MASK
from memoryhub.formats.secrets.rules import (
    Judge,
    Rule,
    Span,
    is_credential,
    is_jumbled,
    is_key,
    is_password,
    is_phrase,
    is_random,
    is_spoken,
    is_stand_in,
    is_strong,
    is_uuid,
    lines_with,
    spans_by,
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
    r"[ \t]*+(?:[-*+]|\d{1,2}[.)])?[ \t]*`?"
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


def _is_token(value: str, ends: bool) -> bool:
    return is_random(value) or is_jumbled(value)


def _is_long(value: str, ends: bool) -> bool:
    return len(value) >= 8 and is_credential(value)


def _is_block(value: str, ends: bool) -> bool:
    return True


def _token(words: str, form: str) -> Rule:
    pattern = re.compile(rf"(?<![A-Za-z0-9_]){form}", re.ASCII)
    return Rule(tuple(words.split()), pattern, _is_token, exact=True)


def _place(words: str, form: str) -> Rule:
    judge = _is_long if "uthorization" in form or "earer" in form else is_credential
    return Rule(tuple(words.split(" | ")), re.compile(form), judge)


_TOKENS = (
    _token("mhub_", r"mhub_[A-Za-z0-9_-]{20,100}"),
    _token("sk-", r"sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{20,200}"),
    _token("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    _token(
        "glpat- gldt- glrt- glft- glsoat- glptt- glcbt-",
        r"gl(?:pat|dt|rt|ft|soat|ptt|cbt)-[A-Za-z0-9_-]{16,100}",
    ),
    _token("xox", r"xox[abeprs]-[A-Za-z0-9-]{10,200}"),
    _token("AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _token("AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("ya29.", r"ya29\.[A-Za-z0-9_-]{20,400}"),
    _token("1//0", r"1//0[A-Za-z0-9_-]{30,200}"),
    _token("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,60}"),
    _token("_live_ _test_", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}"),
    _token(
        "hf_ npm_ dop_v1_ doo_v1_ shpat_ shpss_ whsec_ sbp_ figd_ ntn_ lin_api_"
        " fm1_ fm2_ sntrys_ pscale_ glsa_",
        r"(?:hf|npm|do[op]_v1|shpat|shpss|whsec|sbp|figd|ntn|lin_api|fm[12]|sntrys"
        r"|pscale_pw|pscale_tkn|glsa)_[A-Za-z0-9_/+-]{16,400}",
    ),
    _token("m0-", r"m0-[A-Za-z0-9]{20,100}"),
    _token("sk_", r"sk_[A-Za-z0-9]{32,200}"),
    _token("re_", r"re_[A-Za-z0-9]{6,12}_[A-Za-z0-9_-]{20,40}"),
    _token("tvly- pplx- xai- nvapi-", r"(?:tvly|pplx|xai|nvapi)-[A-Za-z0-9_-]{20,200}"),
    _token("gsk_ r8_ jina_", r"(?:gsk|r8|jina)_[A-Za-z0-9]{30,100}"),
    _token("fc-", r"fc-[0-9a-f]{32}"),
    _token("LTAI AKID", r"(?:LTAI|AKID)[A-Za-z0-9]{12,40}"),
    _token("secret_", r"secret_[A-Za-z0-9]{40,50}"),
    _token("hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{20,300}"),
    _token("dp.", r"dp\.(?:st|pt|ct|scim|audit)\.[A-Za-z0-9_.-]{20,100}"),
    _token("key-", r"key-[0-9a-f]{32}"),
    _token("-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _token("sq0", r"sq0(?:csp|atp|idp)-[A-Za-z0-9_-]{22,60}"),
    _token(
        "age-secret-key- AGE-SECRET-KEY-", r"(?i:age-secret-key-)1[A-Za-z0-9]{50,70}"
    ),
    _token(
        "discord Discord DISCORD",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    ),
    _token(":AA", r"(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _token(
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{4,2000}",
    ),
    _token(
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/]{20,200}",
    ),
    _token(
        "/api/webhooks/",
        r"https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{40,100}",
    ),
)
_PLACES = (
    _place(
        "authorization",
        r"(?i:authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?i:bearer|basic|token|digest)"
        r"\s{1,3}([A-Za-z0-9._~+/=-]{8,4000})",
    ),
    _place("bearer", r"\b[Bb]earer\s{1,3}[`\"']?([A-Za-z0-9._~+/=-]{20,4000})"),
    _place(
        "sig= | signature= | security-token=",
        r"(?i:sig|signature|security-token)=([A-Za-z0-9+/%_-]{20,2000})",
    ),
    _place("://", r"\w{2,20}://[^\s/:@]{0,80}:([^\s/:@]{3,200})@"),
    _place("otpauth:", r"otpauth://\S{1,200}?[?&]secret=([A-Za-z2-7]{8,128})"),
    _place("accountkey=", r"AccountKey=([A-Za-z0-9+/=]{40,120})"),
    _place(
        "curl",
        r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,80}"
        r":([^\s\"']{3,200})",
    ),
    _place(
        "mysql | mariadb",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p[\"']?([^\s\"']{3,100})",
    ),
    _place("sshpass", r"\bsshpass\s{1,3}-p\s{0,3}[\"']?([^\s\"']{3,100})"),
    _place(
        "login",
        r"\b(?:docker|podman|helm|npm|az|oc)\b[^\n]{0,60}? login\b[^\n]{0,200}?"
        r"\s(?:-p|--password)[ =][\"']?([^\s\"']{3,200})",
    ),
    _place(
        "redis-cli", r"\bredis-cli\b[^\n]{0,200}?\s-a\s{1,3}[\"']?([^\s\"']{3,200})"
    ),
    _place("sqlcmd", r"\bsqlcmd\b[^\n]{0,200}?\s-P\s{0,3}[\"']?([^\s\"']{3,100})"),
    _place(
        "net use", r"\bnet use\b[^\n]{0,200}?/user:\S{1,80}\s{1,3}([^\s/]\S{2,100})"
    ),
    _place(
        "-key-data | certificate-key",
        r"(?:client-key-data|certificate-key):\s{0,4}([A-Za-z0-9+/=]{40,8000})",
    ),
    _place(
        "apitoken",
        r"(?i:PVEAPIToken|APIToken)=[^\s=]{3,80}=([0-9a-f-]{36})",
    ),
    _place(
        "alchemy.com/ | infura.io/ | quiknode",
        r"(?:alchemy\.com|infura\.io|quiknode\.pro)/(?:v\d/)?([A-Za-z0-9_-]{24,80})",
    ),
    _place(
        "--private-key | --token | --password | --api-key | --secret",
        r"--(?:private-key|token|password|api-key|secret)[ =][\"']?"
        r"([^\s\"'$<{]{6,400})",
    ),
    _place(":_auth", r"//[^\s:]{1,200}/:_auth(?:Token)?=([^\s]{8,300})"),
)
_COOKIES = (
    Rule(
        ("cookie",),
        re.compile(
            r"(?<==)([A-Za-z0-9._~+/%|-]{16,4000})(?=[;\s\"'`]|$)", re.MULTILINE
        ),
        _is_token,
    ),
    Rule(
        ("csrf", "session", "auth", "token", "browser", "logged in"),
        re.compile(
            r"(?<![\w-])(?!sha|commit|digest|hash|etag|rev|integrity|checksum|version|id=)"
            r"[\w.-]{1,40}=([A-Za-z0-9._~+%|-]{32,4000})(?=[;\s\"'`]|$)",
            re.MULTILINE,
        ),
        _is_token,
    ),
)
_SETUPS = (
    Rule(
        ("totp", "2fa", "otp", "authenticator", "setup key", "einrichtungsschlüssel"),
        re.compile(r"(?<![A-Za-z0-9])([A-Z2-7]{16,64})(?![A-Za-z0-9])"),
        is_phrase,
        needs=re.compile(r"(?i:key|secret|seed|setup|schlüssel)"),
    ),
    Rule(("wifi:",), re.compile(r"WIFI:[^\n]{0,100}?P:([^;\n]{4,80});"), is_phrase),
    Rule(("-",), re.compile(r"(?<!\d)\d{6}(?:-\d{6}){7}(?!\d)"), is_phrase),
    # App passwords of mail providers: four groups of four letters.
    Rule(
        ("app pass", "app-pass", "password", "passwort", "应用专用密码"),
        re.compile(r"(?<![a-z ])[ |`*:]{0,4}([a-z]{4}(?: [a-z]{4}){3})(?![ ]?[a-z])"),
        is_phrase,
    ),
    Rule(
        ("login", "user", "account", "cred", "auth", "access"),
        re.compile(r"`[\w.@-]{2,60}`[ \t]?[/:,][ \t]?`([^\s`]{6,100})`"),
        is_spoken,
    ),
    Rule(
        ("login", "user", "account", "cred", "zugang", "anmeld", "access"),
        re.compile(
            r"(?<![\w/~.-])[\w.@-]{2,60}[ \t]?/[ \t]?[`\"']?"
            r"([^\s`\"'<>|,;(){}\[\]/]{6,100})"
        ),
        is_strong,
    ),
)
_BLOCKS = (
    Rule(
        ("private key",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----)){0,20000}"
            r"(?:-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        _is_block,
        lines=200,
    ),
    Rule(
        ("private-lines:",),
        re.compile(
            r"Private-Lines: \d{1,3}\s{1,4}([A-Za-z0-9+/=][A-Za-z0-9+/=\s]{20,8000})"
            r"\n(?=Private-MAC)"
        ),
        _is_block,
        lines=120,
    ),
    Rule(("private-mac:",), re.compile(r"Private-MAC: ([0-9a-f]{40,64})"), _is_token),
)
FORMS = (*_TOKENS, *_PLACES, *_COOKIES, *_SETUPS, *_BLOCKS)


_RULES = (*FORMS, *NAMES)
_SHORT, _LONG = 12, 20
_PIECE = 32_768


class Secret(NamedTuple):
    """Position of a probable secret, as offsets into a text."""

    start: int
    end: int


def find_secrets(text: str, *, scan: bool = True) -> list[Secret]:
    """Return the probable secrets, in order and without overlaps.

    Without `scan` only those that the hub's own rules find.
    """
    spans = chain(
        spans_by(_RULES, text),
        secrets_in_tables(text),
        secrets_in_lists(text),
        _scanned(text) if scan else (),
    )
    found: list[Secret] = []
    for start, end in sorted(spans):
        if found and start < found[-1].end:
            found[-1] = Secret(found[-1].start, max(found[-1].end, end))
        else:
            found.append(Secret(start, end))
    return found


def lines_of_secrets(text: str) -> list[Lines]:
    """Return the lines of each probable secret, in order.

    A text is searched piece by piece, cut at blank lines: of one that grew only the
    last piece is searched again.
    """
    found: list[Lines] = []
    start, line = 0, 1
    while start < len(text):
        end = _end_of_piece(text, start)
        piece = text[start:end]
        for first, last in _numbers_in(_Piece(piece)):
            found.append(Lines(line + first, line + last))
        start, line = end, line + piece.count("\n")
    return found


def _end_of_piece(text: str, start: int) -> int:
    least, most = start + _PIECE // 2, start + _PIECE
    for sign, begin, end in (("\n\n", least, most), ("\n", most, None)):
        if (at := text.find(sign, begin, end)) >= 0:
            return at + len(sign)
    return len(text)


class _Piece:
    """A piece of a text, known by its hash: those of many long logs are remembered."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.known = hash(text), hash(text[1:]), len(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Piece) and self.known == other.known

    def __hash__(self) -> int:
        return hash(self.known)


@lru_cache(maxsize=8192)
def _numbers_in(found: _Piece) -> tuple[tuple[int, int], ...]:
    """Return the first and last line of each secret, counted from 0."""
    piece, found.text = found.text, ""
    return tuple(
        (piece.count("\n", 0, start), piece.count("\n", 0, end))
        for start, end in find_secrets(piece)
    )


def prepare() -> None:
    """Load the scanner, so that no page waits for it: half a second, once five."""
    _scanner()


def masked(text: str, *, scan: bool = True) -> tuple[str, int]:
    """Return a text with all probable secrets masked, and their number.

    Line counts stay: a secret over several lines is masked in each of them.
    """
    parts, place = [], 0
    secrets = find_secrets(text, scan=scan)
    for start, end in secrets:
        lines = text[start:end].count("\n")
        parts += [text[place:start], "\n".join([MASK] * (lines + 1))]
        place = end
    return "".join([*parts, text[place:]]), len(secrets)


def _scanned(text: str) -> Iterator[Span]:
    """Yield the scanner's findings."""
    data = text.encode("utf-8", "surrogatepass")
    places = sorted(
        (start + begin, start + end)
        for start, piece in _pieces(data)
        for begin, end in _found_in(piece)
    )
    return iter(places) if len(data) == len(text) else _in_characters(data, places)


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines: some of the scanner's rules take square time of a text."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + _PIECE) + 1
        end = end if end > start else start + _PIECE
        yield start, data[start:end]
        start = end


def _found_in(data: bytes) -> Iterator[Span]:
    for finding in _scanner().scan(data):
        if _is_kept(finding.secret):
            yield _place_of(finding, data)


def _is_kept(secret: str) -> bool:
    """Return whether a finding is a secret rather than the account name next to it."""
    is_name = is_stand_in(secret) or is_uuid(secret)
    return (
        not is_name
        and len(secret) >= _SHORT
        and (is_random(secret) or len(secret) >= _LONG)
    )


def _place_of(finding: Any, data: bytes) -> Span:
    """Return the byte range of the secret within the range matched by a rule."""
    start, end = finding.location["start_offset"], finding.location["end_offset"]
    secret = finding.secret.encode()
    at = data.find(secret, start, end)
    return (at, at + len(secret)) if at >= 0 else (start, end)


def _in_characters(data: bytes, places: list[Span]) -> Iterator[Span]:
    """Yield offsets of bytes as offsets of characters; `places` are in order."""
    done = characters = 0
    for start, end in places:
        characters += len(data[done:start].decode("utf-8", "replace"))
        done = start
        yield characters, characters + len(data[start:end].decode("utf-8", "replace"))


@cache
def _scanner() -> Any:
    """Return the scanner: its rules are compiled once and read from a cache later.

    Loaded here, because most commands mask nothing and loading takes half a second.
    """
    kingfisher = import_module("kingfisher_sdk")
    return kingfisher.Scanner(kingfisher.Rules(), base64=False)
