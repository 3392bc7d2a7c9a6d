"""Plausibility of a value behind a name such as ``password`` as a secret. Pure.

Memory files mention passwords far more often than they hold one: types, paths, code,
placeholders and plain words are no secrets.
"""

from __future__ import annotations

import re
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
