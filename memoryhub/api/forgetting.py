"""Operations on forgettings: ask, confirm, take back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpResponse
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field

from memoryhub.api.door import ApiRequest, caller_of
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.forgetting import forgettings
from memoryhub.forgetting.models import Forgetting, forgettings_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope

router = Router(tags=["forgetting"])

_MOST = 200
#: Upper bound of row numbers.
_LARGEST = 2**63


class ForgetAsked(BaseModel):
    """The target of a forgetting."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["text", "regex", "file", "version", "entry"] = Field(
        description="What the other fields name"
    )
    text: str = Field(
        "",
        max_length=20_000,
        description="The text, the pattern, or the id or address of the entry",
    )
    path: str = Field("", max_length=1_000, description="The file")
    seq: int = Field(0, ge=0, lt=_LARGEST, description="The revision of the version")
    reason: str = Field("", max_length=1_000, description="Why; it stays for good")
    keep_files: bool = Field(False, description="Leave files on disk as they are")
    minutes: int | None = Field(
        None, ge=0, le=100_000, description="For how long it can be taken back"
    )


class ForgetConfirmed(BaseModel):
    """How a planned forgetting is carried out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    now: bool = Field(False, description="Erase at once, without a way back")


class TakenBack(BaseModel):
    """An empty object."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ForgettingRecord(BaseModel):
    """A forgetting, without the text it searches for."""

    number: int
    kind: str
    what: str = Field(description="What it is about, without giving it away")
    state: str = Field(
        description="planning, planned, hiding, hidden, returning, taken_back,"
        " erasing, sweeping or done"
    )
    actor: str
    reason: str
    keep_files: bool
    plan: dict[str, Any] = Field(description="What it touches, once it is planned")
    result: dict[str, Any] = Field(description="What was left, once it is erased")
    asked_at: datetime
    due_at: datetime | None = Field(description="When its bytes are erased")
    ended_at: datetime | None

    @classmethod
    def of(cls, row: Forgetting, request: ApiRequest) -> ForgettingRecord:
        """Return a record; for a token without facts about other workspaces."""
        hidden = {"elsewhere"} if request.auth.token is not None else set()
        return cls(
            number=row.pk,
            kind=row.kind,
            what=row.label,
            state=row.state,
            actor=row.actor,
            reason=row.reason,
            keep_files=row.keep_files,
            plan={k: v for k, v in row.plan.items() if k not in hidden},
            result={k: v for k, v in row.result.items() if k not in hidden},
            asked_at=row.asked_at,
            due_at=row.due_at,
            ended_at=row.ended_at,
        )


_PLACE = "/workspaces/{slug}/forgettings"


@router.get(_PLACE, response=responses(list[ForgettingRecord]))
def list_forgettings(request: ApiRequest, slug: str) -> HttpResponse:
    """List the last 200 forgettings, done and pending, newest first."""
    workspace = caller_of(request, slug, Scope.ADMIN).workspace
    rows = forgettings_of(workspace)[:_MOST]
    return answered([ForgettingRecord.of(row, request) for row in rows])


@router.post(_PLACE, response=responses(ForgettingRecord))
def ask_to_forget(request: ApiRequest, slug: str, asked: ForgetAsked) -> HttpResponse:
    """Plan a forgetting; nothing changes before `confirm`.

    Much to look through is `planning` for a while: ask for it again.
    """
    caller = caller_of(request, slug, Scope.ADMIN)
    wanted = forgettings.Target(**asked.model_dump())
    found = forgettings.ask(caller.workspace, wanted, caller.actor)
    return answered(ForgettingRecord.of(forgettings.plan_soon(found), request))


@router.get(_PLACE + "/{number}", response=responses(ForgettingRecord))
def show_forgetting(request: ApiRequest, slug: str, number: int) -> HttpResponse:
    """Return one forgetting with its progress."""
    return answered(ForgettingRecord.of(_found(request, slug, number), request))


@router.post(_PLACE + "/{number}/confirm", response=responses(ForgettingRecord))
def confirm_forgetting(
    request: ApiRequest, slug: str, number: int, confirmed: ForgetConfirmed
) -> HttpResponse:
    """Hide the planned content now; it is erased after the waiting time."""
    found = forgettings.confirm(_found(request, slug, number), now=confirmed.now)
    return answered(ForgettingRecord.of(found, request))


@router.post(_PLACE + "/{number}/take-back", response=responses(ForgettingRecord))
def take_forgetting_back(
    request: ApiRequest, slug: str, number: int, taken: TakenBack
) -> HttpResponse:
    """Undo a forgetting while its bytes are not erased."""
    found = forgettings.take_back(_found(request, slug, number))
    return answered(ForgettingRecord.of(found, request))


def _found(request: ApiRequest, slug: str, number: int) -> Forgetting:
    workspace: Workspace = caller_of(request, slug, Scope.ADMIN).workspace
    rows = Forgetting.objects.filter(workspace=workspace)
    known = 0 < number < _LARGEST
    found = (
        rows.filter(pk=number).select_related("workspace").first() if known else None
    )
    if found is None:
        raise ToolError("not-found", what="forgetting", name=str(number))
    return found
