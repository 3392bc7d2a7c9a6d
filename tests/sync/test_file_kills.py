"""A hub killed amid a write, at any call to the system, while a program appends."""

from __future__ import annotations

import json
import os
import re
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.browser.hub import empty_hub
from tests.warm import python

CHECKOUT = Path(__file__).parents[2]


def kill(what: str, folder: Path, *steps: int) -> dict[str, Any]:
    """Kill a hub at these steps of an edit; return what `tests.file_kills` tells."""
    empty_hub(folder)
    command = python("-m", "tests.file_kills", what, folder / "ws")
    done = subprocess.run(
        [*command, *map(str, steps)],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "MEMORYHUB_DATA": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        },
        check=True,
        timeout=3_000,
        stdout=subprocess.PIPE,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


#: Most are of the write itself; before them the lock is taken and the file read.
QUICK = {
    "replace": [20, 24, 28, *range(30, 62, 2)],
    "append": [16, 20, *range(22, 34, 2)],
    "half-append": [1],
    "half-replace": [1],
}
EVERY = {what: list(range(1, 150)) for what in QUICK}


@pytest.mark.parametrize("what", QUICK)
@pytest.mark.parametrize("steps", [QUICK, pytest.param(EVERY, marks=pytest.mark.soak)])
def test_a_kill_amid_a_write_loses_no_line_and_leaves_no_draft(
    tmp_path: Path, what: str, steps: dict[str, list[int]]
) -> None:
    told = kill(what, tmp_path, *steps[what])

    assert told["killed"]
    assert sorted(file.name for file in (tmp_path / "ws/memory").iterdir()) == sorted(
        path.rpartition("/")[2] for path in told["hashes"]
    )
    for path, digest in told["hashes"].items():
        data = (tmp_path / "ws" / path).read_bytes()
        assert digest == sha256(data).hexdigest()
        assert lines_in(data) == list(range(told["lines"].get(path, 0))), path
        edits = data.count(b"OURS") + data.count(b"Changed by the hub.")
        assert edits == (told["edits"].get(path) == "applied"), path
    assert set(told["edits"].values()) == {"applied"}
    assert not told["problems"]


def lines_in(data: bytes) -> list[int]:
    """Return the numbers of the other program's lines, in the order of the file."""
    return [
        int(number) for number in re.findall(rb"^- line (\d+)$", data, re.MULTILINE)
    ]
