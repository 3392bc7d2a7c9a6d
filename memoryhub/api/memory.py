"""Operations on snapshots, days and handoffs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from ninja import Query, Router
from pydantic import AwareDatetime, BeforeValidator, Field, WrapValidator

from memoryhub.api.alarm_records import AlarmRecord
from memoryhub.api.door import NAME_LENGTH, ApiRequest, caller_of
from memoryhub.api.listing import (
    PAGE_SIZE,
    OwnerQuery,
    SearchQuery,
    handoff_rows,
    listed,
    of_owner,
    snapshot_page,
    snapshot_rows,
    time_cursor,
)
from memoryhub.api.records import (
    DayRecord,
    DirectiveRecord,
    EntryRecord,
    HandoffDetail,
    HandoffRecord,
    ItemRecord,
    OpenItemRecord,
    SnapshotDetail,
    SnapshotRecord,
)
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.handoffs.queries.alarms import leases, standstill
from memoryhub.handoffs.queries.board import Filters, newest_first, wanted_handoffs
from memoryhub.handoffs.queries.conversation import evidence_of
from memoryhub.handoffs.queries.lane import turns_listed
from memoryhub.handoffs.queries.messages import thread_of
from memoryhub.handoffs.queries.sides import seen_from
from memoryhub.handoffs.services.sending import look_up
from memoryhub.journal.scopes import Scope
from memoryhub.sync.edit.gate import PRIVATE, is_private
from memoryhub.timeline.queries.days import DayFacts, day_facts
from memoryhub.tools.base import LeastConfidence, OfGrade
from memoryhub.tools.handoff_answers import EvidenceAnswer, MessageAnswer, waits_of
from memoryhub.tools.handoff_requests import State
from memoryhub.tools.quoting import may_read, refuse_private
from memoryhub.values.cursors import encode_cursor
from memoryhub.web.kit.clock import Clock
from snapshots.queries import open_items as items
from snapshots.queries.snapshots import sections_of, snapshots_named

router = Router(tags=["memory"])


def _day_of(text: object, read: Callable[[object], date]) -> date:
    """Parse a day; refuse numbers, which would be read as seconds."""
    day = read(text)
    if day.isoformat() != text:
        raise ValueError("not a day such as 2026-11-20")
    return day


def _no_number(moment: str) -> str:
    """Refuse a number, which would be read as seconds since 1970."""
    try:
        float(moment)
    except ValueError:
        return moment
    raise ValueError("not a time such as 2026-11-20T10:15:00Z")


Day = Annotated[date, WrapValidator(_day_of)]
Moment = Annotated[AwareDatetime, BeforeValidator(_no_number)]


class HandoffQuery(OwnerQuery):
    """Which handoffs."""

    agent: str = Field(
        "", max_length=NAME_LENGTH, description="Only from or to this agent"
    )
    sender: str = Field(
        "", alias="from", max_length=NAME_LENGTH, description="Only from this agent"
    )
    to: str = Field("", max_length=NAME_LENGTH, description="Only to this agent")
    since: Moment | None = Field(
        None,
        description="Only sent or moved since then, such as an earlier"
        " `MemoryHub-As-Of`",
    )
    state: State = Field("", description="Only in this state")
    parent: str = Field(
        "", max_length=NAME_LENGTH, description="Only parts of this task"
    )
    present: bool = Field(False, description="Only those that a file still has")


class OpenItemQuery(OwnerQuery, SearchQuery):
    """Which open items."""

    state: items.State = Field("open", description="open, done, or empty for both")
    grade: OfGrade = "declared"
    confidence: LeastConfidence = 0.0


@router.get("/workspaces/{slug}/snapshots", response=responses(list[SnapshotRecord]))
def snapshots(request: ApiRequest, slug: str, query: Query[OwnerQuery]) -> HttpResponse:
    """List the snapshots of tasks, newest first, each once though files copy it."""
    caller = caller_of(request, slug, Scope.READ)
    found = caller.workspace
    chosen = of_owner(snapshot_rows(found), found, topic=query.topic, agent=query.agent)
    if not caller.private:
        chosen = chosen.exclude(file__path__iexact=PRIVATE)
    page = snapshot_page(chosen, query.before)
    return listed(page, SnapshotRecord.of, time_cursor)


@router.get("/workspaces/{slug}/snapshots/{code}", response=responses(SnapshotDetail))
def snapshot(request: ApiRequest, slug: str, code: str) -> HttpResponse:
    """Return a snapshot with its sections; also by the id in its file, if unique."""
    caller = caller_of(request, slug, Scope.READ)
    found = snapshots_named(caller.workspace, code)
    found = [row for row in found if may_read(caller, row.file.path)]
    if len(found) > 1:
        codes = ", ".join(row.code for row in found)
        raise ToolError("ambiguous", what="snapshot", name=code, codes=codes)
    if not found:
        raise ToolError("not-found", what="snapshot", name=code)
    return answered(SnapshotDetail.with_sections(found[0], sections_of(found[0])))


@router.get("/workspaces/{slug}/days/{day}", response=responses(DayRecord))
def day(request: ApiRequest, slug: str, day: Day) -> HttpResponse:
    """Return the log entries of all agents on a day of the workspace's zone."""
    caller = caller_of(request, slug, Scope.READ)
    clock = Clock(ZoneInfo(caller.workspace.time_zone), caller.now())
    bounds = clock.bounds(day)
    facts = day_facts(caller.workspace, *bounds, private=caller.private)
    return answered(_day(day, facts))


