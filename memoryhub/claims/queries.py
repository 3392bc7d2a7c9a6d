"""Which files are claimed by whom, and which claims of several agents overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memoryhub.claims.models import FileClaim
from memoryhub.claims.patterns import can_meet, covers
from memoryhub.claims.places import Named
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached

#: Most live claims that are looked at.
MOST = 1_000


class Holder(NamedTuple):
    """An agent, and its session; without one it stands for all of the agent's."""

    agent: str
    session: str = ""


class Overlap(NamedTuple):
    """Two live claims of different holders that can meet in a file, the newer last."""

    first: FileClaim
    second: FileClaim

    @property
    def key(self) -> tuple[int, int]:
        return self.first.pk, self.second.pk

    @property
    def names(self) -> tuple[str, ...]:
        """Identity of the overlap: both agents and their paths."""
        first, second = self
        return first.agent, first.name, second.agent, second.name


def live_claims(workspace: Workspace, now: datetime) -> list[FileClaim]:
    """Return the claims that hold, the oldest first."""
    rows = FileClaim.objects.filter(
        workspace=workspace, ended_at__isnull=True, ends_at__gt=now
    )
    return list(rows.order_by("made_at", "pk")[:MOST])


def held_by_others(
    claims: Iterable[FileClaim], holder: Holder, repository: str, path: str
) -> list[FileClaim]:
    """Return the claims of others that can meet a path or pattern."""
    return [
        claim
        for claim in claims
        if not is_of(claim, holder)
        and _same_place(claim.repository, repository)
        and can_meet(claim.path, path)
    ]


def holders_of_file(
    claims: Iterable[FileClaim], holder: Holder, places: Sequence[Sequence[Named]]
) -> list[FileClaim]:
    """Return the claims of others on a file, given the names of each of its places.

    None on a place that this holder has claimed too.
    """
    held, found = list(claims), dict[int, FileClaim]()
    for names in places:
        here = [claim for claim in held if _is_on(claim, names)]
        if not any(is_of(claim, holder) for claim in here):
            found |= {claim.pk: claim for claim in here}
    return list(found.values())


def _is_on(claim: FileClaim, names: Sequence[Named]) -> bool:
    return any(
        _same_place(claim.repository, repository) and covers(claim.path, path)
        for repository, path in names
    )


def is_of(claim: FileClaim, holder: Holder) -> bool:
    """Return whether a claim is of this holder; names are compared without case.

    Sessions of one agent are one holder unless both are known.
    """
    sessions = {claim.session, holder.session} - {""}
    return _is_called(claim, holder.agent) and len(sessions) < 2


def _is_called(claim: FileClaim, agent: str) -> bool:
    return claim.agent.casefold() == agent.casefold()


def until_of(claim: FileClaim, workspace: Workspace) -> str:
    """Return the end of a claim in the workspace's zone, to the minute."""
    local = claim.ends_at.astimezone(ZoneInfo(workspace.time_zone))
    return local.isoformat(timespec="minutes")


def claim_line(claim: FileClaim, workspace: Workspace, reader: str = "") -> str:
    """Return a claim as one line: path, holder, end and reason.

    To the holder's own agent, the `reader`, it is that of another session.
    """
    why = f": {claim.reason}" if claim.reason else ""
    by = claim.agent + session_words(claim, reader)
    return f"{claim.name} by {by} until {until_of(claim, workspace)}{why}"


def session_words(claim: FileClaim, reader: str) -> str:
    """Return the words for another session of the reading agent; else ""."""
    return " in another session" if _is_called(claim, reader) else ""


def others_lines(
    workspace: Workspace, holder: Holder, now: datetime
) -> tuple[str, ...]:
    """Return the claims of other holders, a line each."""
    live = live_claims(workspace, now)
    others = [claim for claim in live if not is_of(claim, holder)]
    return tuple(claim_line(claim, workspace, holder.agent) for claim in others)


def overlaps(claims: Sequence[FileClaim]) -> list[Overlap]:
    """Return the pairs of claims of several holders that can meet, one of them forced.

    Without force no two can: the time is that of the forced ones with all others.
    """
    pairs = {
        tuple(sorted((here, there)))
        for here, one in enumerate(claims)
        if one.forced
        for there, other in enumerate(claims)
        if not is_of(one, Holder(other.agent, other.session))
        and _same_place(one.repository, other.repository)
        and can_meet(one.path, other.path)
    }
    return [Overlap(*(claims[place] for place in pair)) for pair in sorted(pairs)]


def overlaps_shown(workspace: Workspace, now: datetime) -> tuple[Overlap, ...]:
    """Return the overlaps for pages: of the minute, cached until the journal grows."""
    minute = now.replace(second=0, microsecond=0)
    name = ("claim overlaps", minute)
    return cached(workspace, name, lambda: overlaps_now(workspace, now))


def overlaps_now(workspace: Workspace, now: datetime) -> tuple[Overlap, ...]:
    """Return the overlaps at a time."""
    return tuple(overlaps(live_claims(workspace, now)))


def ended_for(workspace: Workspace, agent: str, since: datetime) -> list[FileClaim]:
    """Return an agent's claims that somebody else has ended since a time."""
    rows = FileClaim.objects.filter(
        workspace=workspace, agent__iexact=agent, ended_at__gt=since
    )
    return list(rows.exclude(ended_by__iexact=agent).order_by("ended_at")[:20])


def _same_place(one: str, other: str) -> bool:
    """Return whether two repositories can be the same: an empty name is any."""
    return not (one and other) or one.casefold() == other.casefold()
