"""Claims of files: made, renewed and ended. Callers hold the turn of writers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from memoryhub.claims.models import FileClaim
from memoryhub.claims.patterns import normal_path
from memoryhub.claims.queries import (
    Holder,
    held_by_others,
    is_of,
    live_claims,
    session_words,
    until_of,
)
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace

#: Default and longest time to live, in minutes; the shortest is one.
MINUTES, MOST_MINUTES = 60, 24 * 60
#: Most live claims of one agent.
MOST_OF_ONE = 300
#: How long an ended claim is stored.
_KEPT = timedelta(days=30)


class ClaimRefused(FormatError):
    """A refusal by the rules of claims: a code with parameters."""


class Wanted(NamedTuple):
    """Paths an agent claims; `force` includes those held by others.

    `session`: id of the session that claims them, if the host names it.
    """

    paths: Sequence[str]
    repository: str = ""
    minutes: int = MINUTES
    reason: str = ""
    force: bool = False
    session: str = ""


class Claimed(NamedTuple):
    """Claims that were made or renewed, and those of others that they overlap."""

    claims: tuple[FileClaim, ...]
    overlaps: tuple[FileClaim, ...] = ()


def claim_files(
    workspace: Workspace, agent: str, wanted: Wanted, now: datetime
) -> Claimed:
    """Claim paths for an agent, all or none; a path that it holds is renewed.

    What another session of the agent holds is held by another.

    Raises:
        BadPath: a path that no claim can be for.
        ClaimRefused: ``files-claimed``, another holds one; ``claims-too-many``.
    """
    named = map(normal_path, wanted.paths)
    paths = list({path.casefold(): path for path in named}.values())
    if not paths:
        raise ClaimRefused("claim-nothing")
    with transaction.atomic():
        live = live_claims(workspace, now)
        repository = wanted.repository.strip()
        holder = Holder(agent, wanted.session)
        met = [
            claim
            for path in paths
            for claim in held_by_others(live, holder, repository, path)
        ]
        if met and not wanted.force:
            raise _held(met[0], workspace, agent)
        own = {c.name.casefold(): c for c in live if is_of(c, holder)}
        if len(own) + len(paths) > MOST_OF_ONE:
            raise ClaimRefused("claims-too-many", most=MOST_OF_ONE)
        asked = wanted._replace(repository=repository)
        made = tuple(_made(workspace, agent, asked, path, now) for path in paths)
        made = tuple(_renewed(own.get(c.name.casefold()), c) for c in made)
        FileClaim.objects.filter(ends_at__lt=now - _KEPT).delete()
        if met:
            _renew_pages(workspace)
    return Claimed(made, tuple({claim.pk: claim for claim in met}.values()))


def renew_claims(
    workspace: Workspace, agent: str, wanted: Wanted, now: datetime
) -> Claimed:
    """Renew an agent's claims of these paths; without paths all of them.

    Those of one repository, if it is named.

    Raises:
        ClaimRefused: ``claim-ended``, it does not hold one of them.
    """
    found = _own(workspace, agent, wanted, now)
    until = now + timedelta(minutes=wanted.minutes)
    FileClaim.objects.filter(pk__in=[c.pk for c in found]).update(ends_at=until)
    for claim in found:
        claim.ends_at = until
    return Claimed(tuple(found))


def release_claims(
    workspace: Workspace, agent: str, wanted: Wanted, now: datetime
) -> tuple[FileClaim, ...]:
    """End an agent's claims of these paths; without paths all of them.

    Those of one repository, if it is named.

    Raises:
        ClaimRefused: ``claim-ended``, it does not hold one of them.
    """
    found = _own(workspace, agent, wanted, now)
    end_claims(workspace, [claim.pk for claim in found], agent, now)
    return tuple(found)


def end_claims(workspace: Workspace, ids: Sequence[int], by: str, now: datetime) -> int:
    """End claims before their time; return how many still held."""
    live = FileClaim.objects.filter(
        workspace=workspace, ended_at__isnull=True, ends_at__gt=now
    )
    with transaction.atomic():
        overlaps = live.filter(forced=True).exists()
        ended = live.filter(pk__in=ids).update(ended_at=now, ended_by=by[:200])
        if overlaps and ended:
            _renew_pages(workspace)
    return ended


def end_session(workspace: Workspace, session: str) -> None:
    """Leave the claims of a session that ended to its agent, in any session."""
    held = FileClaim.objects.filter(workspace=workspace, ended_at__isnull=True)
    held.filter(session=session).exclude(session="").update(session="")


def _renew_pages(workspace: Workspace) -> None:
    """Invalidate cached overlaps of pages: no journal entry announces claims."""
    rows = Workspace.objects.filter(pk=workspace.pk)
    rows.update(handoff_changes=F("handoff_changes") + 1)


def _made(
    workspace: Workspace, agent: str, wanted: Wanted, path: str, now: datetime
) -> FileClaim:
    return FileClaim(
        workspace=workspace,
        agent=agent[:200],
        session=wanted.session[:500],
        repository=wanted.repository,
        path=path,
        reason=wanted.reason,
        made_at=now,
        ends_at=now + timedelta(minutes=wanted.minutes),
        forced=wanted.force,
    )


def _renewed(known: FileClaim | None, asked: FileClaim) -> FileClaim:
    """Store a claim, in the place of the one that the agent has of the same path."""
    if known is None:
        asked.save()
        return asked
    known.ends_at, known.reason = asked.ends_at, asked.reason
    known.forced = known.forced or asked.forced
    known.save(update_fields=["ends_at", "reason", "forced"])
    return known


def _own(
    workspace: Workspace, agent: str, wanted: Wanted, now: datetime
) -> list[FileClaim]:
    """Return an agent's live claims of these paths, or all of them."""
    place = wanted.repository.strip().casefold()
    holder = Holder(agent, wanted.session)
    own = [
        claim
        for claim in live_claims(workspace, now)
        if is_of(claim, holder) and place in ("", claim.repository.casefold())
    ]
    if not wanted.paths:
        return own
    names = [normal_path(path) for path in wanted.paths]
    known = {claim.path.casefold() for claim in own}
    for name in names:
        if name.casefold() not in known:
            raise ClaimRefused("claim-ended", path=name, agent=agent)
    ended = {name.casefold() for name in names}
    return [claim for claim in own if claim.path.casefold() in ended]


def _held(claim: FileClaim, workspace: Workspace, reader: str) -> ClaimRefused:
    return ClaimRefused(
        "files-claimed",
        path=claim.name,
        agent=claim.agent,
        where=session_words(claim, reader),
        until=until_of(claim, workspace),
        reason=f": {claim.reason}" if claim.reason else "",
    )
