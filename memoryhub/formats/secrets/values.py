"""Judges of values that may be secrets.

Memory files mention passwords far more often than they hold one: types, paths, code,
placeholders and plain words are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

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
_PLAIN_WORDS = """
admin always bitwarden boolean changed changeme checks closed config default deleted
email encrypted environment example expired failed failing generated hashed hidden
incorrect integer invalid key keychain keyring lastpass length login manager mandatory
masked maximum minimum missing name null number object onepassword optional pass
password passwort pending placeholder plaintext policy prompt provided pwd random
redacted removed required rotated rotation sample secret settings should stored strength
string support testing text token undefined unique unknown user username value variable
working
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
#: ``harbor-lantern-seven-moss``: words as a token.
_PHRASE = re.compile(r"(?:[a-z]{3,12}-){3,8}[a-z]{3,12}", re.IGNORECASE)

#: Judges a value; the second argument is True if nothing follows in its line.
Judge = Callable[[str, bool], bool]


def is_stand_in(value: str) -> bool:
    """Return whether a value is a placeholder, such as ``$TOKEN`` or ``xxxx``."""
    return bool(_STAND_IN.fullmatch(value)) or value.casefold() in _PLAIN


def is_credential(value: str, ends: bool = False) -> bool:
    """Return whether a value in a place for credentials is one: no placeholder."""
    return not is_stand_in(value)


def is_long_credential(value: str, ends: bool = False) -> bool:
    """Return the same, of at least eight characters."""
    return len(value) >= 8 and not is_stand_in(value)


def is_token(value: str, ends: bool = False) -> bool:
    """Return whether a value in the form of a token is one: no words."""
    return is_random(value) or _is_jumbled(value)


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
        return len(value) >= 6 and (ends or _is_jumbled(value))
    return not (_NUMBER.fullmatch(value) and len(value) < 6)


def is_key(value: str, ends: bool = False) -> bool:
    """Return whether a value behind ``token:`` or ``key:`` is one: long and no name."""
    if len(value) < 8 or is_stand_in(value) or _is_name(value):
        return False
    if _PHRASE.fullmatch(value):
        return True
    return is_random(value) and (len(value) >= 24 or not _is_reference(value))


def is_strong(value: str, ends: bool = False) -> bool:
    """Return whether a value is a password even with only blanks before it."""
    mixed = value != value.lower() and value != value.upper()
    return (
        value.isascii()
        and is_spoken(value)
        and (len(value) >= 8 or mixed or not value.isalnum())
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


def is_scanned(value: str) -> bool:
    """Return whether a scanner's finding is a secret, not the account name next to it.

    A UUID is more often an identifier.
    """
    is_long = len(value) >= 20 or (len(value) >= 12 and is_random(value))
    return is_long and not is_stand_in(value) and not _UUID.fullmatch(value)


def is_random(value: str) -> bool:
    """Return whether letters and digits are mixed as in no name or word."""
    if not any(c.isdigit() for c in value) or not any(c.isalpha() for c in value):
        return False
    if _HEX.fullmatch(value) and len(value) >= 16:
        return True
    return not _is_named(value)


def _is_jumbled(word: str) -> bool:
    """Return whether a word has capitals inside as no real word, ``YZmgHniwsSzE``."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(word)) >= 2


def _is_name(value: str) -> bool:
    """Return whether a value is an id of a session or a service's object, ``req_…``."""
    return bool(_SESSION.fullmatch(value) or _ID.fullmatch(value))


def _is_named(value: str) -> bool:
    """Return whether a value is words and a number or version, ``refresh-token-v2``"""
    return all(_WORD.fullmatch(part) for part in _PARTS.split(value))


def _is_reference(value: str) -> bool:
    return bool(
        (_PATH.fullmatch(value) and not _is_long_random(value))
        or _CODE.fullmatch(value)
        or _is_name(value)
        or (_NUMBER.fullmatch(value) and len(value) < 6)
    )


def _is_long_random(value: str) -> bool:
    """Return whether a value is base64, which may hold slashes, and not a path."""
    longest = max(_PARTS.split(value), key=len)
    return len(longest) >= 20 and any(c.isdigit() for c in longest)
