"""Deliveries: which notice goes to which channel, each once.

Delivery is at least once: `SENDING` is committed before a message is sent, `DELIVERED`
after it. A hub that is killed between the two sends it again, with a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from memoryhub.journal.models import Workspace
from memoryhub.notices.channels import timing_of
from memoryhub.notices.models import Channel, Delivery, Notice
from memoryhub.notices.rules.answering import may_answer
from memoryhub.notices.sending import PATIENCE
from memoryhub.notices.services import ATTEMPTS, FIRST_WAIT, LONGEST_WAIT, key_of
from memoryhub.people.models import User
from memoryhub.people.rights import Right, Role, allows
from memoryhub.people.roles import is_team, roles_in, workspaces_of

#: After this time a message that is still on its way belongs to a killed hub.
LEASE = timedelta(seconds=3 * PATIENCE)
#: Most notices of one message.
_MOST = 200
#: Bodies by the keys of what waits, in a language.
Bodies = Callable[[str], Mapping[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Deliveries of one message; `again` if an earlier one may have arrived."""

    channel: Channel
    deliveries: tuple[Delivery, ...]
    again: bool


def channels_state() -> tuple[tuple[int, datetime], ...]:
    """Return the channels in use, each with the time of its last change."""
    rows = Channel.objects.filter(paused=False)
    return tuple(rows.order_by("pk").values_list("pk", "changed_at"))


def create_deliveries(workspace: Workspace, bodies: Bodies, now: datetime) -> int:
    """Create deliveries of a workspace's notices to all channels; return how many.

    A notice that has one keeps it. Each channel gets the kinds and workspaces that its
    rules name, where its person may answer; nothing that waits for others by name.
    """
    readers = roles_in(workspace)
    channels = [
        one
        for one in Channel.objects.filter(paused=False).select_related("user")
        if (not is_team() or one.user_id in readers)
        and (not one.workspaces or workspace.pk in one.workspaces)
    ]
    notices = Notice.objects.filter(workspace=workspace, gone_at__isnull=True)
    known = set(
        Delivery.objects.filter(
            notice__in=notices, channel__in=[one.pk for one in channels]
        ).values_list("channel", "notice")
    )
    new: list[Delivery] = []
    for channel in channels:
        missing = [
            one
            for one in notices
            if (channel.pk, one.pk) not in known
            and (not channel.kinds or one.body["kind"] in channel.kinds)
            and _is_for(one, channel.user, readers.get(channel.user_id), workspace)
        ]
        new += _planned(channel, missing, bodies, now) if missing else ()
    Delivery.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def _is_for(
    notice: Notice, person: User, role: Role | None, workspace: Workspace
) -> bool:
    """Return whether a notice's item waits for a person, who may answer it."""
    name = person.get_username()
    names = [one.casefold() for one in notice.body.get("waits_for", ())]
    if names and name.casefold() not in names:
        return False
    rights = [right for right in Right if not is_team() or allows(right, role)]
    return may_answer(notice.body["kind"], name, rights, workspace.signers)


def _planned(
    channel: Channel, notices: Sequence[Notice], bodies: Bodies, now: datetime
) -> Iterator[Delivery]:
    timing = timing_of(channel)
    language = channel.user.language or settings.LANGUAGE_CODE
    texts = {key_of(key): body for key, body in bodies(language).items()}
    for notice in notices:
        due = timing.due(notice.body["kind"], now)
        body = texts.get(notice.key, notice.body)
        yield Delivery(
            channel=channel,
            notice=notice,
            workspace_id=notice.workspace_id,
            body=body,
            due_at=due,
        )


def due_channels(now: datetime) -> list[int]:
    """Return the ids of channels with something to send, those that work first."""
    rows = Channel.objects.filter(
        Q(next_at__isnull=True) | Q(next_at__lte=now),
        pk__in=_due(now).values("channel"),
        paused=False,
    )
    return list(rows.order_by("failures", "tried_at").values_list("pk", flat=True))


def begin(channel_id: int, now: datetime) -> Batch | None:
    """Lease a channel's due deliveries; None if nothing is due.

    What quiet hours hold back is planned for their end.
    """
    with transaction.atomic():
        channel = Channel.objects.select_related("user").filter(pk=channel_id).first()
        if channel is None:
            return None
        # Without those of workspaces in which the person has no role any more.
        reach = workspaces_of(channel.user)
        _due(now).filter(channel=channel).exclude(workspace__in=reach).delete()
        timing = timing_of(channel)
        found = []
        for row in (
            _due(now)
            .filter(channel=channel)
            .select_related("notice", "workspace")[:_MOST]
        ):
            held = timing.held_until(row.notice.body["kind"], now)
            if held is None:
                found.append(row)
            else:
                Delivery.objects.filter(pk=row.pk).update(
                    due_at=held, state=Delivery.State.WAITING, lease_until=None
                )
        Delivery.objects.filter(pk__in=[row.pk for row in found]).update(
            state=Delivery.State.SENDING,
            lease_until=now + LEASE,
            attempts=F("attempts") + 1,
        )
    again = any(row.state == Delivery.State.SENDING for row in found)
    return Batch(channel, tuple(found), again) if found else None


def delivered(batch: Batch, now: datetime) -> None:
    """Mark the deliveries of a message that was accepted."""
    _rows(batch).update(state=Delivery.State.DELIVERED, lease_until=None, sent_at=now)


def not_delivered(batch: Batch, now: datetime) -> None:
    """Schedule a channel's next attempt; drop deliveries out of attempts."""
    failures = batch.channel.failures
    wait: timedelta = min(FIRST_WAIT * 2 ** min(failures, 20), LONGEST_WAIT)
    with transaction.atomic():
        Channel.objects.filter(pk=batch.channel.pk).update(
            failures=F("failures") + 1, next_at=now + wait
        )
        _rows(batch).update(state=Delivery.State.WAITING, lease_until=None)
        _rows(batch).filter(attempts__gte=ATTEMPTS).update(
            state=Delivery.State.GIVEN_UP
        )


def _rows(batch: Batch) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk__in=[row.pk for row in batch.deliveries])


def _due(now: datetime) -> QuerySet[Delivery]:
    """Return deliveries that are due, unsettled, and not sent by another courier."""
    waits = Q(state=Delivery.State.WAITING, due_at__lte=now)
    lost = Q(state=Delivery.State.SENDING, lease_until__lt=now)
    return Delivery.objects.filter(waits | lost, notice__gone_at__isnull=True)
