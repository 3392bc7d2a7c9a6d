"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb gives the document's current value, its new text, and the inverse operation.
Payloads are JSON; texts of files go in and out. Text that snap-memory writes raw is
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
    TopicContext,
    count_of,
    dropped_by,
    put_at,
    removed,
    source_of,
)
from memoryhub.dialects.topic_context.topic_history import created_text
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
        return count_of(topic_context.parse(text), section, payload["text"])

    def add(text: str, payload: Payload, limits: Limits) -> str:
        document = topic_context.parse(text)
        if "source" in payload:
            document = put_at(document, section, payload["index"], payload["source"])
        else:
            limit = _limit(limits, section)
            document = document.with_entry(section, payload["text"], limit)
        return touched(document, payload).text

    def remove(text: str, payload: Payload, limits: Limits) -> str:
        document = removed(topic_context.parse(text), section, payload["text"])
        document = put_at(document, section, 0, payload.get("dropped", ""))
        return touched(document, payload).text

    def unadd(text: str, payload: Payload, limits: Limits) -> Inverse:
        document = topic_context.parse(text)
        limit = _limit(limits, section)
        dropped = "" if "source" in payload else dropped_by(document, section, 1, limit)
        kept = {k: v for k, v in payload.items() if k not in ("index", "source")}
        return other, {**kept, "dropped": dropped}

    def unremove(text: str, payload: Payload, limits: Limits) -> Inverse:
        document = topic_context.parse(text)
        index, source = source_of(document, section, payload["text"])
        kept = {k: v for k, v in payload.items() if k != "dropped"}
        if payload.get("dropped"):
            return verb, kept
        return verb, {**kept, "index": index, "source": source}

    return (
        Verb(value, add, unadd, makes_events=True, adds=True),
        Verb(value, remove, unremove),
    )


def touched(document: TopicContext, payload: Payload) -> TopicContext:
    """Set the day of the edit, if the file has that field or the payload a topic."""
    today = payload.get("today")
    keeps_day = any(item.key == "updated" for item in document.meta)
    if today and (keeps_day or payload.get("topic")):
        return document.with_meta("updated", today)
    return document


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
    return decision_log.parse(text).with_decision(said).text


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
    return topic_context.parse(text).stated_status


def _set_status(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text).with_status(payload["text"])
    return touched(document, payload).text


def _bound_value(text: str, payload: Payload) -> str:
    bindings = session_map.parse(text).bindings
    return next((b.topic for b in bindings if b.key == payload["key"]), "")


def _bind(text: str, payload: Payload, limits: Limits) -> str:
    document = session_map.parse(text)
    if payload["topic"]:
        return document.with_binding(payload["key"], payload["topic"]).text
    return document.without_binding(payload["key"]).text


def new_topic(topic: str, today: str) -> str:
    """Return the file of a topic that begins today, in snap-memory's own form."""
    begun = created_text(date.fromisoformat(today))
    return topic_context.render_topic(topic, {"created": today}, "", [], [begun])


def _loaded(text: str) -> TopicContext:
    return topic_context.parse(text).tidied()


def _saved(document: TopicContext, payload: Payload, limits: Limits) -> str:
    if line := payload["history"]:
        document = document.with_entry(HISTORY, line, limits.history, raw=True)
    return document.with_meta("updated", payload["today"]).text


def _checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Save a topic as snap-memory's `checkpoint` does; a new file gets its head."""
    document = _loaded(text or new_topic(payload["topic"], payload["today"]))
    if session := payload["session"]:
        document = document.with_meta("session", session)
    if status := payload["status"]:
        document = document.with_status(status, raw=True)
    for decision in payload["decisions"]:
        document = document.with_entry(DECISIONS, decision, limits.decisions, raw=True)
    return _saved(document, payload, limits)


def _auto_save(text: str, payload: Payload, limits: Limits) -> str:
    """Add the line of a hook; a file that it makes begins without any history."""
    head = {"created": payload["today"], "session": payload["session"]}
    begun = topic_context.render_topic(payload["topic"], head, "", [], [])
    return _saved(_loaded(text or begun), payload, limits)


def _value(text: str, payload: Payload) -> dict[str, Any]:
    """Return a file's current value of the saved parts."""
    document = topic_context.parse(text)
    return {
        "status": document.stated_status if payload["status"] else "",
        "decisions": _counts(document, DECISIONS, payload["decisions"]),
        "history": _counts(document, HISTORY, [payload["history"]]),
    }


def _counts(document: TopicContext, section: str, items: Iterable[str]) -> list[int]:
    return [count_of(document, section, entry) for entry in _entries(items)]


def _entries(items: Iterable[str]) -> list[str]:
    """Return the entries parsed back from items: any of their lines can begin one."""
    lines = (trim(line) for item in items for line in f"- {item}".split("\n"))
    return [trim(line[2:]) for line in lines if line.startswith("- ")]


def _take_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    document = _loaded(text)
    decided, logged = len(payload["decisions"]), bool(payload["history"])
    session = next((m.value for m in document.meta if m.key == "session"), "")
    before = {
        "status": document.stated_status,
        "session": session,
        "decisions": dropped_by(document, DECISIONS, decided, limits.decisions),
        "history": dropped_by(document, HISTORY, logged, limits.history),
    }
    return "take_back_checkpoint", {**payload, "before": before}


def _taken_back(text: str, payload: Payload, limits: Limits) -> str:
    """Revert a save; a file created by it stays, without the saved parts."""
    document, before = topic_context.parse(text), payload["before"]
    if payload["session"] and before["session"]:
        document = document.with_meta("session", before["session"])
    if payload["status"]:
        document = document.with_status(before["status"])
    logged = [payload["history"]] if payload["history"] else []
    for section, items in ((DECISIONS, payload["decisions"]), (HISTORY, logged)):
        for entry in reversed(_entries(items)):
            if count_of(document, section, entry):
                document = removed(document, section, entry)
        document = put_at(document, section, 0, before[section])
    return document.with_meta("updated", payload["today"]).text


_ADD_HISTORY, _REMOVE_HISTORY = list_verbs(HISTORY, "add_history", "remove_history")

#: The verbs on topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(
        _status_value,
        _set_status,
        lambda t, p, _: ("set_status", {**p, "text": _status_value(t, p)}),
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
