"""Operations on topics, decisions and directives."""

from __future__ import annotations

from django.http import HttpResponse
from ninja import Query, Router
from pydantic import Field

from memoryhub.api.door import ApiRequest, caller_of
from memoryhub.api.listing import (
    PAGE_SIZE,
    OwnerQuery,
    SearchQuery,
    decision_rows,
    listed,
    time_cursor,
    topic_page,
)
from memoryhub.api.records import (
    DecisionRecord,
    DirectiveRecord,
    SnapshotRecord,
    TopicDetail,
    TopicRecord,
)
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.journal.grades import of_grade
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.tools.base import LeastConfidence, OfGrade
from memoryhub.tools.decisions import State
from memoryhub.tools.quoting import may_read
from memoryhub.values.cursors import decode_cursor, encode_cursor
from topics.models import Decision, Directive, Topic
from topics.queries.decisions import (
    DecisionFilter,
    decision_by_code,
    newest_first,
    readable_decisions,
    wanted_decisions,
    with_perhaps,
)
from topics.queries.topics import agents_of, latest_snapshot, topics_named

router = Router(tags=["topics"])


class DecisionQuery(OwnerQuery, SearchQuery):
    """Which decisions."""

    state: State = Field("", description="Filter by state; gone: in no file any more")
    grade: OfGrade = "declared"
    confidence: LeastConfidence = 0.0


class DirectiveQuery(SearchQuery):
    """Which directives."""

    grade: OfGrade = "declared"
    confidence: LeastConfidence = 0.0


@router.get("/workspaces/{slug}/topics", response=responses(list[TopicRecord]))
def topics(request: ApiRequest, slug: str, query: Query[SearchQuery]) -> HttpResponse:
    """List the topics of a workspace by name."""
    found = caller_of(request, slug, Scope.READ).workspace
    rows = topic_page(found, text=query.q, after=query.after(_name_key))
    return listed(rows, TopicRecord.of, lambda row: encode_cursor(row.name, row.id))


@router.get("/workspaces/{slug}/topics/{code}", response=responses(TopicDetail))
def topic(request: ApiRequest, slug: str, code: str) -> HttpResponse:
    """Return the state of a topic: status, newest decisions and snapshot.

    Also by its slug, if it is unique.
    """
    caller = caller_of(request, slug, Scope.READ)
    row = _topic(caller.workspace, code)
    latest = latest_snapshot(row)
    if latest and not may_read(caller, latest.file.path):
        latest = None
    taken = decision_rows(DecisionFilter(row.workspace_id, topic_ids=(row.id,)))
    newest = newest_first(readable_decisions(taken, private=caller.private))
    said = with_perhaps(caller.workspace, [*newest[:PAGE_SIZE]])
    return answered(
        TopicDetail(
            **dict(TopicRecord.of(row)),
            agents=list(agents_of(row)),
            decisions=[DecisionRecord.of(one) for one in said],
            latest_snapshot=SnapshotRecord.of(latest) if latest else None,
        )
    )


@router.get("/workspaces/{slug}/decisions", response=responses(list[DecisionRecord]))
def decisions(
    request: ApiRequest, slug: str, query: Query[DecisionQuery]
) -> HttpResponse:
    """List decisions, newest first, each once however many files have it."""
    caller = caller_of(request, slug, Scope.READ)
    wanted = wanted_decisions(
        caller.workspace,
        text=query.q,
        topic=query.topic,
        agent=query.agent,
        state=query.state,
        grade=query.grade,
        confidence=query.confidence,
    )
    found = readable_decisions(decision_rows(wanted), private=caller.private)
    rows = [*newest_first(found, query.before)[: PAGE_SIZE + 1]]
    return listed(with_perhaps(caller.workspace, rows), DecisionRecord.of, time_cursor)


@router.get("/workspaces/{slug}/decisions/{code}", response=responses(DecisionRecord))
def decision(request: ApiRequest, slug: str, code: str) -> HttpResponse:
    """Return one decision."""
    caller = caller_of(request, slug, Scope.READ)
    row = decision_by_code(caller.workspace, code)
    known = Decision.everything.filter(pk__in=[row.pk] if row else [])
    if row is None or not readable_decisions(known, private=caller.private).exists():
        raise ToolError("not-found", what="decision", name=code)
    return answered(DecisionRecord.of(*with_perhaps(caller.workspace, [row])))


@router.get("/workspaces/{slug}/directives", response=responses(list[DirectiveRecord]))
def directives(
    request: ApiRequest, slug: str, query: Query[DirectiveQuery]
) -> HttpResponse:
    """List directives of people and rules in memory, newest first, undated last."""
    caller = caller_of(request, slug, Scope.READ)
    rows = of_grade(Directive, query.grade, query.confidence).filter(
        workspace=caller.workspace, last_seq__isnull=True, text__icontains=query.q
    )
    if not caller.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    found = newest_first(rows.select_related("file"), query.before)
    return listed([*found[: PAGE_SIZE + 1]], DirectiveRecord.of, time_cursor)


def _name_key(cursor: str) -> tuple[str, int]:
    name, row_id = decode_cursor(cursor, str, int)
    assert isinstance(name, str) and isinstance(row_id, int)
    return name, row_id


def _topic(workspace: Workspace, code: str) -> Topic:
    found = topics_named(workspace, code)
    if len(found) > 1:
        codes = ", ".join(topic.code for topic in found)
        raise ToolError("ambiguous", what="topic", name=code, codes=codes)
    if not found:
        raise ToolError("not-found", what="topic", name=code)
    return found[0]
