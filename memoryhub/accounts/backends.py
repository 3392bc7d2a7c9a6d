"""Check of passwords: as long for an unknown name or address as for a known one."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest


class PasswordBackend(AuthenticationBackend):  # type: ignore[misc]
    """allauth's backend, which hashes a password once."""

    def authenticate(
        self, request: HttpRequest | None, **credentials: Any
    ) -> AbstractBaseUser | None:
        """Return the active person with a password; an address is no user name here.

        allauth tries an address as both, and hashes twice if an account has it. User
        names are Django's backend's, which comes first.
        """
        if credentials.get("email"):
            credentials.pop("username", None)
        found: AbstractBaseUser | None = super().authenticate(request, **credentials)
        return found
