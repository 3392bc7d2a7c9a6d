"""Channels of a person: made, changed, tested, removed; their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone, translation
from django.utils.translation import gettext

from memoryhub.accounts.services.persons import is_confirmed
from memoryhub.database.secret_key import OPEN, opened, seal
from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Channel, Delivery
from memoryhub.notices.rules.timing import Timing
from memoryhub.notices.sending import (
    BadAddress,
    Message,
    NotSent,
    send,
    service_of,
)
from memoryhub.people.models import User
from memoryhub.people.roles import is_hub_administrator

#: Most channels of one person.
MOST_CHANNELS = 20
#: Service of a channel over the hub's own mail server, and names for one.
MAIL = "E-mail of this hub"
_MAIL_NAMES = ("Mail", *(f"Mail {number}" for number in range(2, MOST_CHANNELS + 2)))
_LONGEST = 2_000


class TooManyChannels(Exception):
    """The person has `MOST_CHANNELS`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Kinds of notices a channel sends, and its timing; see `Channel` and `Timing`."""

    kinds: tuple[str, ...] = ()
    workspaces: tuple[int, ...] = ()
    digest: int | None = None
    quiet_from: int | None = None
    quiet_to: int | None = None
    urgent: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class ChannelState:
    """A channel with the numbers of its messages."""

    channel: Channel
    waiting: int = 0
    given_up: int = 0

    @property
    def is_failing(self) -> bool:
        """Whether the last attempt failed."""
        return bool(self.channel.error)


def channels_of(person: User) -> list[Channel]:
    """Return the channels of a person, by name."""
    return list(Channel.objects.filter(user=person))


def channel_of(person: User, number: int) -> Channel | None:
    """Return a person's own channel; None if there is none of this id."""
    return Channel.objects.filter(user=person, pk=number).first()


def may_reach_private(person: User) -> bool:
    """Return whether a person's channels may lead to private networks.

    MEMORYHUB_CHANNELS_PRIVATE decides for all; without it those who run the hub may.
    """
    for_all: bool | None = settings.MEMORYHUB_CHANNELS_PRIVATE
    return is_hub_administrator(person) if for_all is None else for_all


def checked_address(address: str, person: User) -> str:
    """Return the service of an Apprise URL, for display.

    Raises:
        BadAddress: it cannot be used, or its service is not allowed here.
    """
    if len(address) > _LONGEST or not address.isprintable():
        raise BadAddress("invalid")
    _check_allowed(address)
    return str(service_of(address, private=may_reach_private(person)))


def base_of(address: str) -> str:
    """Return the hub's URL for links, with a slash at its end; "" if it is none."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname
    except ValueError:
        return ""
    if not usable or not address.isprintable() or " " in address:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"


def add_channel(
    person: User, name: str, address: str, base: str, rules: Rules
) -> Channel:
    """Make a channel; its address is stored sealed.

    Raises:
        BadAddress: the address cannot be used.
        TooManyChannels: there are too many.
    """
    service, now = checked_address(address, person), timezone.now()
    with transaction.atomic():
        if Channel.objects.filter(user=person).count() >= MOST_CHANNELS:
            raise TooManyChannels
        channel = Channel(
            user=person,
            name=name,
            service=service,
            address=seal(address),
            base=base,
            made_at=now,
        )
        return _with_rules(channel, rules, now)


def mail_channel(person: User) -> Channel | None:
    """Return the channel of a person over the hub's own mail server, if there is one.

    It has no address of its own: the person's confirmed one is looked up each time.
    """
    return Channel.objects.filter(user=person, service=MAIL, address="").first()


def set_mail(person: User, base: str, rules: Rules, *, wanted: bool) -> None:
    """Mail a person what waits, at the confirmed address, or stop that.

    Raises:
        TooManyChannels: there are too many.
    """
    with transaction.atomic():
        held = mail_channel(person)
        if not wanted and held:
            held.delete()
        if wanted and not held:
            if Channel.objects.filter(user=person).count() >= MOST_CHANNELS:
                raise TooManyChannels
            now = timezone.now()
            made = Channel(user=person, service=MAIL, base=base, made_at=now)
            taken = {one.name for one in channels_of(person)}
            made.name = next(name for name in _MAIL_NAMES if name not in taken)
            _with_rules(made, rules, now)


def mail_address(person: User) -> str:
    """Return a person's confirmed address, if the hub can send there; else ""."""
    is_usable = settings.MEMORYHUB_TEAM and settings.EMAIL_HOST
    return person.email if is_usable and is_confirmed(person) else ""


def _mail(person: User, message: Message) -> None:
    """Send a message over the hub's own mail server.

    Raises:
        NotSent: the address is not confirmed, or the server did not take it.
    """
    address = mail_address(person)
    if not address:
        raise NotSent("the e-mail address is not confirmed, or there is no mail server")
    try:
        EmailMessage(message.title, message.body, to=[address]).send()
    except (OSError, ValueError) as error:
        raise NotSent(f"the hub's mail server: {error}") from error


