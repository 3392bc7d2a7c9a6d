"""Texts of allauth that pages show are translated, though allauth's are not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.account import forms as account
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django import forms
from django.template.loader import render_to_string
from django.utils.translation import override

from memoryhub.web.accounts import forms as ours
from memoryhub.web.accounts.passkey_forms import NewPasskeyForm

_CHINESE = re.compile("[\u4e00-\u9fff]")
#: Errors of what the hub has not: telephones, several addresses, sign-up.
_UNUSED = re.compile(
    "phone|primary|max_email|duplicate_email|username|unknown_email|select_only"
    "|unverified|add_email|cannot_delete"
)
#: Messages that pages show after a change.
_MESSAGES = {
    "account": "password_changed password_set email_confirmed"
    " email_confirmation_failed",
    "mfa": "recovery_codes_generated totp_activated totp_deactivated webauthn_added"
    " webauthn_removed",
    "socialaccount": "account_connected account_connected_other account_disconnected"
    " account_connected_updated",
}
_ADAPTERS = (DefaultAccountAdapter, DefaultMFAAdapter, DefaultSocialAccountAdapter)


@pytest.mark.parametrize("adapter", _ADAPTERS)
def test_errors_are_translated(adapter: type) -> None:
    known: dict[str, object] = adapter.error_messages  # type: ignore[attr-defined]
    with override("zh-hans"):
        english = [
            key
            for key, text in known.items()
            if not _UNUSED.search(key) and not _CHINESE.search(str(text))
        ]

    assert not english


def test_messages_are_translated() -> None:
    names = [
        f"{app}/messages/{n}.txt" for app, a in _MESSAGES.items() for n in a.split()
    ]
    with override("zh-hans"):
        texts = {
            name: render_to_string(name, {"email": "a@b.example"}) for name in names
        }

    assert not [name for name, text in texts.items() if not _CHINESE.search(text)]


@pytest.mark.parametrize(
    "form",
    [
        account.ChangePasswordForm, account.ResetPasswordForm,
        account.ResetPasswordKeyForm, account.SetPasswordForm,
        account.ReauthenticateForm, ours.SignInForm, ours.FactorForm,
        NewPasskeyForm,
    ],
)  # fmt: skip
def test_fields_are_translated(form: Callable[..., forms.Form], kim: object) -> None:
    named = (
        {} if form in (account.ResetPasswordForm, ours.SignInForm) else {"user": kim}
    )
    with override("zh-hans"):
        fields = form(**named).visible_fields()
        english = {one.name for one in fields if not _CHINESE.search(str(one.label))}

    # The page of passkeys has words of its own for the latter.
    assert english <= {"remember", "passwordless"}
