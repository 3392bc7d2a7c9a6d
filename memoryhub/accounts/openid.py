"""The OpenID provider: its answers are checked before anything uses them.

Imported by the pages of the sign-in only: it loads an HTTP client, which takes 50 ms.
"""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import (
    OpenIDConnectProvider,
)
from django.http import HttpRequest

#: Claims that are used as text.
_TEXTS = ("preferred_username", "name", "given_name", "family_name", "email", "picture")
#: Characters of a subject; OpenID Connect allows no more than 255.
_LONGEST = SocialAccount._meta.get_field("uid").max_length or 191


class HubProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """The provider of the hub's settings."""

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        """Return the sign-in of an answer.

        Raises:
            OAuth2Error: it names nobody, or a person of another issuer.
        """
        checked = {key: _plain(claims) for key, claims in response.items()}
        for claims in checked.values():
            if not 0 < len(claims["sub"]) <= _LONGEST:
                raise OAuth2Error("no usable subject")
        self._check_issuer(checked)
        return super().sociallogin_from_response(request, checked)

    def _check_issuer(self, checked: dict[str, Any]) -> None:
        """Check that a known subject is still that of the same issuer.

        Another provider, after a change of MEMORYHUB_OIDC_URL, may give the same
        subject to somebody else.
        """
        rows = SocialAccount.objects.filter(
            provider=self.sub_id, uid=self.extract_uid(checked)
        )
        held = rows.values_list("extra_data", flat=True).first() or {}
        before, now = _issuer(held), _issuer(checked)
        if before and before != now:
            raise OAuth2Error(f"the account is of {before}")


def _issuer(data: dict[str, Any]) -> str:
    return str(data.get("id_token", {}).get("iss", ""))


def _plain(claims: Any) -> dict[str, Any]:
    """Return claims with a subject as text, and without texts of another type."""
    found = dict(claims) if isinstance(claims, dict) else {}
    subject = found.get("sub")
    is_subject = isinstance(subject, str | int) and not isinstance(subject, bool)
    return {
        **{
            name: value
            for name, value in found.items()
            if name not in _TEXTS or isinstance(value, str)
        },
        "sub": str(subject) if is_subject else "",
    }
