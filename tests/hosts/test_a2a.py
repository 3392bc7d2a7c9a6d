"""The official SDK of A2A talks to an agent of the hub."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.hub import ROOT, local_token_of, running_hub

pytestmark = pytest.mark.hosts

PACKAGE = "a2a-sdk==1.3.0"
CLIENT = Path(__file__).with_name("a2a_client.py")


def python_with_sdk() -> Path:
    """Return a Python that has the SDK, installed once below build/."""
    place = ROOT / "build/hosts/a2a"
    python = place / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PACKAGE], check=True)
    return python


def test_the_sdk_sends_reads_lists_and_cancels_a_task(tmp_path: Path) -> None:
    python = python_with_sdk()
    with running_hub(tmp_path) as hub:
        address = f"{hub}/api/a2a/acme/builder"
        done = subprocess.run(
            [python, CLIENT, address, local_token_of(hub)],
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "card": "builder",
        "read": "TASK_STATE_SUBMITTED",
        "input": "Count the tests",
        "listed": True,
        "canceled": "TASK_STATE_CANCELED",
    }
