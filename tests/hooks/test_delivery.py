"""An event of a hook, done by the hub: in whose name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryhub.hooks.client import Frame
from memoryhub.hooks.delivery import deliver
from memoryhub.workspaces.models import Operation
from tests.factories import imported

SESSION = "agent:scout:telegram:1"


def frame(event: str, said: dict[str, Any], agent: str = "") -> Frame:
    return {
        "event": event.encode(),
        "folder": b"/",
        "workspace": b"",
        "agent": agent.encode(),
        "key": b"k1",
        "at_ns": b"1795170000000000000",
        "body": json.dumps(said).encode(),
    }


@pytest.mark.parametrize(
    ("context", "agent", "actor"),
    [
        ({"sessionKey": SESSION}, "", "scout"),
        ({"sessionKey": SESSION, "agentId": "qa"}, "", "qa"),
        ({"sessionKey": SESSION, "agentId": "qa"}, "builder", "builder"),
        ({"sessionKey": "cron:1"}, "", "openclaw"),
        ({"sessionKey": SESSION, "agentId": "operator"}, "", "openclaw"),
        ({"sessionKey": SESSION, "agentId": "a\n" * 99}, "", "openclaw"),
    ],
)
def test_it_is_done_in_the_name_of_its_agent(
    hub_data: Path,
    db: None,
    workspace_root: Path,
    context: dict[str, str],
    agent: str,
    actor: str,
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})

    deliver(frame("before_compaction", {"event": {}, "ctx": context}, agent))

    assert {done.actor for done in Operation.objects.all()} == {actor}
