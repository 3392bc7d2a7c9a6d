"""People of a team: creation, deactivation, sessions, second factors, reset links."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from memoryhub.accounts.models import BROWSER, BrowserSession, Invitation
from memoryhub.accounts.reset_keys import ResetKeys
from memoryhub.accounts.sessions import TeamStore, session_name
from memoryhub.accounts.signals import note
from memoryhub.errors.base import ToolError
from memoryhub.people.models import Membership, User
from memoryhub.people.roles import OPERATOR, keeping_administrators
from memoryhub.people.services.feed_keys import end_feed_keys
from memoryhub.people.services.names import checked_person, checked_shown_name

_log = logging.getLogger(__name__)
#: Addresses of accounts: no other URL configuration has them.
TEAM_URLS = "memoryhub.team_urls"
#: Relations of a user to rows that are moved with the account.
_OWN = ("seen_marks", "review_marks", "saved_views", "channels")


def people() -> list[User]:
    """Return everybody with an account, by name; not the operator of commands."""
    rows = User.objects.exclude(username=OPERATOR)
    return sorted(rows, key=lambda person: person.shown_name.casefold())


@transaction.atomic
def create_person(
    username: str,
    *,
    name: str = "",
    email: str = "",
    password: str | None = None,
    hub_administrator: bool = False,
    by: str = "",
) -> User:
    """Create a person; without a password they cannot sign in with one yet.

    Raises:
        ToolError: ``person-invalid``, ``person-look-alike``.
    """
    person = User(
        username=checked_person(username),
        name=checked_shown_name(name[:80]),
        email=email,
        hub_administrator=hub_administrator,
    )
    person.set_password(password)
    person.save()
    if email:
        EmailAddress.objects.create(user=person, email=email.lower(), primary=True)
    if hub_administrator:
        take_over(person)
    note("person-created", by, person.username, hub_administrator=hub_administrator)
    return person


def take_over(person: User) -> None:
    """Give the first administrator the read marks, views and channels of the operator.

    They are those of the one person who had the hub before it served a team.
    """
    others = User.objects.filter(hub_administrator=True).exclude(pk=person.pk)
    operator = User.objects.filter(username=OPERATOR).first()
    if operator is None or others.exists():
        return
    for own in _OWN:
        if not getattr(person, own).exists():
            getattr(operator, own).update(user=person)


@transaction.atomic
def set_email(person: User, email: str) -> None:
    """Set a person's e-mail address, unconfirmed; "" removes it."""
    if EmailAddress.objects.filter(user=person, email=email).exists():
        return
    EmailAddress.objects.filter(user=person).delete()
    person.email = email
    person.save(update_fields=["email"])
    if email:
        EmailAddress.objects.create(user=person, email=email, primary=True)


def send_confirmation(person: User, request: HttpRequest) -> bool:
    """Mail a person a link that confirms the address; return whether it was sent."""
    address = EmailAddress.objects.filter(user=person, email=person.email).first()
    if address is None or address.verified or not settings.EMAIL_HOST:
        return False
    try:
        EmailAddress.send_confirmation(address, request)
    except OSError as error:
        _log.error("a mail that confirms an address was not sent: %s", error)
        return False
    return True


def send_invitation(row: Invitation, link: str, by: User | None) -> bool:
    """Send an invitation by e-mail; return whether that was possible.

    `by`: who invites; None for a command.
    """
    if not (row.email and settings.EMAIL_HOST):
        return False
    context = {"link": link, "by": by.shown_name if by else OPERATOR}
    try:
        prefix = "account/email/invitation"
        get_adapter().render_mail(prefix, row.email, context).send()
    except OSError as error:
        # The link is shown in any case.
        _log.error("an invitation was not sent: %s", error)
        return False
    return True


def reset_path(person: User, by: User | None = None) -> str:
    """Return the path of a page that sets a person's password.

    It is valid for a day (`PASSWORD_RESET_TIMEOUT`), until the password changes or the
    person signs in, and as long as `by`, who makes it, runs the hub; None: a command.
    """
    token = ResetKeys(by).make_token(person)
    named = {"uidb36": user_pk_to_url_str(person), "key": token}
    return reverse("account_reset_password_from_key", TEAM_URLS, kwargs=named)


def reset_link_for(person: User, by: User | None) -> str:
    """Return `reset_path` for an administrator or a command; it is audited."""
    note("reset-link", by.username if by else "", person.username)
    return reset_path(person, by)


def set_active(person: User, *, active: bool, by: str) -> None:
    """Let a person in again, or shut them out at once: their sessions end.

    Raises:
        ToolError: ``last-hub-administrator``, ``last-administrator``, nobody would be
            left to run the hub or a workspace.
    """
    with keeping_administrators(person):
        if not active:
            _check_others(person)
        person.is_active = active
        person.save(update_fields=["is_active"])
        if not active:
            BrowserSession.objects.filter(user=person).delete()
        note("activated" if active else "deactivated", by, person.username)


