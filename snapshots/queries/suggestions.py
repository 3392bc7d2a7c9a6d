"""Suggestions of a workspace: decisions, directives and open items found by words."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Span, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.importers.linking import STATEMENTS, Statement
from snapshots.queries.open_items import owned_items, suggested_work
from topics.models import Decision, Directive
from topics.queries.decisions import (
    entries_of,
    perhaps_replaced,
    readable_decisions,
)

#: Most suggestions of a kind.
_MOST = 300


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A statement found by words, on which nobody has decided, and its place."""

    kind: str
    row: Statement
    place: Span
    #: The decision that it may replace.
    replaces: Decision | None = None

    @property
    def mark(self) -> str:
        """How a verdict names it."""
        return f"{self.kind}:{self.row.code}"

    @property
    def source(self) -> str:
        return f"{self.place.file.path}:{self.place.first_line}"


def suggestions(
    workspace: Workspace,
    *,
    kinds: Collection[str] = tuple(STATEMENTS),
    topic_id: int | None = None,
    agent_id: int | None = None,
    span: tuple[datetime, datetime] | None = None,
    private: bool = True,
) -> list[Suggestion]:
    """Return suggestions by kind, each newest first.

    Of a topic, an agent, or a span of time; without `private` not the private file's.
    """
    known = cached(workspace, "suggestions", lambda: (*_suggestions(workspace),))
    found = [
        one
        for one in known
        if one.kind in kinds
        and topic_id in (None, one.row.topic_id)
        and agent_id in (None, one.row.agent_id)
        and (
            span is None
            or (
                one.row.precision != Precision.NONE
                and span[0] <= one.row.occurred_at < span[1]
            )
        )
        and (private or one.place.file.path.casefold() != PRIVATE.casefold())
    ]
    old = {one.replaces.pk for one in found if one.replaces and not private}
    if not old:
        return found
    shown = readable_decisions(Decision.everything.filter(pk__in=old), private=False)
    hidden = old - {*shown.values_list("pk", flat=True)}
    return [
        replace(one, replaces=None)
        if one.replaces and one.replaces.pk in hidden
        else one
        for one in found
    ]


#: Key of a kind's labels in a line of training.
_LABELS = {"decision": "decisions", "directive": "directives", "item": "open"}


def training_lines(workspace: Workspace) -> Iterator[str]:
    """Yield each text on which a person decided, as `prose/fit.py` reads it.

    An accepted one is labelled as what it was suggested as, a dismissed one as nothing.
    """
    for kind, model in STATEMENTS.items():
        rows = model.everything.filter(workspace=workspace, confidence__lt=1)
        judged = rows.exclude(judged_by="").order_by("text")
        for text, grade in judged.values_list("text", "grade").distinct():
            line: dict[str, object] = {"said": text, "workspace": workspace.slug}
            line["path"] = f"{kind}.md"
            if grade == Grade.DECLARED:
                line[_LABELS[kind]] = [{"line": 1, "text": text}]
            yield json.dumps(line, ensure_ascii=False) + "\n"


def _suggestions(workspace: Workspace) -> Iterator[Suggestion]:
    wanted = {"grade": Grade.SUGGESTED, "last_seq": None, "workspace": workspace}
    order = (UNDATED_LAST, "-occurred_at", "id")
    decisions = Decision.everything.filter(**wanted, state__in=Decision.STANDING)
    replaced = perhaps_replaced(workspace)
    for said in entries_of(workspace.pk, [*decisions.order_by(*order)[:_MOST]]):
        if (new := said.decision) and said.source:
            yield Suggestion("decision", new, said.source, replaced.get(new.pk))
    directives = Directive.everything.filter(**wanted).select_related("file")
    once: dict[int, Directive] = {}
    for directive in directives.order_by(*order)[: 2 * _MOST]:
        once.setdefault(directive.heading_key, directive)
    for directive in [*once.values()][:_MOST]:
        yield Suggestion("directive", directive, directive)
    for found in owned_items(suggested_work(workspace)[:_MOST]):
        yield Suggestion("item", found.row, found.row)
