"""CPU of commands: ``python -m bench.commands``.

Prints as JSON the mean seconds of CPU of each command, of its own process and of the
server, and those without a server. `floor` is ``python -c 'import django'``.
MEMORYHUB_DATA has to name a hub with one workspace.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from time import sleep

from bench.hooks import serving

_CHECKOUT = Path(__file__).parents[1]
_TURNS, _ALONE_TURNS = 20, 3
#: Seconds of CPU that an idle server uses in one.
_IDLE = 0.05
_FLOOR = ("-c", "import django")
_HUB = ("-m", "memoryhub")
#: Commands by the names of their rows.
COMMANDS = {
    "status": ("status",),
    "search": ("search", "parser retries"),
    "recall": ("recall",),
    "open-items": ("open-items",),
    "tool": ("tool", "workspace_status"),
}


def measure(data: Path) -> dict[str, float]:
    """Return the mean seconds of CPU of each, by name."""
    measured = {"floor": _mean(_FLOOR, _TURNS)}
    for name, command in COMMANDS.items():
        measured[f"{name}, alone"] = _mean((*_HUB, *command), _ALONE_TURNS)
    with serving(data) as server:
        _wait_until_idle(server.pid)
        for name, command in COMMANDS.items():
            _mean((*_HUB, *command), 1)
            before = _seconds_of(server.pid)
            seconds = _mean((*_HUB, *command), _TURNS)
            taken = _seconds_of(server.pid) - before
            measured[name] = seconds + taken / _TURNS
    return measured


def _wait_until_idle(process: int) -> None:
    """Wait until a server has finished its start-up work."""
    used = -1.0
    while (now := _seconds_of(process)) - used > _IDLE:
        used = now
        sleep(1)


def _mean(arguments: tuple[str, ...], turns: int) -> float:
    """Return the mean seconds of CPU of a program of Python."""
    before = _of_children()
    for _ in range(turns):
        subprocess.run(
            [sys.executable, *arguments],
            cwd=_CHECKOUT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return (_of_children() - before) / turns


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds_of(process: int) -> float:
    """Return the seconds of CPU that a running process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(json.dumps(measure(Path(os.environ["MEMORYHUB_DATA"]))))