def change_channel(
    channel: Channel, name: str, address: str, base: str, rules: Rules
) -> None:
    """Change a channel; without an address it stays the same.

    Messages that wait are planned anew.

    Raises:
        BadAddress: the address cannot be used.
    """
    service = checked_address(address, channel.user) if address else ""
    with transaction.atomic():
        channel.refresh_from_db()
        channel.name, channel.base = name, base
        if address:
            channel.address, channel.service = seal(address), service
            channel.failures, channel.error, channel.next_at = 0, "", None
        channel.deliveries.filter(state=Delivery.State.WAITING).delete()
        _with_rules(channel, rules, timezone.now())


def plan_anew(person: User) -> None:
    """Reschedule queued messages of a person: the time zone or language is new."""
    channels = Channel.objects.filter(user=person)
    with transaction.atomic():
        state = Delivery.State.WAITING
        Delivery.objects.filter(channel__in=channels, state=state).delete()
        channels.update(changed_at=timezone.now())


def _with_rules(channel: Channel, rules: Rules, now: datetime) -> Channel:
    channel.kinds, channel.workspaces = list(rules.kinds), list(rules.workspaces)
    channel.digest = rules.digest
    channel.quiet_from, channel.quiet_to = rules.quiet_from, rules.quiet_to
    channel.urgent, channel.paused = rules.urgent, rules.paused
    channel.changed_at = now
    channel.save()
    return channel


def rules_of(channel: Channel) -> Rules:
    """Return a channel's kinds of notices and its timing."""
    return Rules(
        tuple(channel.kinds),
        tuple(channel.workspaces),
        channel.digest,
        channel.quiet_from,
        channel.quiet_to,
        channel.urgent,
        channel.paused,
    )


def timing_of(channel: Channel) -> Timing:
    """Return the times of a channel in the zone of its person."""
    first, end = channel.quiet_from, channel.quiet_to
    return Timing(
        zone_of(channel.user),
        channel.digest,
        None if first is None or end is None or first == end else (first, end),
        channel.urgent,
    )


def zone_of(person: User) -> ZoneInfo:
    """Return a person's time zone: the preferred one, else the first workspace's."""
    first = Workspace.objects.order_by("pk").values_list("time_zone", flat=True).first()
    return ZoneInfo(person.time_zone or first or "UTC")


def send_to(channel: Channel, message: Message) -> None:
    """Send a message now, and note the outcome on the channel.

    Raises:
        NotSent: it was not accepted.
    """
    try:
        if not channel.address:
            _mail(channel.user, message)
        else:
            private = may_reach_private(channel.user)
            send(_address(channel), message, private=private)
    except NotSent as error:
        _tried(channel, str(error))
        raise
    _tried(channel, "")


def send_test(channel: Channel) -> None:
    """Send a test message, in the person's language.

    Raises:
        NotSent: it was not accepted.
    """
    with translation.override(channel.user.language or settings.LANGUAGE_CODE):
        title = gettext("MemoryHub: a test")
        text = gettext("Messages of the channel %(name)s arrive here.")
        body = text % {"name": channel.name}
    send_to(channel, Message(title, f"{body}\n{channel.base}", channel.base))


def channel_states(person: User | None = None) -> Sequence[ChannelState]:
    """Return the channels, of one person or all, with their numbers, in one query."""
    alive = Q(deliveries__notice__gone_at__isnull=True)
    state = Delivery.State
    open_ones = Q(deliveries__state__in=[state.WAITING, state.SENDING])
    rows = Channel.objects.select_related("user").annotate(
        waiting=Count("deliveries", filter=alive & open_ones),
        given_up=Count(
            "deliveries", filter=alive & Q(deliveries__state=state.GIVEN_UP)
        ),
    )
    if person is not None:
        rows = rows.filter(user=person)
    return [
        ChannelState(row, row.waiting, row.given_up) for row in rows.order_by("name")
    ]


def _check_allowed(address: str) -> None:
    scheme = address.partition("://")[0].lower()
    allowed = settings.MEMORYHUB_CHANNELS
    if allowed and scheme not in allowed:
        raise BadAddress("not-allowed", scheme[:40])


def _address(channel: Channel) -> str:
    address = opened(channel.address)
    if address.startswith(OPEN):
        raise NotSent("its address was sealed with another secret.key")
    try:
        _check_allowed(address)
    except BadAddress:
        raise NotSent("MEMORYHUB_CHANNELS does not allow this service") from None
    return address


def _tried(channel: Channel, error: str) -> None:
    now = timezone.now()
    found = {"tried_at": now, "error": error[:300]}
    if not error:
        found |= {"delivered_at": now, "failures": 0, "next_at": None}
    Channel.objects.filter(pk=channel.pk).update(**found)
