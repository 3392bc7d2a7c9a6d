r"""Rules for secrets: words of a line, and a search that starts in such a line.

Forms of keys that Kingfisher omits or is stricter on, places for credentials, and words
of nine languages, such as ``password``, in front of a value. Between word and value
there may be agents' usual separators: bold marks, code marks, blanks, a line break.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from memoryhub.formats.secrets.values import (
    Judge,
    is_credential,
    is_key,
    is_long_credential,
    is_password,
    is_phrase,
    is_spoken,
    is_strong,
    is_token,
)

#: Offsets into a text.
Span = tuple[int, int]

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
#: What the lines with one of the words above have in them.
_PASSES = (
    "pass|pwd|pw|cred|kennwort|contraseña|senha|wachtwoord|hasło|пароль|パスワード"
    "|비밀번호|密码|密碼|口令"
)
_KEYS = "key|secret|token|auth|schlüssel|密钥|密鑰|令牌"

_SIGN = r"[*_`\"'\])]{0,4}[ \t]{0,4}(?::=|=>|[:=：＝|])"
_BREAK = r"(?:[ \t]{0,8}\n[ \t]{1,12})?"
_BEFORE = r"(?:[*_`\"'(\[]|[ \t]){0,8}"
_ENDS = r"\s*`\"'<>|,;(){}\[\]，。；"
_ALONE = r"(?<![a-zA-Z0-9])"
_PASS = rf"(?:{_PASS_WORDS}|{_ALONE}(?:{_SHORT_WORDS}))"
_KEY = rf"(?:{_ALONE}(?:{_KEY_WORDS})|密钥|密鑰|令牌)"
_OBJECT = rf"[`\"'*「『“]{{0,3}}((?:[^{_ENDS}「」『』“”]|\*(?=\w)){{6,200}})"
_SOME_WORDS = r"(?:[ \t][^\s,:=]{1,30}){0,8}?"
_IS = r"lautet|ist|est|es|é|è|to)[ \t:]{1,3}"
_NOW = r"(?:(?:now|jetzt|désormais|ahora|maintenant)[ \t]{1,3})?"
_IS_IN_ASIA = r"[ \t]?[是为為は][ \t:：]{0,3}"
_ARGUMENT = r"([^\s\"']{3,200})"
_ANY = r"[^\n]{0,200}?[ \t]"


_LETTER, _MARK = r"[^\W\d_]", r"(?:_|[^\w\s])"
#: A digit in one value with a letter, beside it or behind marks.
_MIXED = re.compile(
    rf"\d(?:(?<={_LETTER}\d)|(?<={_LETTER}{_MARK}\d)|(?<={_MARK}{_MARK}\d)"
    rf"|{_MARK}*{_LETTER})"
)


class Rule(NamedTuple):
    """What is searched for in lines that have one of the words, in lower case.

    `find` gets a text, and the range of such a line and of those up to `lines` of them.
    """

    words: tuple[str, ...]
    find: Callable[[str, int, int], Iterator[Span]]
    lines: int = 1


def _rule(
    words: str, pattern: str, judge: Judge, flags: int = 0, lines: int = 1
) -> Rule:
    """Return a rule by a pattern: its groups, else the match, if the judge agrees."""
    find = partial(_matches, re.compile(pattern, flags), judge)
    return Rule(tuple(words.split("|")), find, lines)


def _matches(
    pattern: re.Pattern[str], judge: Judge, text: str, start: int, end: int
) -> Iterator[Span]:
    # Both want digits and letters, which most lines with such a word lack.
    if judge in (is_spoken, is_strong) and not _MIXED.search(text, start, end):
        return
    for found in pattern.finditer(text, start, end):
        for group in range(min(1, pattern.groups), pattern.groups + 1):
            first, last = found.span(group)
            # The stop of its sentence is none of a value.
            while last > first and text[last - 1] in ".:?、":
                last -= 1
            if first >= 0 and judge(text[first:last], _ends_line(text, last)):
                yield first, last


def _ends_line(text: str, end: int) -> bool:
    """Return whether only marks follow a value, or a quotation mark immediately."""
    rest = text[end : end + 12].split("\n")[0]
    return rest[:1] in {'"', "'", "`"} or not rest.strip(" \t*_`\"',;|.)")


_TOKENS = _rule(
    "mhub_|sk-|sk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|gldt-|glrt-|glft-"
    "|glsoat-|glptt-|glcbt-|xox|akia|asia|abia|acca|aiza|ya29.|1//0|gocspx-|_live_"
    "|_test_|hf_|npm_|dop_v1_|doo_v1_|shpat_|shpss_|whsec_|sbp_|figd_|ntn_|lin_api_"
    "|fm1_|fm2_|sntrys_|pscale_|glsa_|m0-|re_|tvly-|pplx-|xai-|nvapi-|gsk_|r8_|jina_"
    "|fc-|ltai|akid|secret_|hvs.|hvb.|hvr.|dp.|key-|-us|sq0|discord|:aa|eyj"
    "|hooks.slack.com|/api/webhooks/",
    r"(?<![A-Za-z0-9_])(?:"
    # Names of services in front of a random part.
    r"(?:(?:mhub|gh[pousr]|github_pat|hf|npm|do[op]_v1|shpat"
    r"|shpss|whsec|sbp|figd|ntn|lin_api|fm[12]|sntrys|pscale_pw|pscale_tkn|glsa|gsk|r8"
    r"|jina|re|secret|sk)_"
    r"|(?:sk|gl(?:pat|dt|rt|ft|soat|ptt|cbt)|GOCSPX|m0|tvly|pplx|xai|nvapi"
    r"|fc|key|sq0(?:csp|atp|idp)|(?i:age-secret-key))-"
    r"|(?:ya29|hv[sbr])\.|1//0|AIza)[\w/+-]{16,400}"
    r"|dp\.(?:st|pt|ct|scim|audit)\.[\w.-]{20,100}"
    r"|(?:xox[abeprs]-|[srp]k_(?:live|test)_)[\w-]{10,400}"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|(?:LTAI|AKID)[A-Za-z0-9]{12,40}"
    r"|[0-9a-f]{32}-us[0-9]{1,2}|(?:bot)?\d{8,10}:AA[\w-]{33}"
    r"|[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"
    r"|eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}\.[\w-]{4,2000}"
    r"|https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/]{20,200}"
    r"|https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{40,100})",
    is_token,
    re.ASCII,
)
_PLACES = (
    _rule(
        "authorization|bearer",
        r"(?i:authorization)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?i:bearer|basic|token"
        r"|digest)[ \t]{1,3}([\w.~+/=-]{8,4000})"
        r"|\b[Bb]earer[ \t]{1,3}[`\"']?([\w.~+/=-]{20,4000})",
        is_long_credential,
        re.ASCII,
    ),
    _rule(
        "sig=|signature=|security-token=|accountkey=|-key-data|certificate-key",
        r"(?:(?i:sig|signature|security-token|AccountKey)=|(?:client-key-data"
        r"|certificate-key):[ \t]{0,4})([A-Za-z0-9+/=%_-]{20,8000})",
        is_credential,
    ),
    _rule(
        "://|apitoken|--private-key|--token|--password|--api-key|--secret",
        r"\w{2,20}://[^\s/:@]{0,80}:([^\s/:@]{3,200})@"
        r"|otpauth://\S{1,200}?[?&]secret=([A-Za-z2-7]{8,128})"
        r"|(?:alchemy\.com|infura\.io|quiknode\.pro)/(?:v\d/)?([A-Za-z0-9_-]{24,80})"
        r"|(?i:APIToken)=[^\s=]{3,80}=([0-9a-f-]{36})"
        r"|--(?:private-key|token|password|api-key|secret)[ =][\"']?"
        r"([^\s\"'$<{]{6,400})",
        is_credential,
    ),
    _rule(":_auth", r"//[^\s:]{1,200}/:_auth(?:Token)?=(\S{8,300})", is_credential),
    _rule(
        "curl|mysql|mariadb|sshpass|login|redis-cli|sqlcmd|net use",
        r"\b(?:curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ =]?[\"']?[^\s:\"']{1,80}:"
        rf"|(?:mysql(?:dump|admin)?|mariadb)\b{_ANY}-p"
        r"|sshpass[ \t]{1,3}-p[ \t]{0,3}"
        rf"|(?:docker|podman|helm|npm|az|oc)\b[^\n]{{0,60}}? login\b{_ANY}-p[ =]"
        rf"|redis-cli\b{_ANY}-a[ \t]{{1,3}}|sqlcmd\b{_ANY}-P[ \t]{{0,3}}"
        rf"|net use\b{_ANY}/user:\S{{1,80}}[ \t]{{1,3}}(?!/))[\"']?{_ARGUMENT}",
        is_credential,
    ),
    _rule(
        "cookie|csrf|session|auth|token|browser|logged in",
        r"(?<![\w-])(?!sha|commit|digest|hash|etag|rev|integrity|checksum|version|id=)"
        r"[\w.-]{1,40}=([A-Za-z0-9._~+/%|-]{20,4000})(?=[;\s\"'`]|$)",
        is_token,
        re.MULTILINE,
    ),
    _rule(
        "totp|2fa|otp|authenticator|setup key|einrichtungsschlüssel",
        r"(?<![A-Za-z0-9])([A-Z2-7]{16,64})(?![A-Za-z0-9])",
        is_phrase,
    ),
    _rule(
        "wifi:|private-mac:|0-|1-|2-|3-|4-|5-|6-|7-|8-|9-",
        r"WIFI:[^\n]{0,100}?P:([^;\n]{4,80});|(?<!\d)(\d{6}(?:-\d{6}){7})(?!\d)"
        r"|Private-MAC: ([0-9a-f]{40,64})",
        is_phrase,
    ),
    # App passwords of mail providers: four groups of four letters.
    _rule(
        "app pass|app-pass|password|passwort|应用专用密码",
        r"(?<![a-z ])[ |`*:]{0,4}([a-z]{4}(?: [a-z]{4}){3})(?![ ]?[a-z])",
        is_phrase,
    ),
    _rule(
        "login|user|account|cred|auth|access",
        r"`[\w.@-]{2,60}`[ \t]?[/:,][ \t]?`([^\s`]{6,100})`",
        is_spoken,
    ),
    _rule(
        "login|user|account|cred|zugang|anmeld|access",
        r"(?<![\w/~.-])[\w.@-]{2,60}[ \t]?/[ \t]?[`\"']?"
        r"([^\s`\"'<>|,;(){}\[\]/]{6,100})",
        is_strong,
    ),
    _rule(
        "private key",
        r"-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----)){0,20000}"
        r"(?:-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
        is_phrase,
        lines=200,
    ),
    _rule(
        "private-lines:",
        r"Private-Lines: \d{1,3}\s{1,4}([A-Za-z0-9+/=][A-Za-z0-9+/=\s]{20,8000})"
        r"\n(?=Private-MAC)",
        is_phrase,
        lines=120,
    ),
)
_NAMES = (
    _rule(
        _PASSES,
        rf"{_PASS}{_SIGN}{_BREAK}{_BEFORE}([^{_ENDS}]{{4,400}})",
        is_password,
        re.IGNORECASE,
        lines=2,
    ),
    _rule(
        _KEYS,
        rf"{_KEY}{_SIGN}{_BREAK}{_BEFORE}([^{_ENDS}]{{8,400}})",
        is_key,
        re.IGNORECASE,
        lines=2,
    ),
    # ``the admin password for x is …``, ``Das Passwort lautet …``, ``密码是…``
    _rule(
        _PASSES,
        rf"(?:{_PASS_WORDS})(?={_SOME_WORDS}"
        rf"(?:[ \t](?:is|was|{_IS}{_NOW}|{_IS_IN_ASIA}){_OBJECT})",
        is_spoken,
        re.IGNORECASE,
    ),
    # The same, ``login dana password …``, ``signing key `…` ``, and
    # ``the password that he told me (…)``
    _rule(
        f"{_PASSES}|{_KEYS}",
        rf"(?:{_PASS}|{_KEY})"
        rf"(?={_SOME_WORDS}(?:[ \t](?:is|are|was|{_IS}|[ \t]?[:：][ \t]{{1,3}}"
        rf"|{_IS_IN_ASIA}){_OBJECT}|)"
        rf"(?=(?:[ \t](?:value|string|code))?[ \t]{{1,3}}{_OBJECT}|)"
        r"(?=(?:[ \t][^\s()]{1,20}){0,5}?[ \t]?\([`\"']?([^\s()`\"']{6,60})[`\"']?\)|)",
        is_strong,
        re.IGNORECASE,
    ),
    _rule(
        "wi-fi|wifi|wlan|ssid|无线",
        r"(?:wi-?fi|wlan|ssid|无线)(?=[^\n]{0,80}?(?:key|password|pass|psk|code|kennwort"
        rf"|passwort|schlüssel|clé|密码)[ \t]?[:=：]?[ \t]{{1,3}}{_OBJECT}|)"
        rf"(?=[^\n:=：]{{0,60}}[:=：]{_BEFORE}([^{_ENDS}]{{6,100}})|)",
        is_spoken,
        re.IGNORECASE,
    ),
    _rule(
        "phrase|mnemonic|words|助记词",
        r"passphrase[ \t:=*]{1,6}(?:is[ \t]{1,3})?[\"'`]([^\"'`\n]{8,200})"
        r"|(?:(?:seed|recovery|mnemonic|backup|secret)[ _-]?(?:phrase|words)|mnemonic"
        r"|助记词)[\s:=*`\"'：-]{1,20}((?:[a-z]{3,8}[ \t]{1,3}){11,23}[a-z]{3,8})\b",
        is_phrase,
        re.IGNORECASE,
        lines=3,
    ),
    _rule(
        "pin|code|otp",
        r"(?<![a-z])(?:(?:pin|recovery|backup)(?:[ _-]?codes?)?|otp)"
        rf"[*_`\"'\])]{{0,4}}[ \t]{{0,4}}[:=：]{_BEFORE}"
        r"(\d{4,8}(?![\w ]*[a-z])|[a-z0-9]{4,8}-[a-z0-9]{4,8})",
        is_phrase,
        re.IGNORECASE,
    ),
)

#: How far a table and a list of codes are followed, in lines.
_MOST_ROWS, _MOST_CODES = 1000, 24
_CODES = re.compile(
    r"(?:recovery|backup|2fa|einmal)[ _-]?codes?|备用码|恢复码", re.IGNORECASE
)
_CODE = re.compile(
    r"[ \t]*+(?:[-*+]|\d{1,2}[.)])?[ \t]*`?"
    r"([A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10})*)`?[ \t]*(?:\n|\Z)"
)
#: Two groups, one of which has a digit: ``30a55-62605``.
_PAIR = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8}(?![\w-])")
_ROW = re.compile(r"[ \t]*\|(.+)\|[ \t]*(?:\n|\Z)")
_BLANK = re.compile(r"[ \t]*\n")
_CELLS: dict[Judge, re.Pattern[str]] = {
    judge: re.compile(rf"(?:[\w ]{{0,30}}[ _-])?(?:{words})", re.IGNORECASE)
    for judge, words in (
        (is_password, f"{_PASS_WORDS}|{_SHORT_WORDS}"),
        (is_key, _KEY_WORDS),
    )
}
_CELL_MARKS = " \t*_`"


def _codes(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the codes listed below a line such as ``## Recovery codes``."""
    if heading := _CODES.search(text, start, end):
        yield from (code.span() for code in _PAIR.finditer(text, heading.end(), end))
        for _ in range(_MOST_CODES):
            code = _CODE.match(text, end)
            if code is None or not any(map(str.isdigit, code[1])):
                break
            yield code.span(1)
            end = code.end()


