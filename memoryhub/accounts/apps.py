"""The accounts app: sign-in of a team, by django-allauth."""

from __future__ import annotations

from importlib import import_module

from allauth.account.signals import (
    password_changed,
    password_reset,
    password_set,
)
from allauth.core.internal import ratelimit
from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.utils.module_loading import import_string

from memoryhub.accounts.signals import account_changed


class AccountsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.accounts"
    label = "accounts"

    def ready(self) -> None:
        # By name: models are loaded by now.
        attempts = "memoryhub.accounts.attempts"
        ratelimit.cache = import_string(f"{attempts}.StoredAttempts")()
        codes = import_module("allauth.mfa.totp.internal.auth")
        codes.cache = import_string(f"{attempts}.UsedCodes")()  # type: ignore[attr-defined]
        user_logged_in.connect(
            import_string("memoryhub.accounts.receivers.note_browser")
        )
        record = import_string("memoryhub.accounts.auditing.record_account")
        account_changed.connect(record, dispatch_uid="memoryhub_audit")
        changed = import_string("memoryhub.accounts.auditing.password_changed")
        ended = import_string("memoryhub.accounts.receivers.end_other_sessions")
        for signal in (password_changed, password_set, password_reset):
            signal.connect(changed, dispatch_uid="memoryhub_password")
            signal.connect(ended, dispatch_uid="memoryhub_sessions")
        added = import_string("allauth.socialaccount.signals.social_account_added")
        connected = import_string("memoryhub.accounts.auditing.provider_connected")
        added.connect(connected, dispatch_uid="memoryhub_provider")
        refused = import_string("memoryhub.accounts.auditing.code_refused")
        failed = import_string("allauth.mfa.signals.authentication_failed")
        failed.connect(refused, dispatch_uid="memoryhub_code")
