"""Edits that wait to be written are in Your turn, and on the page Review."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.journal.models import Operation
from memoryhub.people.callers import Caller
from memoryhub.timeline.queries.turns import ANSWERS, turn_facts, turns_of
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.factories import imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def test_what_scaffold_stages_waits_for_a_person(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/a.md": b"# A\n"})
    tool = tool_named("scaffold")
    caller = Caller(workspace, "scout", "scout", bound=True, clock=timezone.now)
    call(tool, caller, request_of(tool, {"project": "Shop"}))
    staged = Operation.objects.filter(state=Operation.State.STAGED)
    assert {one.target for one in staged} >= {"AGENTS.md"}

    turns = turns_of(turn_facts(workspace), timezone.now())
    (waiting,) = (turn for turn in turns if turn.kind == "staged")
    base = f"/w/{workspace.slug}"
    pages = [client.get(f"{base}/{page}").content.decode() for page in ("", "review/")]

    assert waiting.kind in ANSWERS and "AGENTS.md" in waiting.names
    assert all("AGENTS.md" in page for page in pages)
    assert "wait to be written" in pages[0] and "?file=AGENTS.md" in pages[1]
