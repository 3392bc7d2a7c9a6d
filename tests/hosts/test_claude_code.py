"""Claude Code itself with our plugin, against a stand-in for its model's service.

Run by ``make hosts``; needs npm.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.hub import manage, running_hub
from tests.hosts.model import Model, call, running_model, text
from tests.hosts.packages import installed

pytestmark = pytest.mark.hosts

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "integrations/claude-code"
NAME = "@anthropic-ai/claude-code-linux-x64"
PACKAGE = f"{NAME}@2.1.328"
STATUS = "Carts are half done."


class ClaudeCode:
    """The installed program, with a home of its own."""

    def __init__(self, folder: Path, home: Path, model: str = "") -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # All tools are in the first request: the scripted model cannot wait.
            "ENABLE_TOOL_SEARCH": "false",
            "MCP_CONNECTION_NONBLOCKING": "false",
        }

    def run(self, *arguments: str, cwd: Path) -> str:
        done = subprocess.run(
            ["claude", *arguments],
            env=self.environment,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def program() -> Path:
    return installed(PACKAGE) / NAME


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as model:
        yield model


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "memory").mkdir(parents=True)
    text = f"# shop\n\n## Current Status\n{STATUS}\n"
    (folder / "memory/context-shop.md").write_text(text)
    return folder


def test_its_validator_finds_nothing_wrong(program: Path, tmp_path: Path) -> None:
    claude = ClaudeCode(program, tmp_path)

    told = claude.run("plugin", "validate", "--strict", str(PLUGIN), cwd=tmp_path)

    assert "Validation passed" in told


def test_a_session_is_given_its_topic_and_its_end_is_noted(
    program: Path, model: Model, shop: Path, tmp_path: Path
) -> None:
    claude = ClaudeCode(program, tmp_path / "home", model.address)
    with running_hub(tmp_path, [shop]):
        memoryhub(claude, "install", tmp_path)

        assert claude.run("-p", "go on", cwd=shop).strip() == "hello"

        servers = claude.run("mcp", "list", cwd=shop)
        manage(tmp_path, "sync")
    assert any(STATUS in asked for asked in model.asked)
    assert "memoryhub" in servers
    assert "Connected" in servers
    assert "Auto-saved before" in (shop / "memory/context-shop.md").read_text()


def test_without_the_hub_it_is_given_the_file(
    program: Path, model: Model, shop: Path, tmp_path: Path
) -> None:
    claude = ClaudeCode(program, tmp_path / "home", model.address)
    memoryhub(claude, "install", tmp_path)

    assert claude.run("-p", "go on", cwd=shop).strip() == "hello"

    assert any(STATUS in asked for asked in model.asked)


def test_it_takes_a_handoff_and_finishes_it(
    program: Path, shop: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with running_hub(tmp_path, [shop]), running_model(worker) as model:
        claude = ClaudeCode(program, home, model.address)
        memoryhub(claude, "install", tmp_path)
        sent = ("claude", "--agent", "planner", "--type", "read_only")
        task = ("--context", "Count the carts", "--input", "carts.csv")
        manage(tmp_path, "handoff", "send", *sent, *task)

        allowed = ("--allowedTools", "mcp__plugin_memoryhub_memoryhub")
        end = claude.run("-p", "go on", *allowed, cwd=shop)

    assert end.strip() == "finished"
    (file,) = (shop / "memory/handoffs").glob("*.md")
    assert "Forty carts" in file.read_text()


#: Calls of the scripted worker, in turn: a tool and its values without the task's id.
WORK: tuple[tuple[str, dict[str, str]], ...] = (
    ("handoff_take", {}),
    ("handoff_report", {"status": "done", "output": "Forty carts"}),
)


def worker(request: dict[str, Any]) -> dict[str, Any]:
    """Take the first task that the session's context names, report it, and end."""
    names = {
        tool["name"].rpartition("__")[2]: tool for tool in request.get("tools", ())
    }
    asked = json.dumps(request["messages"])
    named = re.search(r"\b\d{8}-\d{2}\b", asked)
    step = asked.count('"tool_result"')
    if not named or step >= len(WORK) or WORK[step][0] not in names:
        return text("finished" if step >= len(WORK) else "no task")
    tool, values = WORK[step]
    return call(step, names[tool]["name"], {"task_id": named[0], **values})


def test_a_second_session_hears_that_the_first_has_the_file(
    program: Path, shop: Path, tmp_path: Path
) -> None:
    (shop / "carts.csv").write_text("red\n")
    ends, begun = list[str](), list[bool]()

    def claims(request: dict[str, Any]) -> dict[str, Any]:
        """Claim the carts; the first session then waits until the second has tried."""
        names = [tool["name"] for tool in request.get("tools", ())]
        claiming = [name for name in names if name.endswith("__files_claim")]
        asked = json.dumps(request["messages"])
        if not claiming:
            is_late = "WaitForMcpServers" in names
            return call(0, "WaitForMcpServers", {}) if is_late else text("no tool")
        if "toolu_1" not in asked:
            return call(1, claiming[0], {"paths": ["carts.csv"]})
        if "cart-one" in asked and not begun:
            begun.append(True)
            ends.append(claude.run("-p", "cart-two", *allowed, cwd=shop))
        return text("refused" if "in another session" in asked else "claimed")

    with running_hub(tmp_path, [shop]), running_model(claims) as model:
        claude = ClaudeCode(program, tmp_path / "home", model.address)
        memoryhub(claude, "install", tmp_path)
        allowed = ("--allowedTools", "mcp__plugin_memoryhub_memoryhub")
        ends.append(claude.run("-p", "cart-one", *allowed, cwd=shop))

    assert [end.strip() for end in ends] == ["refused", "claimed"]


def test_it_can_be_taken_away_again(program: Path, tmp_path: Path) -> None:
    claude = ClaudeCode(program, tmp_path / "home")
    memoryhub(claude, "install", tmp_path)
    assert "memoryhub" in claude.run("plugin", "list", cwd=tmp_path)

    memoryhub(claude, "uninstall", tmp_path)

    assert "No plugins installed" in claude.run("plugin", "list", cwd=tmp_path)


def memoryhub(claude: ClaudeCode, command: str, folder: Path) -> None:
    """Run one of our commands where it finds this Claude Code."""
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), command, "claude-code", "--yes"],
        env={**claude.environment, "MEMORYHUB_DATA": str(folder / "data")},
        capture_output=True,
        check=True,
    )
