"""Rules for secrets: keywords of a line, a pattern, and a judge of the value.

Memory files mention passwords far more often than they hold one: types, paths, code,
placeholders and plain words are no secrets.

A pattern is tried only in lines with one of its keywords: a keyword search costs a
hundredth of a pattern search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ahocorasick import Automaton

#: ``xxxxxxxx``, ``$TOKEN``, ``%TOKEN%``, ``{{ token }}``, ``your-key-here``.
_STAND_IN = re.compile(
    r"[$%<{\[].*|[x*.•\-_#0?…]+|(?:your|my|the)[-_ ].*|(?:example|sample|dummy|changeme"
    r"|change-me|placeholder|redacted|masked|hidden|none|null|todo|rotated|forgotten)\b.*"
    r"|(?:env|process|os|vault|see|settings|config|request|self|await|secrets)\b[.:/[(].*"
    r"|(?:vault|see|env)|1password.*|.*[•…].*|\w{1,12}://.*",
    re.IGNORECASE | re.DOTALL,
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]*|~?/[\w.-]+|[\w-]+\.[a-z]{1,4}"
)
_CODE = re.compile(r"[\w.]+[(\[].*|[A-Za-z_]+(?:\.[A-Za-z_]+)+|[A-Z][A-Z_]+")
#: ``agent:main:telegram:direct:12345``: the key of a session is a name.
_SESSION = re.compile(r"[a-z][\w-]*(?::[\w.@+-]*){2,}")
#: Ids of services' objects, which are no secrets: ``req_…``, ``cli_…``.
_ID = re.compile(
    r"(?:req|msg|toolu|call|chatcmpl|resp|run|thread|asst|file|evt|cus|sub|price|prod|pi"
    r"|ch|acct|cs|in|snap|cli|ou|oc|conv|sess|ses|batch|org|proj|user|usr|team|dpl|prj"
    r"|task|job|build|trace|span)[-_][A-Za-z0-9_-]+"
)
_NUMBER = re.compile(r"[~≈]?\d[\d.,_:/ -]*(?:[kKmM]|ms|s|%|d|h|min)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: Letters of Chinese, Japanese and Korean, whose sentences have no blanks.
_OTHER_SCRIPT = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
#: A part of a name: ``refresh``, ``v2``, ``2026``, ``keys2``.
_WORD = re.compile(r"[A-Za-z]?[a-z]*\d?|[A-Z]+\d?|v?\d{1,4}|\W*")
_PARTS = re.compile(r"[-_.:/]")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")

#: Values behind ``password:`` in notes without a password.
PLAIN = frozenset(
    {
        "password", "passwort", "pass", "pwd", "secret", "token", "key", "user",
        "username", "name", "email", "login", "admin", "value", "text", "string", "str",
        "int", "integer", "number", "bool", "boolean", "bytes", "any", "object",
        "array", "list", "dict", "null", "none", "true", "false", "undefined",
        "optional", "required", "mandatory", "missing", "empty", "blank", "unset",
        "set", "same", "default", "unknown", "valid", "invalid", "expired", "wrong",
        "incorrect", "changed", "reset", "rotated", "hashed", "encrypted", "plaintext",
        "hidden", "masked", "redacted", "removed", "deleted", "stored", "saved",
        "generated", "random", "unique", "below", "above", "here", "there", "this",
        "that", "given", "provided", "tbd", "todo", "done", "fixed", "pending", "open",
        "closed", "ok", "okay", "fine", "yes", "no", "not", "now", "later", "never",
        "always", "manager", "policy", "field", "input", "prompt", "hash", "salt",
        "auth", "vault", "keychain", "keyring", "bitwarden", "lastpass", "onepassword",
        "environment", "variable", "config", "settings", "file", "see", "from", "with",
        "and", "the", "example", "sample", "test", "testing", "dummy", "placeholder",
        "changeme", "rotation", "strength", "minimum", "maximum", "length", "check",
        "checks", "works", "working", "failed", "fails", "failing", "error", "support",
        "added", "only", "must", "should", "will", "can", "per", "via", "into", "for",
    }
)  # fmt: skip

#: Offsets into a text.
Span = tuple[int, int]
#: Judges a value; the second argument is True if nothing follows in its line.
Judge = Callable[[str, bool], bool]

_BLANK = " \t*_`\"',;|.)"


def is_stand_in(value: str) -> bool:
    """Return whether a value is a placeholder, such as ``$TOKEN`` or ``xxxx``."""
    return bool(_STAND_IN.fullmatch(value)) or value.casefold() in PLAIN


def is_credential(value: str, ends: bool = False) -> bool:
    """Return whether a value in a place for credentials is one: no placeholder."""
    return not is_stand_in(value)


def is_phrase(value: str, ends: bool = False) -> bool:
    """Accept any match of the pattern, such as the words of a seed phrase."""
    return True


def is_password(value: str, ends: bool) -> bool:
    """Return whether a value behind ``password:`` is one.

    Plain words count if nothing follows in their line (`ends`).
    """
    if len(value) < 4 or is_stand_in(value) or _is_reference(value):
        return False
    if value.isalpha():
        return len(value) >= 6 and (ends or is_jumbled(value))
    return not (_NUMBER.fullmatch(value) and len(value) < 6)


def is_key(value: str, ends: bool = False) -> bool:
    """Return whether a value behind ``token:`` or ``key:`` is one: long and no name."""
    if len(value) < 8 or is_stand_in(value) or is_name(value):
        return False
    if len(value) >= 24 and is_random(value):
        return True
    return not _is_reference(value) and is_random(value)


def is_strong(value: str, ends: bool = False) -> bool:
    """Return whether a value is a password even with only blanks before it."""
    kinds = (str.isdigit, str.isalpha, lambda c: not c.isalnum())
    if not value.isascii() or is_stand_in(value):
        return False
    has = [any(map(kind, value)) for kind in kinds]
    mixed = value != value.lower() and value != value.upper()
    return (
        len(value) >= 6
        and has[0]
        and has[1]
        and (has[2] or mixed or len(value) >= 8)
        and not _is_reference(value)
        and not _is_named(value)
    )


def is_spoken(value: str, ends: bool = False) -> bool:
    """Return whether a sentence such as ``the password is …`` gives a password."""
    return (
        len(value) >= 6
        and not _OTHER_SCRIPT.search(value)
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and not is_stand_in(value)
        and not _is_reference(value)
    )


def is_uuid(value: str) -> bool:
    """Return whether a value is a UUID: more often an identifier than a secret."""
    return bool(_UUID.fullmatch(value))


def is_random(value: str) -> bool:
    """Return whether letters and digits are mixed as in no name or word."""
    if not any(c.isdigit() for c in value) or not any(c.isalpha() for c in value):
        return False
    if _HEX.fullmatch(value) and len(value) >= 16:
        return True
    return not _is_named(value)


def is_jumbled(word: str) -> bool:
    """Return whether a word has capitals inside as no real word, ``YZmgHniwsSzE``."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(word)) >= 2


