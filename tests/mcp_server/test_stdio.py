"""The server as a host starts it: a process that speaks on its standard streams."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from tests.browser.hub import ROOT, empty_hub, prepare_hub
from tests.warm import python


def started_by_a_host(folder: Path, *options: str) -> StdioServerParameters:
    program, *arguments = python(ROOT / "manage.py", "mcp", *options)
    return StdioServerParameters(
        command=program,
        args=arguments,
        env={**os.environ, "MEMORYHUB_DATA": str(folder / "data")},
    )


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "samples/acme-checkout", tmp_path / "acme")
    prepare_hub(tmp_path, [tmp_path / "acme"])
    return tmp_path / "acme"


def test_a_host_gets_answers_of_what_is_in_the_files(
    tmp_path: Path, acme: Path
) -> None:
    async def run() -> None:
        options = ("--workspace", "acme", "--agent", "builder", "--no-watch")
        async with Client(started_by_a_host(tmp_path, *options)) as client:
            assert client.instructions and "memory" in client.instructions
            given = await client.call_tool("workspace_status")
            assert given.structured_content["files"] > 5

    anyio.run(run)


def test_the_first_call_gives_what_was_written_just_before(
    tmp_path: Path, acme: Path
) -> None:
    (acme / "memory/2026-11-21.md").write_text("# 2026-11-21\n\n- Quiet zeppelins.\n")

    async def run() -> None:
        options = ("--workspace", "acme", "--agent", "builder", "--no-watch")
        async with Client(started_by_a_host(tmp_path, *options)) as client:
            given = await client.call_tool("memory_search", {"query": "zeppelins"})
            assert given.structured_content["results"]
            assert given.meta and not given.meta["memoryhub/as-of"]["stale"]

    anyio.run(run)


def test_what_changes_while_it_runs_is_known(tmp_path: Path, acme: Path) -> None:
    (acme / "memory/2026-11-21.md").write_text("# 2026-11-21\n\n- Quiet zeppelins.\n")

    async def run() -> None:
        async with Client(started_by_a_host(tmp_path)) as client:
            with anyio.fail_after(60):
                while True:
                    query = {"query": "zeppelins"}
                    given = await client.call_tool("memory_search", query)
                    if given.structured_content["results"]:
                        return
                    await anyio.sleep(0.1)

    anyio.run(run)


def test_a_workspace_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    empty_hub(tmp_path)
    started = started_by_a_host(tmp_path, "--workspace", "none")
    done = subprocess.run(
        [started.command, *started.args],
        env=started.env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("memoryhub: no workspace is called none")


def answers(folder: Path, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a server answers to lines of input, which end then."""
    started = started_by_a_host(folder, "--no-watch")
    done = subprocess.run(
        [started.command, *started.args],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        env=started.env,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(number: int | str, **fields: Any) -> dict[str, Any]:
    params = {"name": "memory_search", "arguments": {"query": "x", **fields}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_lines_that_are_too_large_are_refused_and_the_next_is_read(
    tmp_path: Path,
) -> None:
    empty_hub(tmp_path)
    keys = {f"k{n}": 1 for n in range(300_000)}
    turned = dict(reversed(call("b", text="x" * 20_000_000).items()))
    turned["id"] = turned.pop("id")
    ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}

    given = answers(tmp_path, call(1, **keys), turned, {**call(2), "id": [keys]}, ping)

    told = [(each["id"], each.get("error", {}).get("data")) for each in given]
    codes = [(number, data and data["code"]) for number, data in told]
    assert codes == [
        (1, "json-too-large"),
        ("b", "body-too-large"),
        (None, "json-too-large"),
        (3, None),
    ]


def test_a_request_is_answered_though_the_input_ends_behind_it(
    tmp_path: Path, acme: Path
) -> None:
    host = {"name": "a script", "version": "1"}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": host}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    given = answers(tmp_path, hello, ready, *map(call, range(1, 6)))

    assert sorted(each["id"] for each in given) == [0, 1, 2, 3, 4, 5]
    assert not [each for each in given if "error" in each]


def test_the_answer_names_twenty_of_many_unknown_fields(
    tmp_path: Path, acme: Path
) -> None:
    async def run() -> None:
        async with Client(started_by_a_host(tmp_path, "--no-watch")) as client:
            asked = {"query": "x", **{f"k{n}": 1 for n in range(900)}}
            given = await client.call_tool("memory_search", asked)
            told = (given.meta or {})["memoryhub/error"]["details"]
            assert (len(told["fields"]), told["more"]) == (20, 880)

    anyio.run(run)
