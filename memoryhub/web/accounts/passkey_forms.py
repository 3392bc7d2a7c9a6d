"""Forms of passkeys: the browser's answer is JSON that anybody can send."""

from __future__ import annotations

from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from allauth.mfa.webauthn.internal.auth import clear_state, get_state
from django import forms
from django.utils.translation import gettext_lazy

from memoryhub.values.json_bounds import strict_json

#: Challenges that ask for PIN or biometrics.
_VERIFIED = "required"


def _refused() -> forms.ValidationError:
    error: forms.ValidationError = DefaultMFAAdapter().validation_error(
        "incorrect_code"
    )
    return error


class AnswerField(forms.JSONField):
    """The answer of an authenticator, with the limits of other JSON from outside."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        """Return the parsed answer; `ValidationError` if it is none."""
        if not isinstance(value, str):
            return super().to_python(value)
        try:
            return strict_json(value.encode("utf-8", "surrogatepass"))
        except ValueError as error:
            raise _refused() from error


class NewPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey to add."""

    credential = AnswerField()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["name"].label = gettext_lazy("Name")

    def clean(self) -> dict[str, Any]:
        """Check the answer; allauth lets errors of its encoding through."""
        try:
            data: dict[str, Any] = super().clean()
        except ValueError as error:
            raise _refused() from error
        return data


class PasskeyFactorForm(AuthenticateWebAuthnForm):  # type: ignore[misc]
    """A passkey after the password."""

    credential = AnswerField()


class PasskeyAgainForm(ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """A passkey before something that changes the account."""

    credential = AnswerField()


class PasskeyForm(LoginWebAuthnForm):  # type: ignore[misc]
    """A passkey that signs in alone."""

    credential = AnswerField()

    def clean_credential(self) -> Authenticator:
        """Return the passkey; `ValidationError` if it may not replace the password.

        The challenge must have asked for PIN or biometrics: one for a second factor
        does not, and the same browser can have got it for another account. A key that
        was added as a second factor only says so itself.
        """
        if (get_state() or {}).get("user_verification") != _VERIFIED:
            clear_state()
        passkey: Authenticator = super().clean_credential()
        if passkey.wrap().is_passwordless is False:
            raise _refused()
        return passkey
