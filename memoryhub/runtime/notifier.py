"""The notifier: finds items that newly wait for a person, and posts notices."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import connection
from django.utils import timezone

from memoryhub.claims.queries import overlaps_now
from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.formats.secrets.detection import masked
from memoryhub.handoffs.queries.alarms import alarms
from memoryhub.handoffs.services.leases import put_back_silent
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.notices.services import DeliveryFailed, create_notices, deliver
from memoryhub.people.policy import workspaces
from memoryhub.runtime.worker import Later, NotPossible, Progress, Work, Worker
from memoryhub.timeline.queries.turns import LIMIT, Turn, turn_facts, turns_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.overview.presenters.turns import turn_row

_LOOK_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Notifier:
    """Loop that creates and delivers notices until `stop` is set, in a thread.

    It has a worker of its own, so that a slow webhook delays no import.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._worker = Worker(stop, POSTING)
        self._seen: dict[int, object] = {}

    def run(self) -> None:
        """Look repeatedly, until `stop` is set.

        Raises:
            OtherVersion: another program has migrated the database.
        """
        try:
            while not self._stop.is_set():
                self._try_once()
                self._stop.wait(_LOOK_SECONDS)
        finally:
            connection.close()

    def look(self) -> int:
        """Create notices of new waiting items; return their number.

        Skips a workspace whose projection is behind its journal.
        """
        number = 0
        for workspace in workspaces():
            now = timezone.now()
            standing = (
                *(alarm.key for alarm in alarms(workspace, now)),
                *(overlap.key for overlap in overlaps_now(workspace, now)),
            )
            state = (workspace.last_seq, workspace.checked_at, standing)
            settled = workspace.projected_seq == workspace.last_seq > 0
            if settled and workspace.put_back_silent:
                put_back_silent(workspace, now)
            if settled and self._seen.get(workspace.pk) != state:
                number += notify(workspace)
                self._seen[workspace.pk] = state
        return number

    def _try_once(self) -> None:
        try:
            ensure_current()
            self.look()
            self._worker.run_all()
        except OtherVersion:
            raise
        except Exception:  # the database may be busy or being replaced
            _log.exception("cannot make notices")


def _post(job: Job, progress: Progress) -> dict[str, Any]:
    try:
        again = deliver(job.payload["notice"])
    except DeliveryFailed as error:
        raise NotPossible(str(error)) from error
    if again:
        raise Later(again)
    return {}


#: Work of the notifier's worker.
POSTING: Mapping[str, Work] = {Job.Kind.NOTICE: _post}


def notify(workspace: Workspace) -> int:
    """Create notices of new waiting items in a workspace; return their number.

    A handoff between two workspaces gives a notice only where the work is done.
    """
    now = timezone.now()
    facts = replace(
        turn_facts(workspace),
        alarms=alarms(workspace, now),
        claims=overlaps_now(workspace, now),
    )
    turns = turns_of(facts, now)
    waiting = {
        turn.key: _body(turn, workspace)
        for turn in turns
        if turn.handoff is None or not turn.handoff.away
    }
    return create_notices(
        workspace, waiting, whole=facts.is_whole and len(turns) < LIMIT
    )


def _body(turn: Turn, workspace: Workspace) -> dict[str, Any]:
    """Return the body to post: in English, with likely secrets masked."""
    row = turn_row(turn, addresses_of(workspace.slug))
    at = Clock.of(workspace.time_zone).local(turn.at) if turn.at else None
    return {
        "event": "waits_for_you",
        "workspace": workspace.slug,
        "kind": turn.kind,
        "title": _masked(row.title),
        "facts": [_masked(fact) for fact in row.facts],
        "task_id": turn.handoff.task_id if turn.handoff else None,
        "since": at.isoformat(timespec="seconds") if at else None,
        "path": row.url,
    }


def _masked(text: str) -> str:
    return masked(text)[0]
