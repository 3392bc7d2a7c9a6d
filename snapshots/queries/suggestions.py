"""Suggestions of a workspace: decisions, directives and open items found by words."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Operation, Source, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.importers.verdicts import JUDGING, WITHDRAW, stated_in
from snapshots.queries.open_items import owned_items, suggested_work
from topics.models import Decision, Directive

#: Most suggestions of a kind.
_MOST = 300


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A statement found by words, on which no person has decided."""

    kind: str
    code: str
    text: str
    confidence: float
    why: str
    path: str
    line: int
    at: datetime
    topic_id: int | None
    agent_id: int | None

    @property
    def mark(self) -> str:
        """How a verdict names it."""
        return f"{self.kind}:{self.code}"


@dataclass(frozen=True, slots=True)
class Among:
    """Which suggestions: of kinds, a topic, an agent, a time; None is any."""

    kinds: Collection[str] = ("decision", "directive", "item")
    topic_id: int | None = None
    agent_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, one: Suggestion) -> bool:
        return (
            one.kind in self.kinds
            and self.topic_id in (None, one.topic_id)
            and self.agent_id in (None, one.agent_id)
            and (self.since is None or one.at >= self.since)
            and (self.until is None or one.at < self.until)
        )


def suggestions(
    workspace: Workspace, among: Among, *, private: bool = True
) -> list[Suggestion]:
    """Return suggestions by kind, each newest first; private ones only if asked."""
    known = cached(workspace, "suggestions", lambda: (*_suggestions(workspace),))
    found = [one for one in known if among.holds(one)]
    if private:
        return found
    return [one for one in found if one.path.casefold() != PRIVATE.casefold()]


def _suggestions(workspace: Workspace) -> Iterator[Suggestion]:
    suggested = {"workspace": workspace, "grade": Grade.SUGGESTED}
    current = {**suggested, "last_seq__isnull": True}
    rows = Decision.everything.filter(**current, state__in=Decision.STANDING)
    decisions = list(rows.order_by(UNDATED_LAST, "-occurred_at", "id")[:_MOST])
    sources = Source.objects.filter(
        target_id__in=[row.pk for row in decisions],
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    ).select_related("file")
    places = {one.target_id: one for one in sources.order_by("first_seq", "pk")}
    for row in decisions:
        if place := places.get(row.pk):
            yield _suggestion("decision", row, place)
    directives = Directive.everything.filter(**current).select_related("file")
    seen = set[str]()
    for one in directives.order_by(UNDATED_LAST, "-occurred_at", "id")[:_MOST]:
        if (text := folded(one.text).casefold()) not in seen:
            seen.add(text)
            yield _suggestion("directive", one, one)
    for found in owned_items(suggested_work(workspace)[:_MOST]):
        item, work = found.row, found.work
        yield Suggestion(
            "item",
            work.code,
            work.text,
            item.confidence,
            item.why,
            item.file.path,
            item.first_line,
            work.last,
            work.topic_id,
            work.agent_id,
        )


def _suggestion(
    kind: str, row: Decision | Directive, place: Source | Directive
) -> Suggestion:
    return Suggestion(
        kind,
        row.code,
        row.text,
        row.confidence,
        row.why,
        place.file.path,
        place.first_line,
        row.occurred_at,
        row.topic_id,
        row.agent_id,
    )


def training_lines(workspace: Workspace) -> Iterator[str]:
    """Yield people's verdicts as lines of JSON, the last one of each text.

    Fields: kind, text, label, headings, verdict.
    """
    rows = Operation.objects.filter(
        workspace=workspace, verb__in=JUDGING, state=Operation.State.APPLIED
    )
    verdicts: dict[tuple[str, str], str] = {}
    for operation in rows.order_by("seq"):
        for stated in stated_in(operation.payload):
            verdicts[stated] = operation.verb
    for (kind, text), verdict in verdicts.items():
        if verdict != WITHDRAW:
            line = {"kind": kind, "text": text, "label": "", "headings": []}
            yield json.dumps({**line, "verdict": verdict}, ensure_ascii=False)