def _cells(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield cells of a Markdown table below a heading such as ``Password``."""
    row, above = _ROW.match(text, start), start
    while row and above and text[above - 1].isspace():
        above -= 1
    if row is None or _ROW.match(text, text.rfind("\n", 0, above) + 1, above):
        return
    heads = [cell.strip(_CELL_MARKS) for cell in row[1].split("|")]
    judges = [
        next((judge for judge, named in _CELLS.items() if named.fullmatch(head)), None)
        for head in heads
    ]
    for _ in range(_MOST_ROWS if any(judges) else 0):
        end = row.end()
        while blank := _BLANK.match(text, end):
            end = blank.end()
        row = _ROW.match(text, end)
        if row is None:
            return
        place = row.start(1)
        for judge, cell in zip(judges, row[1].split("|"), strict=False):
            value = cell.strip(_CELL_MARKS)
            first = place + len(cell) - len(cell.lstrip(_CELL_MARKS))
            if judge and " " not in value and judge(value, True):
                yield first, first + len(value)
            place += len(cell) + 1


RULES = (
    _TOKENS,
    *_PLACES,
    *_NAMES,
    Rule(("codes", "备用码", "恢复码"), _codes),
    Rule(tuple(f"{_PASSES}|{_KEYS}".split("|")), _cells),
)
