"""Handoffs that tests of pages send, take and look at."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from django.test import Client

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.journal.models import Workspace

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
BOARD = "/w/acme/handoffs/"


def by(actor: str, minutes: int = 0) -> Author:
    """Return who asks, so many minutes after noon."""
    return Author(actor, actor == "lead", at=NOON + timedelta(minutes=minutes))


def sent(
    workspace: Workspace,
    kind: str = "write",
    *,
    to: str = "builder",
    sender: str = "planner",
    minutes: int = 0,
    after: str = "",
) -> Handoff:
    """Return a handoff that was sent after noon."""
    about = f"Mend {to}'s door. It squeaks."
    task = Task("", "", to, kind, about, "Hinge 2", after=after)
    return send(workspace, task, by(sender, minutes)).handoff


def html(client: Client, address: str, status: int = 200, **headers: str) -> str:
    """Return a page's markup."""
    answer = client.get(address, headers=headers)
    assert answer.status_code == status
    return answer.content.decode()


def counts_of(page: str) -> dict[str, int]:
    """Return how many handoffs each column of a board says it has."""
    found = re.findall(r'id="c-(\w+)">.*?</h2><span class="count">(\d+)', page)
    return {state: int(number) for state, number in found}


def cards_of(page: str) -> list[str]:
    """Return the ids of the cards on a board, column by column."""
    return re.findall(r'<span class="mono trunc">(\S+)</span>', page)