def is_name(value: str) -> bool:
    """Return whether a value is an id of a session or a service's object, ``req_…``."""
    return bool(_SESSION.fullmatch(value) or _ID.fullmatch(value))


def _is_named(value: str) -> bool:
    """Return whether a value is words and a number or version, ``refresh-token-v2``"""
    return all(_WORD.fullmatch(part) for part in _PARTS.split(value))


def _is_reference(value: str) -> bool:
    return bool(
        (_PATH.fullmatch(value) and not _is_long_random(value))
        or _CODE.fullmatch(value)
        or is_name(value)
        or (_NUMBER.fullmatch(value) and len(value) < 6)
    )


def _is_long_random(value: str) -> bool:
    """Return whether a value is base64, which may hold slashes, and not a path."""
    longest = max(_PARTS.split(value), key=len)
    return len(longest) >= 20 and any(c.isdigit() for c in longest)


class Rule(NamedTuple):
    """A pattern: its last group, else the match, is a secret if `judge` accepts it.

    `lines` is the maximum number of lines of a match. Words are matched in lower case,
    or verbatim if `exact`; lines without `needs` are skipped.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge
    lines: int = 1
    exact: bool = False
    needs: re.Pattern[str] = re.compile("")


def spans_by(rules: Iterable[Rule], text: str) -> Iterator[Span]:
    """Yield the matches of the rules in a text, unordered; spans may overlap."""
    folded = text.lower()
    if len(folded) != len(text):
        # A few letters become two in lower case: offsets would be wrong.
        folded = "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
    known = tuple(rules)
    exact, others = _starts(known, text, exact=True), _starts(known, folded)
    for rule in known:
        starts = exact if rule.exact else others
        if starts.keys().isdisjoint(rule.words):
            continue
        for start, end in _ranges(text, starts, rule.words, rule.lines):
            if not rule.needs.search(text, start, end):
                continue
            for found in rule.pattern.finditer(text, start, end):
                span = _trimmed(text, *found.span(found.lastindex or 0))
                if rule.judge(text[slice(*span)], _ends_line(text, span[1])):
                    yield span


def lines_with(text: str, words: Iterable[str], count: int = 1) -> Iterator[Span]:
    """Yield ranges of `count` lines, each starting at a line with one of the words."""
    sought = tuple(words)
    yield from _ranges(text, _starts_of(sought, text), sought, count)


def _ranges(
    text: str, starts: Mapping[str, set[int]], words: Iterable[str], count: int
) -> Iterator[Span]:
    """Yield the ranges of lines that start at a line with one of the words."""
    end = -1
    for start in sorted({line for word in words for line in starts.get(word, ())}):
        if start >= end:
            end = start
            for _ in range(count):
                end = _line_end(text, end) + 1
            yield start, end


def _starts(
    rules: tuple[Rule, ...], text: str, *, exact: bool = False
) -> Mapping[str, set[int]]:
    return _starts_of(_words_of(rules, exact=exact), text)


@cache
def _words_of(rules: tuple[Rule, ...], *, exact: bool) -> tuple[str, ...]:
    """Return all keywords of the rules that are matched alike."""
    alike = (rule for rule in rules if rule.exact == exact)
    return tuple(sorted({word for rule in alike for word in rule.words}))


def _starts_of(words: tuple[str, ...], text: str) -> dict[str, set[int]]:
    """Return the starts of the lines with each word, found in one pass over a text."""
    found: dict[str, set[int]] = {}
    start = end = -1
    for last, word in _automaton(words).iter(text):
        first = last - len(word) + 1
        if not start <= first < end:
            start, end = text.rfind("\n", 0, first) + 1, _line_end(text, first) + 1
        found.setdefault(word, set()).add(start)
    return found


@cache
def _automaton(words: tuple[str, ...]) -> Automaton:
    """Return an automaton that finds all these words in one pass."""
    automaton = Automaton()
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return end if end >= 0 else len(text)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a value without the stop of its sentence."""
    while end > start and text[end - 1] in ".:?、":
        end -= 1
    return start, end


def _ends_line(text: str, end: int) -> bool:
    """Return whether only marks follow a value, or a quotation mark immediately."""
    rest = text[end : end + 12].split("\n")[0]
    return rest[:1] in {'"', "'", "`"} or not rest.strip(_BLANK)
