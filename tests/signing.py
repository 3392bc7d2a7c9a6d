"""Browsers that are signed in, and programs that have the local token."""

from __future__ import annotations

from typing import Any

from django.test import Client

from memoryhub.people.policy import operator
from memoryhub.people.services.local_token import local_token


def signed_in(**options: Any) -> Client:
    """Return a browser that the operator signed in; options are the client's."""
    client = Client(**options)
    client.force_login(operator())
    return client


def own_program(**headers: str) -> Client:
    """Return a program of this computer that read the local token."""
    known = {"host": "localhost", "authorization": f"Bearer {local_token()}"}
    return Client(headers=known | headers)