@transaction.atomic
def set_hub_administrator(person: User, *, wanted: bool, by: str) -> None:
    """Make a person an administrator of the hub, or end that.

    Raises:
        ToolError: ``last-hub-administrator``, nobody would be left.
    """
    if not wanted:
        _check_others(person)
    person.hub_administrator = wanted
    person.save(update_fields=["hub_administrator"])
    if wanted:
        take_over(person)
    note("hub-administrator-changed", by, person.username, wanted=wanted)


def _check_others(person: User) -> None:
    """Check that the hub keeps an administrator, in the caller's transaction."""
    running = User.objects.filter(hub_administrator=True, is_active=True)
    others = running.exclude(pk=person.pk)
    if running.filter(pk=person.pk).exists() and not others.exists():
        raise ToolError("last-hub-administrator", name=person.username)


def reset_second_factor(person: User, by: str) -> int:
    """Remove a person's second factors and recovery codes; return their number."""
    count: int = Authenticator.objects.filter(user=person).delete()[0]
    note("second-factor-reset", by, person.username, removed=count)
    return count


@dataclass(frozen=True, slots=True)
class SecondFactors:
    """Second factors of a person."""

    totp: bool
    passkeys: tuple[Authenticator, ...]
    recovery_codes: int

    @property
    def any(self) -> bool:
        """Whether signing in with a password asks for one."""
        return self.totp or bool(self.passkeys)


def second_factors(person: User) -> SecondFactors:
    """Return a person's second factors."""
    rows = list(Authenticator.objects.filter(user=person).order_by("created_at"))
    codes = [row for row in rows if row.type == Authenticator.Type.RECOVERY_CODES]
    return SecondFactors(
        any(row.type == Authenticator.Type.TOTP for row in rows),
        tuple(row for row in rows if row.type == Authenticator.Type.WEBAUTHN),
        len(codes[0].wrap().get_unused_codes()) if codes else 0,
    )


def protected_people() -> set[int]:
    """Return the ids of people with a second factor, to list many at once."""
    return set(_FACTORS.all().values_list("user_id", flat=True))


def has_second_factor(person: User) -> bool:
    """Return whether a person has a second factor; recovery codes alone are none."""
    return bool(_FACTORS.filter(user=person).exists())


_FACTORS = Authenticator.objects.filter(
    type__in=(Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
)


def workspace_counts() -> dict[int, int]:
    """Return in how many workspaces people have a role of their own, by their id."""
    rows = Membership.objects.filter(user__isnull=False).values_list("user_id")
    return dict(rows.annotate(number=Count("pk")).order_by())


def last_uses() -> dict[int, datetime]:
    """Return when people have used the hub last, by their id; from open sessions."""
    rows = BrowserSession.objects.filter(user__isnull=False).values_list("user_id")
    return dict(rows.annotate(last=Max("used_at")).order_by())


def is_confirmed(person: User) -> bool:
    """Return whether the person has confirmed the e-mail address."""
    rows = EmailAddress.objects.filter(user=person, email=person.email)
    return bool(rows.filter(verified=True).exists())


def provider_accounts(person: User) -> list[SocialAccount]:
    """Return a person's accounts at OpenID providers."""
    return list(SocialAccount.objects.filter(user=person).order_by("date_joined"))


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A browser in which a person is signed in."""

    id: str
    agent: str
    address: str
    made_at: datetime | None
    used_at: datetime
    current: bool


def sessions_of(person: User, current_key: str | None) -> list[ShownSession]:
    """Return a person's sessions, the current one first, then the last used."""
    rows = BrowserSession.objects.filter(user=person, expire_date__gt=timezone.now())
    current = session_name(current_key) if current_key else ""
    found = [_shown(row, current) for row in rows.order_by("-used_at")]
    return sorted(found, key=lambda one: not one.current)


def _shown(row: BrowserSession, current: str) -> ShownSession:
    held: dict[str, Any] = TeamStore().decode(row.session_data).get(BROWSER, {})
    made = held.get("at")
    return ShownSession(
        row.pk,
        held.get("agent", ""),
        held.get("address", ""),
        datetime.fromisoformat(made) if made else None,
        row.used_at,
        row.pk == current,
    )


def end_session(person: User, session: str) -> bool:
    """End one session of a person; return whether there was one."""
    count, _ = BrowserSession.objects.filter(user=person, pk=session).delete()
    if count:
        note("sessions-ended", person.username, person.username, sessions=count)
    return bool(count)


def end_sessions(person: User, by: str, *, but: str | None = None) -> int:
    """End all sessions of a person but the one with the key `but`; count them.

    Without `but` feed keys end too.
    """
    rows = BrowserSession.objects.filter(user=person)
    with transaction.atomic():
        count, _ = (rows.exclude(pk=session_name(but)) if but else rows).delete()
        if but is None:
            end_feed_keys(person)
    note("sessions-ended", by, person.username, sessions=count)
    return count
