"""Decisions of a topic's file whose state its lines do not give."""

from __future__ import annotations

from collections.abc import Iterator

from memoryhub.formats.base import FormatError
from memoryhub.formats.optimizer.decision_text import (
    DecisionText,
    normalise,
    outcomes,
    parse_decision,
)
from memoryhub.formats.snap_memory import topic_context
from memoryhub.journal.models import Source
from memoryhub.recall.texts import Passage, decision_line
from topics.models import Decision, Topic

#: Most of them that are listed.
_LISTED = 8


def states_passage(topic: Topic, text: str) -> Passage | None:
    """Return the decisions that the file states, but whose state others decided.

    They were signed off in a handoff, wait for that, or were rejected or superseded in
    another file.
    """
    if topic.kind != Topic.Kind.CONTEXT:
        return None
    try:
        items = topic_context.parse(text).decisions
    except FormatError:
        return None
    said = {normalise(one.text): one for one in (parse_decision(i.text) for i in items)}
    lines = list(_lines(topic, said))[:_LISTED]
    heading = f"Decisions in another state than the topic's file says ({len(lines)})"
    return Passage(heading, "\n".join(lines)) if lines else None


def _lines(topic: Topic, said: dict[str, DecisionText]) -> Iterator[str]:
    own = Source.objects.filter(
        file=topic.file_id,
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    )
    rows = Decision.objects.filter(pk__in=own.values("target_id"))
    rows = rows.exclude(state=Decision.State.STATED).select_related("workspace")
    lapsed = outcomes(said.values())
    for row in rows.order_by("-occurred_at", "pk"):
        key = normalise(row.text)
        line = said.get(key)
        if row.state == Decision.State.UNSIGNED:
            where = f" in {row.handoff_name}" if row.handoff_name else ""
            yield f"{decision_line(row)} [waits for a person to sign it off{where}]"
        elif row.state == Decision.State.SIGNED_OFF:
            if line is None or not line.signed_off_by:
                yield decision_line(row)
        elif key not in lapsed:
            yield f"{decision_line(row)} [{row.state}]"
