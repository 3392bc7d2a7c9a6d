"""Addresses of accounts that are credentials: invitations, reset and confirmation."""

from __future__ import annotations

import re

_SECRET = re.compile(r"(/accounts/(?:join|email|password/reset)/)[^\s/]+")


def without_secrets(text: str) -> str:
    """Return a text, such as a path, without the secrets of links in it."""
    return _SECRET.sub(r"\1…", text)
