"""Verbs on the two lists of a topic file: add an entry, take one out. Pure."""

from __future__ import annotations

from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.snap_memory.topic_context import (
    TopicContext,
    added,
    count_of,
    dropped_by,
    put_at,
    removed,
    source_of,
)
from memoryhub.formats.snap_memory.topic_edits import DECISIONS
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
            document = added(document, section, payload["text"], limit)
        return touched(document, payload).render()

    def remove(text: str, payload: Payload, limits: Limits) -> str:
        document = removed(topic_context.parse(text), section, payload["text"])
        document = put_at(document, section, 0, payload.get("dropped", ""))
        return touched(document, payload).render()

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
        Verb(value, add, unadd, told=True, adds=True),
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
