"""Adapters for allauth: admission, names, secrets of second factors."""

from __future__ import annotations

import logging
from contextlib import suppress
from posixpath import normpath
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import SignupClosedException
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.mail import EmailMessage
from django.db import transaction
from django.forms import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy

from memoryhub.accounts.models import Invitation
from memoryhub.accounts.services.invitations import accept, invitation_with
from memoryhub.accounts.signals import note
from memoryhub.database.secret_key import opened, seal
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from memoryhub.people.services.names import checked_person, checked_shown_name

#: Key of an invitation's secret in the session, while its page is open.
INVITED = "memoryhub_invitation"
#: Messages about what the next page shows anyway.
_SILENT = frozenset(
    {"account/messages/logged_in.txt", "account/messages/logged_out.txt"}
)
_log = logging.getLogger(__name__)
_REASON = gettext_lazy("This is not a valid user name, or another's.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts: by invitation only, under names that nobody else can be taken for."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_username(self, username: str, shallow: bool = False) -> str:
        try:
            return checked_person(username)
        except ToolError as error:
            raise ValidationError(_REASON) from error

    def is_safe_url(self, url: str) -> bool:
        """Return whether a sign-in may lead there: to pages of this hub only.

        allauth also accepts other allowed hosts, such as the visitor's own localhost.
        """
        host = context.request.get_host()
        base = reverse("home")
        if not url_has_allowed_host_and_scheme(url, {host}):
            return False
        # Below the hub's base path: others may serve the rest of the host.
        return f"{normpath(unquote(urlsplit(url).path))}/".startswith(base)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("me")

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _public(super().get_reset_password_from_key_url(key))

    def send_password_reset_mail(
        self, user: AbstractBaseUser, email: str, context: dict[str, Any]
    ) -> None:
        """Send in a thread: its time or failure would say that the account exists."""
        prefix = "account/email/password_reset_key"
        message = self.render_mail(prefix, email, {**context, "email": email})
        Thread(target=_send, args=(message,), daemon=True).start()

    def get_email_confirmation_url(
        self, request: HttpRequest, emailconfirmation: Any
    ) -> str:
        return _public(super().get_email_confirmation_url(request, emailconfirmation))

    def _get_login_attempts_cache_key(
        self, request: HttpRequest, **credentials: Any
    ) -> str:
        """Return the user name, by which wrong passwords are counted.

        allauth counts by `Host` and by what was typed: a client chooses both.
        """
        typed = str(credentials.get("email") or credentials.get("username") or "")
        held = EmailAddress.objects.filter(email=typed.lower())
        named = held.values_list("user__username", flat=True).first()
        return (named or typed).lower()

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *given: Any,
        **named: Any,
    ) -> None:
        if message_template not in _SILENT:
            super().add_message(request, level, message_template, *given, **named)


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except (OSError, ValueError) as error:
        _log.error("a reset mail could not be sent: %s", error)


def _public(url: str) -> str:
    """Return the URL of a page at MEMORYHUB_URL, whatever host the client named."""
    if not settings.MEMORYHUB_URL:
        return url
    hub = urlsplit(settings.MEMORYHUB_URL)
    return urlsplit(url)._replace(scheme=hub.scheme, netloc=hub.netloc).geturl()


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Second factors; their secrets are sealed with the hub's key."""

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user.get_username())

    def get_totp_issuer(self) -> str:
        return f"MemoryHub {self._get_site_name()}"

    def generate_authenticator_name(
        self, user: AbstractBaseUser, type: Authenticator.Type
    ) -> str:
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        words = gettext("Passkey")
        return words if number == 1 else f"{words} {number}"

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """People who come from the OpenID provider."""

    def is_open_for_signup(
        self, request: HttpRequest, sociallogin: SocialLogin
    ) -> bool:
        return bool(settings.MEMORYHUB_OIDC_OPEN or pending_invitation(request))

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]
    ) -> User:
        person: User = super().populate_user(request, sociallogin, data)
        both = (data.get("first_name"), data.get("last_name"))
        named = str(data.get("name") or " ".join(filter(None, both)))
        with suppress(ToolError):
            # A name that could be taken for another's is left out.
            person.name = checked_shown_name(named[:80])
        return person

    def save_user(
        self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None
    ) -> User:
        """Create the person and use the invitation up, or neither."""
        try:
            with transaction.atomic():
                return self._saved(request, sociallogin, form)
        except ToolError as error:
            # Somebody was quicker with the invitation.
            raise SignupClosedException from error

    def _saved(self, request: HttpRequest, sociallogin: SocialLogin, form: Any) -> User:
        person: User = super().save_user(request, sociallogin, form)
        note("person-created", "", person.username, provider=sociallogin.provider.name)
        if invitation := pending_invitation(request):
            accept(invitation, person)
            del request.session[INVITED]
        return person


def pending_invitation(request: HttpRequest) -> Invitation | None:
    """Return the valid invitation that this browser has opened last."""
    secret = request.session.get(INVITED, "")
    return invitation_with(secret) if secret else None
