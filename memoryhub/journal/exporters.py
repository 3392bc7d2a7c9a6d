"""Verbs on any file, on ``MEMORY.md`` and on a log of errors, as changes of text.

Restoring reads the journal: the payload names the bytes by hash, which some revision
holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from memoryhub.dialects import error_log, memory_index
from memoryhub.dialects.memory_index import Pointer
from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.line_edits import one_line, remove_lines
from memoryhub.formats.text.source import fenced_lines
from memoryhub.journal.blobs import CorruptBlob, Gone, stored_bytes
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb


def text_key(text: str) -> str:
    """Return the hash that represents a whole text as an operation's value."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _whole(text: str, payload: Payload) -> str:
    return text_key(text)


def _restore(text: str, payload: Payload, limits: Limits) -> str:
    """Return the text of the version with the payload's hash; empty without a hash.

    Raises:
        FormatError: ``version-damaged`` or ``version-gone``, no readable bytes.
    """
    if not payload["sha"]:
        return ""
    try:
        return decode(stored_bytes(payload["sha"])).text
    except CorruptBlob as error:
        raise FormatError("version-damaged") from error
    except Gone as error:
        raise FormatError("version-gone") from error


def _unrestore(text: str, payload: Payload, limits: Limits) -> Inverse:
    """Return the restore of the previous bytes, named by the service (`before`)."""
    names = {"sha": payload["before"], "before": payload["sha"]}
    return "restore", {**payload, **names}


def _take_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    """Return the restore of the previous bytes, with the card's state before."""
    _, restored = _unrestore(text, payload, limits)
    card = payload["review"]
    swapped = {**card, "state": card["was"], "was": card["state"]}
    return "revert_change", {**restored, "review": swapped}


def _pointer(text: str, payload: Payload) -> Pointer | None:
    """Return the pointer with the payload's words, nearest to its line."""
    pointers, near = memory_index.parse(text).pointers, payload["line"]
    found = [pointer for pointer in pointers if pointer.text == payload["text"]]
    return min(found, key=lambda p: abs(p.lines.first - near), default=None)


def _target(text: str, payload: Payload) -> str:
    pointer = _pointer(text, payload)
    return pointer.target + pointer.anchor if pointer else ""


def _repoint(text: str, payload: Payload, limits: Limits) -> str:
    pointer = _pointer(text, payload)
    if pointer is None:
        raise FormatError("item-not-there", text=payload["text"])
    return memory_index.with_target(text, pointer, payload["to"])


def _point_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "repoint", {**payload, "to": _target(text, payload)}


def _error_lines(text: str, payload: Payload) -> list[int]:
    wanted = f"- {one_line(payload['text'])}"
    found, line, end, at = list[int](), 1, 0, text.find(wanted)
    while at >= 0:
        begin = text.rfind("\n", 0, at) + 1
        line += text.count("\n", end, begin)
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if text[begin:end].strip() == wanted:
            found.append(line)
        at = text.find(wanted, end)
    fenced = fenced_lines(text) if found else ()
    return [line for line in found if line not in fenced]


def _error_count(text: str, payload: Payload) -> int:
    return len(_error_lines(text, payload))


def _append_error(text: str, payload: Payload, limits: Limits) -> str:
    return error_log.text_with_error(text or "# Errors\n\n", payload["text"])


def _remove_error(text: str, payload: Payload, limits: Limits) -> str:
    """Remove the last line equal to the payload's."""
    found = _error_lines(text, payload)
    if not found:
        raise FormatError("item-not-there", text=payload["text"])
    return remove_lines(text, Lines(found[-1], found[-1]))


def _unappend(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "remove_error", payload


def _unremove(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "append_error", payload


def _forget_file(text: str, payload: Payload, limits: Limits) -> str:
    return ""


def _bring_back(text: str, payload: Payload, limits: Limits) -> str:
    """Return the version that an undone forgetting had replaced in the file.

    Raises:
        FormatError: ``version-gone``, it was not undone.
    """
    if "sha" not in payload:
        raise FormatError("version-gone")
    return _restore(text, payload, limits)


def _unredact(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "bring_back_forgotten", {}


#: Verbs for files of any dialect, by name.
VERBS: Mapping[str, Verb] = {
    "restore": Verb(_whole, _restore, _unrestore),
    # Of reviews: a person's decision, which waits for no other.
    "revert_change": Verb(_whole, _restore, _take_back, at_once=True),
    "edit_text": Verb(_whole, _restore, _take_back, at_once=True),
    "remove_new": Verb(_whole, _forget_file, _take_back, removes=True, at_once=True),
    "redact": Verb(_whole, _restore, _unredact, at_once=True),
    "forget_file": Verb(_whole, _forget_file, _unredact, removes=True, at_once=True),
    "bring_back_forgotten": Verb(_whole, _bring_back, _unredact, at_once=True),
    "repoint": Verb(_target, _repoint, _point_back),
    "append_error": Verb(_error_count, _append_error, _unappend, adds=True),
    "remove_error": Verb(_error_count, _remove_error, _unremove),
}
