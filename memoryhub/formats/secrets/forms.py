"""Rules for secrets by their form: keys of services, headers, addresses, command lines.

They complement a scanner whose rules follow the key formats of services
(`memoryhub.formats.secrets.detection`): only forms that it omits or is stricter on.
"""

from __future__ import annotations

import re

from memoryhub.formats.secrets.rules import (
    Rule,
    is_credential,
    is_jumbled,
    is_phrase,
    is_random,
    is_spoken,
    is_strong,
)


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
