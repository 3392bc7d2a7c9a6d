"""Keys of links that set a password; an administrator's end with their rights."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.tokens import PasswordResetTokenGenerator

from memoryhub.people.models import User
from memoryhub.people.roles import is_hub_administrator


class ResetKeys(PasswordResetTokenGenerator):
    """Generator of keys, with a maker whose id is the key's last part.

    Without a maker they are of a command, or of an e-mail that the person asked for.
    A change of the person's addresses ends them, as in allauth.
    """

    def __init__(self, maker: User | None = None) -> None:
        super().__init__()
        self._maker = maker
        if maker is not None:
            self.key_salt = f"{self.key_salt}.{maker.pk}"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        rows = EmailAddress.objects.filter(user_id=user.pk).order_by("email")
        addresses = "|".join(rows.values_list("email", flat=True))
        return super()._make_hash_value(user, timestamp) + addresses

    def make_token(self, user: User) -> str:
        key = super().make_token(user)
        return f"{key}-{self._maker.pk}" if self._maker else key

    def check_token(self, user: User | None, token: str | None) -> bool:
        """Return whether a key is valid: its maker must still run the hub."""
        time, digest, number = [*(token or "").split("-", 2), "", ""][:3]
        if not number:
            return super().check_token(user, token)
        known = number.isascii() and number.isdecimal() and len(number) < 19
        maker = User.objects.filter(pk=int(number)).first() if known else None
        if maker is None or not is_hub_administrator(maker):
            return False
        made = ResetKeys(maker)
        return super(ResetKeys, made).check_token(user, f"{time}-{digest}")
