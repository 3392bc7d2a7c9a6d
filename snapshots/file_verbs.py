"""Operations on whole files: create, remove, replace. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from memoryhub.formats.base import FormatError
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb


def _said(text: str, payload: Payload) -> str:
    """Return the hash that identifies a file's text; empty for a missing file."""
    data = text.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest() if text else ""


def _place(text: str, payload: Payload, limits: Limits) -> str:
    if text:
        raise FormatError("file-is-there")
    return str(payload["text"])


def _remove(text: str, payload: Payload, limits: Limits) -> str:
    return ""


def _unplace(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "remove_file", payload


def _replace(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "place_file", {**payload, "text": text}


def _swap(text: str, payload: Payload, limits: Limits) -> str:
    return str(payload["text"])


def _unswap(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "replace_file", {**payload, "text": text}


VERBS: Mapping[str, Verb] = {
    "place_file": Verb(_said, _place, _unplace),
    "remove_file": Verb(_said, _remove, _replace, removes=True),
    "replace_file": Verb(_said, _swap, _unswap),
}
