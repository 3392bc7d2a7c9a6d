"""Roles in a workspace, rights, and the least role that has each right. Pure."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from types import MappingProxyType

from django.db import models
from django.utils.translation import gettext_lazy


class Role(models.IntegerChoices):
    """Role of a person in a workspace; each includes those before it."""

    VIEWER = 10, gettext_lazy("Viewer")
    EDITOR = 20, gettext_lazy("Editor")
    COORDINATOR = 30, gettext_lazy("Coordinator")
    ADMINISTRATOR = 40, gettext_lazy("Administrator")

    @property
    def word(self) -> str:
        """Name in commands and addresses: ``viewer``."""
        return self.name.lower()

    @classmethod
    def of_word(cls, word: str) -> Role | None:
        """Return the role with this name; None if there is none."""
        return next((role for role in cls if role.word == word.strip().lower()), None)


class Right(StrEnum):
    """Right that a page, a tool or an endpoint needs."""

    READ = "read"
    EDIT = "edit"
    HANDOFFS = "handoffs"
    SIGN = "sign"
    SEND = "send"
    COORDINATE = "coordinate"
    TOKENS = "tokens"
    SETTINGS = "settings"
    MEMBERS = "members"
    FORGET = "forget"
    DELETE = "delete"
    # Of the hub, not of a workspace.
    WORKSPACES = "workspaces"
    BACKUPS = "backups"
    PEOPLE = "people"
    # Of every person, for what is theirs alone: preferences, channels, own list.
    OWN = "own"


#: Least role in the workspace for each right there.
LEAST = MappingProxyType(
    {
        Right.READ: Role.VIEWER,
        Right.EDIT: Role.EDITOR,
        Right.HANDOFFS: Role.EDITOR,
        Right.SIGN: Role.COORDINATOR,
        Right.SEND: Role.COORDINATOR,
        Right.COORDINATE: Role.COORDINATOR,
        Right.TOKENS: Role.COORDINATOR,
        Right.SETTINGS: Role.ADMINISTRATOR,
        Right.MEMBERS: Role.ADMINISTRATOR,
        Right.FORGET: Role.ADMINISTRATOR,
        Right.DELETE: Role.ADMINISTRATOR,
    }
)
#: Rights of hub administrators, who have every right of every workspace too.
OF_THE_HUB = frozenset({Right.WORKSPACES, Right.BACKUPS, Right.PEOPLE})


def allows(right: Right, role: Role | None, *, hub_administrator: bool = False) -> bool:
    """Return whether a person with this role in a workspace has a right there."""
    if hub_administrator or right == Right.OWN:
        return True
    least = LEAST.get(right)
    return least is not None and role is not None and role >= least


@cache
def rights_of(role: Role | None, *, hub_administrator: bool) -> frozenset[Right]:
    """Return the rights of a person with this role in a workspace."""
    return frozenset(
        right
        for right in Right
        if allows(right, role, hub_administrator=hub_administrator)
    )
