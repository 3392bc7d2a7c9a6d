"""The page's snippets, run as somebody runs them who copied them: at a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from tests.browser.hub import cookie_of, local_token_of, running_hub
from tests.serving.test_inbox_waits import TASK, tool

ROLES = "# AGENTS\n\n## Roles\n\n- **planner**: Plans\n- **mason**: Works\n"
NOTE = "# 2026-11-20\n\n## 10:00 mason\n\nDecided: two hinges for each door.\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("connected")
    (folder / "crew/memory").mkdir(parents=True)
    (folder / "crew/AGENTS.md").write_text(ROLES)
    (folder / "crew/memory/2026-11-20.md").write_text(NOTE)
    with running_hub(folder, [folder / "crew"]) as address:
        yield address


def page(hub: str, agent: str = "mason") -> str:
    address = f"{hub}/w/crew/connect/?agent={quote(agent)}"
    with urlopen(Request(address, headers={"Cookie": cookie_of(hub)})) as answer:
        text: str = answer.read().decode()
    return text


def snippet(hub: str, name: str, agent: str = "mason") -> str:
    """Return a snippet as a person copies it from the page."""
    place = re.search(
        rf'<pre[^>]* id="s-{name}"[^>]*>(.*?)</pre>', page(hub, agent), re.DOTALL
    )
    assert place, name
    return unescape(re.sub(r"<[^>]+>", "", place[1]))


def known(hub: str) -> dict[str, str]:
    return {**os.environ, "MEMORYHUB_TOKEN": local_token_of(hub)}


def state_of(hub: str, task_id: str) -> Any:
    found = tool(hub, "planner", "handoff_list", {"task_id": task_id})
    return found["whole"]


def test_the_python_client_recalls_and_searches(hub: str, tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(snippet(hub, "clientpy"))
    done = subprocess.run(
        [sys.executable, "client.py"],
        cwd=tmp_path, env=known(hub), capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "two hinges for each door" in done.stdout


def test_the_loop_takes_tasks_and_reports_them(hub: str, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(snippet(hub, "looppy"))
    early = tool(hub, "planner", "handoff_send", {"to": "mason", **TASK})["task_id"]
    loop = subprocess.Popen(
        [sys.executable, "loop.py"], cwd=tmp_path, env=known(hub),
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert ended(hub, early)["state"] == "done"
        late = tool(hub, "planner", "handoff_send", {"to": "mason", **TASK})["task_id"]
        told = ended(hub, late)
        assert (told["state"], told["taken_by"]) == ("done", "mason")
        assert loop.poll() is None
    finally:
        loop.kill()
        loop.communicate()


def ended(hub: str, task_id: str) -> Any:
    for _ in range(300):
        found = state_of(hub, task_id)
        if found["state"] == "done":
            break
        time.sleep(0.1)
    return found


def test_the_loop_is_no_longer_than_it_says() -> None:
    root = Path(__file__).parents[2]
    lines = (root / "integrations/connect/loop.py").read_text().splitlines()

    assert len([line for line in lines if line.strip()]) <= 42


def test_the_shell_script_waits_takes_and_reports(hub: str, tmp_path: Path) -> None:
    task_id = tool(hub, "planner", "handoff_send", {"to": "mason", **TASK})["task_id"]
    script = snippet(hub, "clientsh").replace("20261120-01", task_id)
    done = subprocess.run(
        ["sh", "-e"], input=script, env=known(hub), cwd=tmp_path,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout and task_id in done.stdout
    assert state_of(hub, task_id)["state"] == "done"


def test_settings_of_hosts_are_what_hosts_read(hub: str) -> None:
    claude = json.loads(snippet(hub, "claude-codejson"))["mcpServers"]["memoryhub"]
    codex = tomllib.loads(snippet(hub, "codextoml"))["mcp_servers"]["memoryhub"]
    claw = json.loads(snippet(hub, "openclawjson"))["mcp"]["servers"]["memoryhub"]

    address = f"{hub}/mcp?workspace=crew&agent=mason&profile=worker"
    assert claude["url"] == codex["url"] == address
    assert claude["headers"] == {"Authorization": "Bearer ${MEMORYHUB_TOKEN}"}
    assert claw["args"][1:5] == ["--workspace", "crew", "--agent", "mason"]


def test_a_name_in_any_script_is_written_so_that_it_is_read(hub: str) -> None:
    text = snippet(hub, "clientpy", "规划者")

    assert f"agent={quote('规划者')}&profile" in text
    claw = json.loads(snippet(hub, "openclawjson", "规划者"))
    assert "规划者" in claw["mcp"]["servers"]["memoryhub"]["args"]


def test_what_can_be_no_agent_is_said_and_not_written(hub: str) -> None:
    html = page(hub, 'x" onload="y')

    assert "not a valid agent name" in html and "agent=builder" in html


def test_no_token_stands_on_the_page(hub: str) -> None:
    assert local_token_of(hub) not in page(hub)
    assert 'data-copy="#s-looppy"' in page(hub)
