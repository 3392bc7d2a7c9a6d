"""What looks like a secret in a text: a help, never a guarantee.

Found by the form that keys of known services have, and by words such as ``password``
in front of a value, with the bold marks and blanks agents put in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: What stands in a text instead of a secret.
MASK = "••••••••"

_KEYS = (
    r"sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,200}",
    r"gh[pousr]_[A-Za-z0-9]{20,255}",
    r"github_pat_[A-Za-z0-9_]{20,255}",
    r"glpat-[A-Za-z0-9_-]{16,100}",
    r"xox[abeprs]-[A-Za-z0-9-]{10,200}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,300}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}",
    r"(?:hf|npm|dop_v1|shpat|whsec)_[A-Za-z0-9]{16,200}",
    r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{4,2000}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
)
_KEY = re.compile(r"(?<![A-Za-z0-9_])(?:" + "|".join(_KEYS) + r")", re.ASCII)
_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}"
    r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
)
_NAMED = re.compile(
    r"(?<![A-Za-z0-9])(pass(?:word|wd|phrase|code)|pwd|secret|token"
    r"|(?:api|access|secret|private|auth|client)[ _-]?(?:key|secret|token)|密码|口令)"
    r"(?:[*_`\"']|[ \t])*[:=：](?:[*_`\"']|[ \t]){0,8}([^\s*`\"'<>|,;(){}\[\]]{6,200})",
    re.IGNORECASE,
)
#: What has to be there for a name to have a value: found quickly in folded text.
_ANY_NAMED = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|key|密码|口令)"
    r"(?:[*_`\"']|[ \t])*[:=：]"
)
_ANY_LOGIN = re.compile(r"://[^\s/:@]{1,80}:[^\s/:@]{3,200}@")
_URL_LOGIN = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,80}:([^\s/:@]{3,200})@")
#: A value that stands for one: ``xxxxxxxx``, ``$TOKEN``, ``your-key-here``.
_STAND_IN = re.compile(
    r"[$%].*|[x*.•\-_#0]+|(?:your|my|the|example|changeme|redacted|masked|none|null"
    r"|todo|rotated|env|process|os|vault|see)\b.*|.*[•…].*|\w{1,12}://.*",
    re.IGNORECASE | re.DOTALL,
)


class Secret(NamedTuple):
    """Where something that looks like a secret stands, as offsets into a text."""

    start: int
    end: int


def find_secrets(text: str) -> list[Secret]:
    """Return what looks like a secret, in order and without overlaps."""
    found: list[Secret] = []
    for secret in sorted(_candidates(text)):
        if found and secret.start < found[-1].end:
            longer = max(found[-1].end, secret.end)
            found[-1] = Secret(found[-1].start, longer)
        else:
            found.append(secret)
    return found


def masked(text: str) -> tuple[str, int]:
    """Return a text with every such string masked, and how many there were.

    Lines stay: one that is in several lines is masked in each of them.
    """
    parts, place = [], 0
    secrets = find_secrets(text)
    for start, end in secrets:
        lines = text[start:end].count("\n")
        parts += [text[place:start], "\n".join([MASK] * (lines + 1))]
        place = end
    return "".join([*parts, text[place:]]), len(secrets)


def _candidates(text: str) -> Iterator[Secret]:
    for pattern in (_KEY, _BLOCK):
        yield from (Secret(*found.span()) for found in pattern.finditer(text))
    if _ANY_NAMED.search(text.casefold()):
        for found in _NAMED.finditer(text):
            if _is_secret(found[1], found[2]):
                yield Secret(*found.span(2))
    if _ANY_LOGIN.search(text):
        for found in _URL_LOGIN.finditer(text):
            if not _STAND_IN.fullmatch(found[1]):
                yield Secret(*found.span(1))


def _is_secret(name: str, value: str) -> bool:
    """Tell a value from a word: a key is long, and neither is plain language."""
    if _STAND_IN.fullmatch(value):
        return False
    mixed = any(c.isdigit() for c in value) or not value.isalnum()
    if name.casefold().startswith(("pass", "pwd", "密", "口")):
        return mixed
    return len(value) >= 8 and any(c.isdigit() for c in value)
