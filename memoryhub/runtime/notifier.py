"""The notifier: finds items that newly wait for a person, and tells receivers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.translation import override

from memoryhub.claims.queries import overlaps_now
from memoryhub.comments.queries import waits_for
from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.formats.secrets.detection import masked
from memoryhub.handoffs.queries.alarms import alarms
from memoryhub.handoffs.services.leases import put_back_silent
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.notices.deliveries import channels_state, create_deliveries
from memoryhub.notices.services import (
    DeliveryFailed,
    create_notices,
    deliver,
    webhook,
)
from memoryhub.people.policy import workspaces
from memoryhub.people.roles import people_of
from memoryhub.runtime.channel_posts import Postman
from memoryhub.runtime.worker import Later, NotPossible, Progress, Work
from memoryhub.timeline.queries.turns import LIMIT, Turn, facts_of_all, turns_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.served import absolute, own_path
from memoryhub.web.overview.turns import turn_row

_LOOK_SECONDS = 0.5
_log = logging.getLogger(__name__)


class Notifier:
    """Loop that creates notices, and sends them to channels, until `stop` is set.

    It waits for no receiver: channels have threads of their own, and the webhook a
    worker (`POSTING`).
    """

    def __init__(self, stop: threading.Event, postman: Postman | None = None) -> None:
        self._stop = stop
        self._postman = postman or Postman()
        self._seen: dict[int, object] = {}

    def run(self) -> None:
        """Look repeatedly, until `stop` is set.

        Raises:
            OtherVersion: another program has migrated the database.
        """
        try:
            while not self._stop.is_set():
                try:
                    ensure_current()
                    try:
                        self.look()
                    finally:
                        self._postman.look()
                except OtherVersion:
                    raise
                except Exception:  # the database may be busy or being replaced
                    _log.exception("cannot make notices")
                self._stop.wait(_LOOK_SECONDS)
            self._postman.finish()
        finally:
            connection.close()

    def look(self) -> int:
        """Create notices of new waiting items; return their number.

        Skips a workspace whose projection is behind its journal. Puts back what silent
        agents hold, where a workspace wants that.
        """
        number = 0
        channels = channels_state()
        is_heard = bool(channels) or webhook() is not None
        for workspace in workspaces():
            now = timezone.now()
            settled = workspace.projected_seq == workspace.last_seq > 0
            if settled and workspace.put_back_silent:
                put_back_silent(workspace, now)
            if not settled or not is_heard:
                continue
            standing = (
                *(alarm.key for alarm in alarms(workspace, now)),
                *(overlap.key for overlap in overlaps_now(workspace, now)),
            )
            seen = (
                workspace.last_seq,
                workspace.handoff_changes,
                workspace.checked_at,
                standing,
                channels,
            )
            if self._seen.get(workspace.pk) != seen:
                number += notify(workspace)
                self._seen[workspace.pk] = seen
        return number


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

    A handoff between two workspaces gives a notice only where the work is done, and a
    comment only if it waits for a person.
    """
    now = timezone.now()
    people = {person.get_username() for person in people_of(workspace)}
    facts = facts_of_all(workspace)
    facts = replace(
        facts,
        comments=tuple(
            c
            for c in facts.comments
            if any(waits_for(c.waits_for, name) for name in people)
        ),
        alarms=alarms(workspace, now),
        claims=overlaps_now(workspace, now),
    )
    turns = turns_of(facts, now)

    def bodies(language: str) -> dict[str, dict[str, Any]]:
        with override(language):
            return {
                # Another person to wait for, as by an assignment, is a new notice.
                turn.key + ",".join(turn.waits_for): _body(turn, workspace)
                for turn in turns
                if turn.handoff is None or not turn.handoff.away
            }

    whole = facts.is_whole and len(turns) < LIMIT
    number = create_notices(workspace, bodies(settings.LANGUAGE_CODE), whole=whole)
    create_deliveries(workspace, bodies, now)
    return number


def _body(turn: Turn, workspace: Workspace) -> dict[str, Any]:
    """Return the body to post, with likely secrets masked."""
    row = turn_row(turn, addresses_of(workspace.slug))
    at = Clock.of(workspace.time_zone).local(row.at) if row.at else None
    return {
        "event": "waits_for_you",
        "workspace": workspace.slug,
        "kind": turn.kind,
        "state": row.state,
        "title": _masked(row.title),
        "facts": [_masked(fact) for fact in row.facts],
        "task_id": turn.handoff.task_id if turn.handoff else None,
        **({"waits_for": list(turn.waits_for)} if turn.waits_for else {}),
        "since": at.isoformat(timespec="seconds") if at else None,
        "path": own_path(row.url),
        **({"url": absolute(row.url, "")} if settings.MEMORYHUB_URL else {}),
        "actions": [
            {"label": one.label, "path": own_path(one.url)} for one in row.actions
        ],
    }


def _masked(text: str) -> str:
    return masked(text)[0]
