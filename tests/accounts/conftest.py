"""A hub in team mode, with an administrator."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.services.persons import create_person
from memoryhub.people.models import User
from tests.signing import PageReader

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def team(settings: Settings, db: None) -> None:
    """Switch team mode on, with quick passwords."""
    settings.MEMORYHUB_TEAM = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def kim() -> User:
    """Return the administrator of the hub."""
    return create_person(
        "kim", name="Kim Park", password=PASSWORD, hub_administrator=True
    )


@pytest.fixture
def browser() -> Client:
    """Return a browser in which nobody is signed in."""
    return PageReader()


@pytest.fixture
def kims(kim: User) -> Client:
    """Return a browser in which the administrator is signed in."""
    client = PageReader()
    client.force_login(kim)
    return client
