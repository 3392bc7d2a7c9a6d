"""Verbs on decisions: in a topic file's list, or as lines of a log. Pure.

A payload with `log` is for a log of decisions, such as ``memories/decisions.md``.
A decision that replaces or rejects another is a new line that names it.
"""

from __future__ import annotations

from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.optimizer import decision_log
from memoryhub.formats.optimizer.decision_text import DecisionText
from memoryhub.formats.snap_memory.topic_edits import DECISIONS
from memoryhub.formats.text.line_edits import (
    insert_lines,
    one_line,
    remove_lines,
    replace_line,
)
from memoryhub.formats.text.source import fenced_lines, split_lines
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb
from topics.list_verbs import list_verbs

_ADD_LISTED, _REMOVE_LISTED = list_verbs(DECISIONS, "add_decision", "remove_decision")


def _line(payload: Payload) -> str:
    return f"- {one_line(payload['text'])}"


def _lines_that_say(text: str, payload: Payload) -> list[int]:
    wanted = _line(payload)
    fenced, lines = fenced_lines(text), enumerate(split_lines(text), 1)
    return [n for n, line in lines if line.strip() == wanted and n not in fenced]


def _logged(text: str, payload: Payload) -> int:
    return len(_lines_that_say(text, payload))


def _log(text: str, payload: Payload, limits: Limits) -> str:
    """Append a line to a log, or restore it at its former position."""
    if "after" in payload:
        return insert_lines(text, payload["after"], _line(payload))
    said = DecisionText(None, one_line(payload["text"]))
    if not text:
        return decision_log.render_log([said])
    return decision_log.parse(text).with_decision(said).render()


def _unlog(text: str, payload: Payload, limits: Limits) -> str:
    number = _newest(text, payload)
    return remove_lines(text, Lines(number, number))


def _newest(text: str, payload: Payload) -> int:
    found = _lines_that_say(text, payload)
    if not found:
        raise FormatError("item-not-there", text=payload["text"])
    return found[-1]


def _take_out(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "remove_decision", {k: v for k, v in payload.items() if k != "after"}


def _put_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "add_decision", {**payload, "after": _newest(text, payload) - 1}


_ADD_LOGGED = Verb(_logged, _log, _take_out)
_REMOVE_LOGGED = Verb(_logged, _unlog, _put_back)


def _either(listed: Verb, logged: Verb) -> Verb:
    """Return a verb for logs if the payload has `log`, else for topic files."""

    def of(payload: Payload) -> Verb:
        return logged if payload.get("log") else listed

    return Verb(
        lambda text, payload: of(payload).value(text, payload),
        lambda text, payload, limits: of(payload).apply(text, payload, limits),
        lambda text, payload, limits: of(payload).inverse(text, payload, limits),
        adds=listed.adds,
    )


def _signing(text: str, payload: Payload) -> dict[str, int]:
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    return {
        line: lines.count(line) for line in sorted((payload["old"], payload["new"]))
    }


def _sign(text: str, payload: Payload, limits: Limits) -> str:
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    if payload["old"] not in lines:
        raise FormatError("item-not-there", text=payload["old"])
    number = len(lines) - lines[::-1].index(payload["old"])
    return replace_line(text, number, payload["new"])


def _unsign(text: str, payload: Payload, limits: Limits) -> Inverse:
    swapped = {"old": payload["new"], "new": payload["old"]}
    return "sign_decision", {**payload, **swapped}


#: Replaces a decision's line by one with a sign-off.
SIGN_DECISION = Verb(_signing, _sign, _unsign, told=True)
ADD_DECISION = _either(_ADD_LISTED, _ADD_LOGGED)
REMOVE_DECISION = _either(_REMOVE_LISTED, _REMOVE_LOGGED)
