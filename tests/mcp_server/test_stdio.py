"""The server as a host starts it: a process that speaks on its standard streams."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.client import Client

from tests.browser.hub import ROOT, manage


def started_by_a_host(folder: Path, *options: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=[str(ROOT / "manage.py"), "mcp", *options],
        env={**os.environ, "MEMORYHUB_DATA": str(folder / "data")},
    )


def test_a_host_gets_answers_of_what_is_in_the_files(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples/acme-checkout", tmp_path / "acme")
    manage(tmp_path, "add", str(tmp_path / "acme"))
    manage(tmp_path, "sync")

    async def run() -> None:
        options = ("--workspace", "acme", "--agent", "builder", "--no-watch")
        async with Client(started_by_a_host(tmp_path, *options)) as client:
            assert client.instructions and "memory" in client.instructions
            given = await client.call_tool("workspace_status")
            assert given.structured_content["files"] > 5

    anyio.run(run)
