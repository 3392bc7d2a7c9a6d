"""What agents are told of memory as today's hosts lay it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.recall import Recalled
from memoryhub.tools.registry import tool_named
from memoryhub.workspaces.services.adding import add_workspace
from tests.layouts.places import LAYOUTS, lay_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_recall_says_what_the_pages_say(name: str, tmp_path: Path) -> None:
    workspace = add_workspace(lay_out(name, tmp_path), slug="acme", name="Acme")
    sync_workspace(workspace)
    workspace.refresh_from_db()
    tool = tool_named("recall")

    answer = call(tool, Caller(workspace, "scout", "scout"), request_of(tool, {}))

    assert isinstance(answer, Recalled)
    assert LAYOUTS[name].overview in answer.text
    assert [block.path for block in answer.blocks if block.cut] == []
