"""How often pages of handoffs ask, at the first look after the journal has grown."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import mark_seen
from memoryhub.people.policy import operator
from memoryhub.people.services.saved_views import save_view
from memoryhub.sync.engine import sync_workspace
from tests.factories import small, write
from tests.handoffs.crew import BOARD, by, html, sent

TOPIC = "# Context: topic-{0}\n\n## Current Status\nLive.\n"
TOPICS = {f"memory/context-topic-{n}.md": TOPIC.format(n) for n in range(10)}


@pytest.fixture
def lived_in(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    """Return a workspace with topics, snapshots, agents, and what a person keeps."""
    write(workspace_root, TOPICS)
    workspace = small(workspace_root)
    mark_seen(operator(), workspace, upto=1)
    save_view(operator(), workspace, name="Writes", address="handoffs/?type=write")
    sent(workspace, "decision")
    sent(workspace)
    sent(workspace)  # waits for the one before
    return workspace


def finished(workspace: Workspace) -> Handoff:
    """Return a handoff of a topic that was worked on, with the files it touched."""
    task = Task("", "planner", "builder", "read_only", "Mend it", "Hinge 2")
    handoff = send(workspace, task, by("planner"), Terms(topic="api")).handoff
    take(handoff, by("builder", 1))
    report(handoff, Result("", "done", "Oiled", "changed MEMORY.md", ""), by("builder"))
    return handoff


def asked_by(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        html(client, address)
    return len(queries)


def after_news(client: Client, workspace: Workspace, address: str) -> int:
    """Return how often a page asks at its first look after a handoff was finished."""
    html(client, address)
    finished(workspace)
    return asked_by(client, address)


@pytest.mark.parametrize("page", ["", "?view=list", "?q=door&type=write", "figures/"])
def test_pages_ask_as_often_after_news_of_many_handoffs_as_of_few(
    client: Client, lived_in: Workspace, page: str
) -> None:
    few = after_news(client, lived_in, BOARD + page)
    for minute in range(10):
        sent(lived_in, ("write", "decision")[minute % 2], minutes=minute)

    assert after_news(client, lived_in, BOARD + page) <= few


@pytest.mark.parametrize("page", ["", "?view=list", "figures/"])
def test_news_elsewhere_cost_pages_less(
    client: Client, lived_in: Workspace, page: str
) -> None:
    most = after_news(client, lived_in, BOARD + page)
    write(Path(lived_in.root), {"memory/note.md": "# Note\n"})
    sync_workspace(lived_in)

    assert asked_by(client, BOARD + page) < most
