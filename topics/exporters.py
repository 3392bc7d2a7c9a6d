"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb gives the text's current value, the new text, and the inverse operation.
Payloads are JSON. Text that snap-memory writes raw is
written raw, even if it parses differently then. A payload with `log` is for a log of
decisions, such as ``memories/decisions.md``: what replaces or rejects another decision
there is a new line that names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from memoryhub.dialects import decision_log, session_map, topic_context
from memoryhub.dialects.decision_log import DecisionText
from memoryhub.dialects.topic_context import (
    DECISIONS,
    HISTORY,
    count_of,
    created_text,
    dropped_by,
    meta_of,
    put_at,
    removed,
    source_of,
    status_of,
    tidied,
    with_entry,
    with_meta,
    with_status,
)
from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.javascript import trim
from memoryhub.formats.text.line_edits import (
    insert_lines,
    one_line,
    remove_lines,
    replace_line,
)
from memoryhub.formats.text.source import fenced_lines, split_lines
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb


def list_verbs(section: str, verb: str, other: str) -> tuple[Verb, Verb]:
    """Return the verbs that add an entry to a list of a topic file and remove one.

    An entry added with `source` is restored at `index`, and none is dropped for it; one
    removed with `dropped` restores the entries dropped when it was added.
    """

    def value(text: str, payload: Payload) -> int:
        return count_of(text, section, payload["text"])

    def add(text: str, payload: Payload, limits: Limits) -> str:
        if "source" in payload:
            text = put_at(text, section, payload["index"], payload["source"])
        else:
            text = with_entry(text, section, payload["text"], _limit(limits, section))
        return touched(text, payload)

    def remove(text: str, payload: Payload, limits: Limits) -> str:
        text = removed(text, section, payload["text"])
        text = put_at(text, section, 0, payload.get("dropped", ""))
        return touched(text, payload)

    def unadd(text: str, payload: Payload, limits: Limits) -> Inverse:
        limit = _limit(limits, section)
        dropped = "" if "source" in payload else dropped_by(text, section, 1, limit)
        kept = {k: v for k, v in payload.items() if k not in ("index", "source")}
        return other, {**kept, "dropped": dropped}

    def unremove(text: str, payload: Payload, limits: Limits) -> Inverse:
        index, source = source_of(text, section, payload["text"])
        kept = {k: v for k, v in payload.items() if k != "dropped"}
        if payload.get("dropped"):
            return verb, kept
        return verb, {**kept, "index": index, "source": source}

    return (
        Verb(value, add, unadd, makes_events=True, adds=True),
        Verb(value, remove, unremove),
    )


def touched(text: str, payload: Payload) -> str:
    """Set the day of the edit, if the file has that field or the payload a topic."""
    today = payload.get("today")
    if today and ("updated" in meta_of(text) or payload.get("topic")):
        return with_meta(text, "updated", today)
    return text


def _limit(limits: Limits, section: str) -> int:
    return limits.decisions if section == DECISIONS else limits.history


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
    return decision_log.with_decision(text, said)


def _unlog(text: str, payload: Payload, limits: Limits) -> str:
    number = _newest(text, payload)
    return remove_lines(text, Lines(number, number))


def _newest(text: str, payload: Payload) -> int:
    found = _lines_that_say(text, payload)
    if not found:
        raise FormatError("item-not-there", text=payload["text"])
    return found[-1]


def _put_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "add_decision", {**payload, "after": _newest(text, payload) - 1}


_ADD_LOGGED = Verb(
    _logged,
    _log,
    lambda _, p, __: ("remove_decision", {k: p[k] for k in p if k != "after"}),
)
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


#: Replaces a decision's line by one with a sign-off.
SIGN_DECISION = Verb(
    _signing,
    _sign,
    lambda _, p, __: ("sign_decision", {**p, "old": p["new"], "new": p["old"]}),
    makes_events=True,
)
ADD_DECISION = _either(_ADD_LISTED, _ADD_LOGGED)
REMOVE_DECISION = _either(_REMOVE_LISTED, _REMOVE_LOGGED)


def _status_value(text: str, payload: Payload) -> str:
    return status_of(text)


def _set_status(text: str, payload: Payload, limits: Limits) -> str:
    return touched(with_status(text, payload["text"]), payload)


def _bound_value(text: str, payload: Payload) -> str:
    return session_map.topic_bound(text, payload["key"])


