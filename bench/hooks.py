"""How long an agent waits for a hook: ``python -m bench.hooks ROOT``.

Prints as JSON the median seconds of a hook that is told something and of one that is
asked, each in turn with an interpreter that does nothing, and of both without a server.
MEMORYHUB_DATA has to name a hub that knows the workspace ROOT.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep

from memoryhub.hooks import client

_CHECKOUT = Path(__file__).parents[1]
_TURNS = 25
_WAIT_SECONDS = 120.0
#: What hosts run, and what everything is a multiple of.
_HOOK = (sys.executable, "-S", "-E", client.__file__)
_FLOOR = (sys.executable, "-c", "pass")
_SESSION = {"sessionKey": "agent:builder:bench"}


def measure(root: Path) -> dict[str, float]:
    """Return the median seconds of each, by name."""
    said = {
        "event": {"messageCount": 280},
        "ctx": _SESSION | {"workspaceDir": str(root)},
    }
    body = json.dumps(said).encode()
    data = Path(os.environ["MEMORYHUB_DATA"])
    told, asked = (*_HOOK, "before_compaction"), (*_HOOK, "before_prompt_build")
    with serving(data):
        _seconds(told, body)
        served = _in_turn({"told, floor": _FLOOR, "told": told}, body)
        # What was told is done before what is asked is answered: that is not measured.
        _wait_until(lambda: not any(map(Path.is_file, (data / client.SPOOL).iterdir())))
        served |= _in_turn({"asked, floor": _FLOOR, "asked": asked}, body)
    return served | _in_turn({"told, alone": told, "asked, alone": asked}, body)


@contextmanager
def serving(data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a hub's server until the end."""
    command = [sys.executable, "manage.py", "serve", "--port", "0", "--no-watch"]
    server = subprocess.Popen(command, cwd=_CHECKOUT, stdout=subprocess.DEVNULL)
    try:
        _wait_until((data / client.SOCKET).is_socket)
        yield server
    finally:
        server.terminate()
        server.wait()
        (data / client.SOCKET).unlink(missing_ok=True)


def _wait_until(condition: Callable[[], bool]) -> None:
    end = perf_counter() + _WAIT_SECONDS
    while not condition():
        if perf_counter() > end:
            raise RuntimeError("the server does not do its work")
        sleep(0.05)


def _in_turn(commands: dict[str, tuple[str, ...]], body: bytes) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(_TURNS):
        for name, command in commands.items():
            times[name].append(_seconds(command, body))
    return {name: statistics.median(taken) for name, taken in times.items()}


def _seconds(command: tuple[str, ...], body: bytes) -> float:
    start = perf_counter()
    subprocess.run(command, input=body, capture_output=True, check=True)
    return perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
