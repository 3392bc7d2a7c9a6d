"""Operations on the review queue: read by all, decided by people and admin tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpResponse
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field

from memoryhub.api.door import NAME_LENGTH, ApiRequest, caller_of
from memoryhub.api.listing import ListQuery
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.reviews import services
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import PAGE_SIZE, Wanted, card_of, card_page
from memoryhub.tools.quoting import may_read
from memoryhub.values.cursors import decode_cursor, encode_cursor

router = Router(tags=["reviews"])

State = Literal["", "open", "proposed", "accepted", "edited", "reverted", "forgotten"]
#: Upper bound of row numbers.
_LARGEST = 2**63


class ReviewQuery(ListQuery):
    """Which changes."""

    state: State = Field(
        "open",
        description="open: to review; proposed: of these, those that a rule would"
        " revert; empty: all",
    )
    file: str = Field("", max_length=1_000, description="Only of this path")
    agent: str = Field("", max_length=NAME_LENGTH, description="Only by this agent")


class ReviewDecision(BaseModel):
    """Decision on a change."""

    model_config = ConfigDict(extra="forbid", strict=True)

    action: Literal["accept", "revert"]
    seen: int = Field(
        ge=0, lt=_LARGEST, description="The last_seq that somebody looked at"
    )
    reason: str = Field("", max_length=services.REASON)


class ReviewRecord(BaseModel):
    """Consecutive changes of a long-lived file by one agent, or on disk."""

    id: int
    path: str
    kind: str = Field(description="changed, new, deleted or moved")
    state: str = Field(description="open, accepted, edited, reverted or forgotten")
    agent: str = Field(
        description="Who made it by an operation; empty for a change on disk"
    )
    changed_by: str = Field(
        description="The same in words: who, else the disk and who owns the file"
    )
    session: str
    changes: int = Field(description="How many changes it consists of")
    promoted: int = Field(description="Entries that OpenClaw's dreaming promoted")
    before_seq: int = Field(description="Revision before it; 0 for none")
    first_seq: int
    last_seq: int
    first_at: datetime
    last_at: datetime
    rule: str = Field(description="The rule that proposes its revert")
    accepted_by: str = Field(description="The first of two people, if two are needed")
    accepted_at: datetime | None = Field(description="When that one accepted it")
    handled_by: str
    handled_at: datetime | None
    reason: str

    @classmethod
    def of(cls, card: ReviewCard) -> ReviewRecord:
        owner = owners_of(card.workspace)(card.path)
        return cls(
            changed_by=changed_by(card.agent, owner),
            id=card.pk,
            accepted_by=card.first_by,
            accepted_at=card.first_accepted_at,
            rule=str(card.rule) if card.rule else "",
            **{name: getattr(card, name) for name in _SAME},
        )


_SAME = (
    "path", "kind", "state", "agent", "session", "changes", "promoted", "before_seq",
    "first_seq", "last_seq", "first_at", "last_at", "handled_by", "handled_at",
    "reason",
)  # fmt: skip
_PLACE = "/workspaces/{slug}/reviews"


@router.get(_PLACE, response=responses(list[ReviewRecord]))
def reviews(request: ApiRequest, slug: str, query: Query[ReviewQuery]) -> HttpResponse:
    """List changes of long-lived memory, newest first."""
    caller = caller_of(request, slug, Scope.READ)
    wanted = Wanted(query.state, query.file, query.agent)
    found = card_page(caller.workspace, wanted, query.after(_seq_of))
    given = [card for card in found[:PAGE_SIZE] if may_read(caller, card.path)]
    more = len(found) > PAGE_SIZE
    following = encode_cursor(found[PAGE_SIZE - 1].last_seq) if more else None
    return answered([ReviewRecord.of(card) for card in given], following)


@router.get(_PLACE + "/{number}", response=responses(ReviewRecord))
def review(request: ApiRequest, slug: str, number: int) -> HttpResponse:
    """Return one change."""
    caller = caller_of(request, slug, Scope.READ)
    return answered(ReviewRecord.of(_found(caller, number)))


@router.post(_PLACE + "/{number}", response=responses(ReviewRecord))
def decide_review(
    request: ApiRequest, slug: str, number: int, body: ReviewDecision
) -> HttpResponse:
    """Accept or revert a change; for people, and tokens with the scope `admin`."""
    caller = caller_of(request, slug, Scope.ADMIN)
    if caller.agent and not caller.bound:
        raise ToolError("decision-needs-person", agent=caller.agent)
    decision = services.Decision(
        caller.actor, body.reason, body.seen, person=caller.owner
    )
    decide = services.accept if body.action == "accept" else services.revert
    return answered(ReviewRecord.of(decide(_found(caller, number), decision).card))


def _found(caller: Caller, number: int) -> ReviewCard:
    known = 0 < number < _LARGEST
    card = card_of(caller.workspace, number) if known else None
    if card is None or not may_read(caller, card.path):
        raise ToolError("not-found", what="review", name=str(number))
    return card


def _seq_of(cursor: str) -> int:
    return int(str(decode_cursor(cursor, int)[0]))
