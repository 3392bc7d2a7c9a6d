"""Tool by which agents claim the files that they are changing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from memoryhub.claims.models import FileClaim
from memoryhub.claims.patterns import LONGEST, normal_path
from memoryhub.claims.queries import Holder, held_by_others, live_claims, until_of
from memoryhub.claims.services import (
    MINUTES,
    MOST_MINUTES,
    Claimed,
    Wanted,
    claim_files,
    release_claims,
    renew_claims,
)
from memoryhub.formats.injection import quoted
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.heard import claiming_session
from memoryhub.tools.quoting import with_notice

_Path = Annotated[str, StringConstraints(max_length=LONGEST)]
_Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$")]


class FilesRequest(Request):
    """Paths, and the action on the claim to them."""

    action: Literal["claim", "renew", "release", "list"] = Field(
        "claim",
        description="claim: you are going to change these; renew: you need them for"
        " longer; release: you are done; list: who holds what.",
    )
    paths: list[_Path] = Field(
        [],
        max_length=50,
        description="Files, folders or patterns (*, ?, **) from the top folder of the"
        " repository or workspace. To renew, release or list: all, if empty.",
    )
    repository: _Line = Field(
        "",
        max_length=100,
        description="The repository's name, where there are several.",
    )
    minutes: int = Field(
        MINUTES, ge=1, le=MOST_MINUTES, description="How long the claim lasts."
    )
    reason: _Line = Field("", max_length=300, description="What for, for the others.")
    force: bool = Field(
        False,
        description="Claim also what another agent holds, after you have agreed with"
        " it: people see the overlap.",
    )


class ClaimedFile(Answer):
    """A path, who holds it, and until when."""

    path: str
    repository: str
    agent: str
    session: str
    until: datetime
    reason: str
    forced: bool


class FilesAnswer(Answer):
    """The claims in question, and those of others that they overlap."""

    action: str
    claims: list[ClaimedFile]
    overlaps: list[ClaimedFile] = []

    def as_text(self) -> str:
        """Return a line per claim, quoted."""
        if not self.claims and self.action == "list":
            return "Nobody holds any of these files."
        said = [f"{_HEADS[self.action]}:", *map(_line, self.claims)]
        if self.overlaps:
            said += ["Others hold, too:", *map(_line, self.overlaps)]
        return with_notice(quoted("\n".join(said)))


_HEADS = {
    "claim": "Yours now",
    "renew": "Yours for longer",
    "release": "Free again",
    "list": "Held",
}


def _line(claim: ClaimedFile) -> str:
    place = f"{claim.repository}:{claim.path}" if claim.repository else claim.path
    why = f": {claim.reason}" if claim.reason else ""
    return (
        f"{place} by {claim.agent} until {claim.until.isoformat('T', 'minutes')}{why}"
    )


@tool(
    "Claim files before changing them",
    Scope.HANDOFF,
    reading=lambda r: r.action == "list",
    stored=lambda r: True,
)
def files_claim(caller: Caller, request: FilesRequest) -> FilesAnswer:
    """Claim files that you are going to change, so that other agents leave them alone.

    Use it before you edit files that others may edit too. It is refused with the
    holder's name if another agent has one of them; the claim ends by itself.
    """
    done = _ACTIONS[request.action](caller, request)
    workspace = caller.workspace
    return FilesAnswer(
        action=request.action,
        claims=_shown(done.claims, workspace),
        overlaps=_shown(done.overlaps, workspace),
    )


def _claim(caller: Caller, request: FilesRequest) -> Claimed:
    wanted = _wanted(caller, request)
    return claim_files(caller.workspace, caller.name, wanted, caller.clock())


def _renew(caller: Caller, request: FilesRequest) -> Claimed:
    wanted = _wanted(caller, request)
    return renew_claims(caller.workspace, caller.name, wanted, caller.clock())


def _release(caller: Caller, request: FilesRequest) -> Claimed:
    wanted = _wanted(caller, request)
    return Claimed(
        release_claims(caller.workspace, caller.name, wanted, caller.clock())
    )


def _list(caller: Caller, request: FilesRequest) -> Claimed:
    """Return the live claims that can meet the paths, those of all agents."""
    live = live_claims(caller.workspace, caller.clock())
    paths = [normal_path(path) for path in request.paths] or ["**"]
    met = {
        claim.pk
        for path in paths
        for claim in held_by_others(live, Holder(""), request.repository, path)
    }
    return Claimed(tuple(claim for claim in live if claim.pk in met))


_ACTIONS = {"claim": _claim, "renew": _renew, "release": _release, "list": _list}


def _wanted(caller: Caller, request: FilesRequest) -> Wanted:
    return Wanted(
        request.paths,
        request.repository,
        request.minutes,
        request.reason,
        request.force,
        claiming_session(caller),
    )


def _shown(claims: Iterable[FileClaim], workspace: Workspace) -> list[ClaimedFile]:
    return [
        ClaimedFile(
            path=claim.path,
            repository=claim.repository,
            agent=claim.agent,
            session=claim.session,
            until=datetime.fromisoformat(until_of(claim, workspace)),
            reason=claim.reason,
            forced=claim.forced,
        )
        for claim in claims
    ]


TOOLS = (files_claim,)