def _bind(text: str, payload: Payload, limits: Limits) -> str:
    if payload["topic"]:
        return session_map.with_binding(text, payload["key"], payload["topic"])
    return session_map.without_binding(text, payload["key"])


def new_topic(topic: str, today: str) -> str:
    """Return the file of a topic that begins today, in snap-memory's own form."""
    begun = created_text(date.fromisoformat(today))
    return topic_context.render_topic(topic, {"created": today}, "", [], [begun])


def _saved(text: str, payload: Payload, limits: Limits) -> str:
    if line := payload["history"]:
        text = with_entry(text, HISTORY, line, limits.history, raw=True)
    return with_meta(text, "updated", payload["today"])


def _checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Save a topic as snap-memory's `checkpoint` does; a new file gets its head."""
    text = tidied(text or new_topic(payload["topic"], payload["today"]))
    if session := payload["session"]:
        text = with_meta(text, "session", session)
    if status := payload["status"]:
        text = with_status(text, status, raw=True)
    for decision in payload["decisions"]:
        text = with_entry(text, DECISIONS, decision, limits.decisions, raw=True)
    return _saved(text, payload, limits)


def _auto_save(text: str, payload: Payload, limits: Limits) -> str:
    """Add the line of a hook; a file that it makes begins without any history."""
    head = {"created": payload["today"], "session": payload["session"]}
    begun = topic_context.render_topic(payload["topic"], head, "", [], [])
    return _saved(tidied(text or begun), payload, limits)


def _value(text: str, payload: Payload) -> dict[str, Any]:
    """Return a file's current value of the saved parts."""
    return {
        "status": status_of(text) if payload["status"] else "",
        "decisions": _counts(text, DECISIONS, payload["decisions"]),
        "history": _counts(text, HISTORY, [payload["history"]]),
    }


def _counts(text: str, section: str, items: Iterable[str]) -> list[int]:
    return [count_of(text, section, entry) for entry in _entries(items)]


def _entries(items: Iterable[str]) -> list[str]:
    """Return the entries parsed back from items: any of their lines can begin one."""
    lines = (trim(line) for item in items for line in f"- {item}".split("\n"))
    return [trim(line[2:]) for line in lines if line.startswith("- ")]


def _take_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    text = tidied(text)
    decided, logged = len(payload["decisions"]), bool(payload["history"])
    before = {
        "status": status_of(text),
        "session": meta_of(text).get("session", ""),
        "decisions": dropped_by(text, DECISIONS, decided, limits.decisions),
        "history": dropped_by(text, HISTORY, logged, limits.history),
    }
    return "take_back_checkpoint", {**payload, "before": before}


def _taken_back(text: str, payload: Payload, limits: Limits) -> str:
    """Revert a save; a file created by it stays, without the saved parts."""
    before = payload["before"]
    if payload["session"] and before["session"]:
        text = with_meta(text, "session", before["session"])
    if payload["status"]:
        text = with_status(text, before["status"])
    logged = [payload["history"]] if payload["history"] else []
    for section, items in ((DECISIONS, payload["decisions"]), (HISTORY, logged)):
        for entry in reversed(_entries(items)):
            if count_of(text, section, entry):
                text = removed(text, section, entry)
        text = put_at(text, section, 0, before[section])
    return with_meta(text, "updated", payload["today"])


_ADD_HISTORY, _REMOVE_HISTORY = list_verbs(HISTORY, "add_history", "remove_history")

#: The verbs on topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(
        _status_value,
        _set_status,
        lambda t, p, _: ("set_status", {**p, "text": status_of(t)}),
    ),
    "add_decision": replace(ADD_DECISION, makes_events=True),
    "remove_decision": REMOVE_DECISION,
    "supersede": ADD_DECISION,
    "reject": ADD_DECISION,
    "sign_decision": SIGN_DECISION,
    "add_history": _ADD_HISTORY,
    "remove_history": _REMOVE_HISTORY,
    "bind": Verb(
        _bound_value,
        _bind,
        lambda t, p, _: ("bind", {**p, "topic": _bound_value(t, p)}),
        makes_events=True,
    ),
    "checkpoint": Verb(_value, _checkpoint, _take_back),
    "auto_save": Verb(_value, _auto_save, _take_back),
    "take_back_checkpoint": Verb(
        _value,
        _taken_back,
        lambda _, p, __: ("checkpoint", {k: p[k] for k in p if k != "before"}),
    ),
}