@router.get("/workspaces/{slug}/open-items", response=responses(list[OpenItemRecord]))
def open_items(
    request: ApiRequest, slug: str, query: Query[OpenItemQuery]
) -> HttpResponse:
    """List open items, the most recently mentioned first, without repeats."""
    caller = caller_of(request, slug, Scope.READ)
    wanted = items.wanted_items(
        caller.workspace,
        state=query.state,
        text=query.q,
        topic=query.topic,
        agent=query.agent,
        grade=query.grade,
        confidence=query.confidence,
        private=caller.private,
    )
    found = items.selected(caller.workspace, wanted, caller.now())
    page = items.after_cursor(found, query.before)[: PAGE_SIZE + 1]
    return listed(
        items.owned_items(page),
        OpenItemRecord.of,
        lambda item: encode_cursor(item.work.last, item.work.id),
    )


@router.get("/workspaces/{slug}/handoffs", response=responses(list[HandoffRecord]))
def handoffs(
    request: ApiRequest, slug: str, query: Query[HandoffQuery]
) -> HttpResponse:
    """List the tasks that agents gave each other, newest first."""
    caller = caller_of(request, slug, Scope.READ)
    found = caller.workspace
    filters = wanted_handoffs(
        found,
        topic=query.topic,
        agent=query.agent,
        sender=query.sender,
        recipient=query.to,
        since=query.since,
        state=query.state,
        parent=query.parent,
        without_file="" if caller.private else PRIVATE,
    )
    rows = handoff_rows(found, filters, caller.now())
    if query.present:
        rows = rows.filter(last_seq__isnull=True)
    newest = newest_first(rows, query.before)[: PAGE_SIZE + 1]
    page = seen_from([found], list(newest))
    lane, now = turns_listed(found), caller.now()
    held = leases(found, page, now)
    return listed(
        page,
        lambda row: HandoffRecord.waiting(
            row, waits_of(row, lane), held.get(row.pk), now
        ),
        time_cursor,
    )


@router.get("/workspaces/{slug}/alarms", response=responses(list[AlarmRecord]))
def alarms_of(request: ApiRequest, slug: str) -> HttpResponse:
    """List alarms, deadlocks and failures, the most urgent first."""
    caller = caller_of(request, slug, Scope.READ)
    workspace, now = caller.workspace, caller.now()
    every = standstill(workspace, now)
    found = every.alarms
    if not caller.private:
        found = tuple(a for a in found if not is_private(a.handoff.file.path))
    files = map(AlarmRecord.of_claims, every.claims)
    breakers = map(AlarmRecord.of_breaker, every.breakers)
    return answered([*breakers, *map(AlarmRecord.of, found), *files])


@router.get("/workspaces/{slug}/handoffs/{code}", response=responses(HandoffDetail))
def handoff(request: ApiRequest, slug: str, code: str) -> HttpResponse:
    """Return a handoff with its standing; also by its task id, if unique."""
    caller = caller_of(request, slug, Scope.READ)
    found = look_up(caller.workspace, code)
    refuse_private(caller, found.file.path)
    rows = handoff_rows(caller.workspace, Filters(ids=(found.pk,)), caller.now())
    (row,) = seen_from([caller.workspace], rows)
    waits, now = waits_of(row, turns_listed(caller.workspace)), caller.now()
    held = leases(caller.workspace, [row], now)
    detail = HandoffDetail.waiting(row, waits, held.get(row.pk), now)
    evidence = evidence_of(row)
    more = {
        "evidence": EvidenceAnswer.of_result(evidence) if evidence else None,
        "messages": [MessageAnswer.of_step(step) for step in thread_of(row)],
    }
    return answered(detail.model_copy(update=more))


def _day(day: date, facts: DayFacts) -> DayRecord:
    return DayRecord(
        date=day,
        entries=[EntryRecord.of(noted.entry, noted.text) for noted in facts.entries],
        snapshots=[SnapshotRecord.of(row) for row in facts.snapshots],
        items=[ItemRecord.of(row) for row in facts.items],
        directives=[DirectiveRecord.of(row) for row in facts.directives],
        complete=not facts.more and not any(noted.cut for noted in facts.entries),
    )
