"""Measure calls and pages under concurrent writes: ``python -m bench.load``.

Agents write through REST at a fixed pace, other programs append lines to the same logs,
readers open pages: each kind in a process of its own, all against one real server.
Afterwards every acknowledged text is looked for in the files. The exit code is 1 when
one is lost or doubled, or something failed.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from pathlib import Path
from random import Random
from select import select
from time import monotonic, sleep
from typing import Any

from bench import board
from bench.crew_hub import Hub, Place
from bench.crew_person import signed_in

SLUG = "load"
#: Logs that agents and other programs append to.
_DAYS = ("2026-11-18", "2026-11-19", "2026-11-20")
PAGES = (
    "",
    "handoffs/",
    "timeline/",
    "topics/",
    "decisions/",
    "agents/",
    "files/",
    "files/memory/2026-11-20.md",
    "health/",
)
#: Seconds within which a server is warm, and between looks at whether it rests.
_WARMING, _LOOK = 60.0, 1.0
#: CPU seconds a second of a server that has nothing to do.
_RESTING = 0.1
_MARK = re.compile(r"\b(?:agent|program|person)-\w+-\d{5}\b")


@dataclass(frozen=True, slots=True)
class Load:
    """Duration, number of workers, and total rate per second of each kind."""

    seconds: float = 20.0
    agents: int = 20
    writes: float = 65.0
    appenders: int = 3
    lines: float = 50.0
    readers: int = 8
    pages: float = 16.0
    seed: int = 1


class Connection(HTTPConnection):
    """A connection that is opened anew where the server has closed an idle one."""

    def request(self, *given: Any, **named: Any) -> None:
        # Nothing was asked: what can be read is the end.
        if self.sock is not None and select([self.sock], [], [], 0)[0]:
            self.close()
        super().request(*given, **named)


@dataclass(slots=True)
class Tally:
    """Results of one kind: seconds per act, acknowledged marks, failures."""

    times: list[float] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def line(self, name: str, seconds: float) -> str:
        if not self.times:
            return f"{name}: none"
        cuts = statistics.quantiles(self.times, n=100, method="inclusive")
        told = "".join(
            f", {label} {1_000 * value:.0f} ms"
            for label, value in (
                ("p50", cuts[49]),
                ("p99", cuts[98]),
                ("max", max(self.times)),
            )
        )
        rate = len(self.times) / seconds
        failed = Counter(self.failures).most_common(3)
        return f"{name}: {len(self.times)}, {rate:.1f} a second{told}, failed {failed}"


class Worker:
    """A worker that acts at fixed intervals, and at once if it is late."""

    def __init__(
        self,
        name: str,
        pace: float,
        end: float,
        chance: Random,
        most: int = 1_000_000,
    ) -> None:
        self.name, self.chance = name, chance
        self._pace, self._end = pace, end
        self._most = most
        self.tally = Tally()

    def run(self, act: Callable[[str], str]) -> Tally:
        """Call `act` with a new mark until the end; it returns a failure or ""."""
        due = monotonic() + self.chance.random() / self._pace
        for number in range(self._most):
            sleep(max(0.0, due - monotonic()))
            begun = monotonic()
            if begun >= self._end:
                break
            due += 1 / self._pace
            mark = f"{self.name}-{number:05d}"
            try:
                failure = act(mark)
            except (OSError, HTTPException, ValueError) as error:
                failure = repr(error)
            self.tally.times.append(monotonic() - begun)
            (self.tally.failures if failure else self.tally.marks).append(
                failure or mark
            )
        return self.tally


def agent(worker: Worker, place: Place, port: int, token: str = "") -> Tally:
    """Write notes, statuses, handoffs and errors through REST.

    `token`: the agent's own; else it is a program of this computer.
    """
    client = Connection("localhost", port, timeout=60)
    headers = {
        "Authorization": f"Bearer {token or place.token}",
        "Content-Type": "application/json",
        "MemoryHub-Agent": worker.name,
    }

    def act(mark: str) -> str:
        tool, request = _asked(worker.chance, mark)
        address = f"/api/v1/workspaces/{SLUG}/tools/{tool}"
        key = {"Idempotency-Key": mark}
        client.request("POST", address, json.dumps(request), headers | key)
        response = client.getresponse()
        answer = json.loads(response.read())
        code = answer.get("error", {}).get("code", "")
        return "" if response.status == 200 else f"{response.status} {code}"

    return worker.run(act)


def _asked(chance: Random, mark: str) -> tuple[str, dict[str, Any]]:
    kind = chance.random()
    if kind < 0.5:
        return "memory_append", {"content": f"- {mark}\n", "day": chance.choice(_DAYS)}
    if kind < 0.7:
        goal = {"goal": f"Reach {mark}", "phase": "testing", "next_steps": ["Go on"]}
        return "snapshot_save", goal
    if kind < 0.85:
        fields = {"to": "builder", "type": "read_only", "context": "Look at it"}
        return "handoff_send", fields | {"input": f"the notes of {mark}"}
    return "error_append", {"text": f"Could not read {mark}"}


def appender(worker: Worker, place: Place, port: int) -> Tally:
    """Append lines to log files directly, without the hub."""

    def act(mark: str) -> str:
        log = place.roots[SLUG] / f"memory/{worker.chance.choice(_DAYS)}.md"
        with log.open("ab", buffering=0) as file:
            file.write(f"- {mark}\n".encode())
        return ""

    return worker.run(act)


def reader(worker: Worker, place: Place, port: int) -> Tally:
    """Open pages with the cookie of a signed-in browser."""
    client = Connection("localhost", port, timeout=60)
    headers = {"Cookie": place.cookie.read_text()}

    def act(mark: str) -> str:
        page = worker.chance.choice(PAGES)
        client.request("GET", f"/w/{SLUG}/{page}", headers=headers)
        response = client.getresponse()
        response.read()
        return "" if response.status == 200 else f"{response.status} {page}"

    return worker.run(act)


_ROLES = {"agent": agent, "program": appender, "reader": reader}


def play(role: str, load: Load, place: Place, port: int) -> Tally:
    """Run all workers of a kind in threads; return their merged tally."""
    count, rate = {
        "agent": (load.agents, load.writes),
        "program": (load.appenders, load.lines),
        "reader": (load.readers, load.pages),
    }[role]
    if not count or not rate:
        return Tally()
    end = monotonic() + load.seconds
    workers = [
        Worker(f"{role}-{n}", rate / count, end, Random(f"{load.seed} {role} {n}"))
        for n in range(count)
    ]
    with ThreadPoolExecutor(count) as pool:
        tallies = list(pool.map(lambda each: _ROLES[role](each, place, port), workers))
    return Tally(
        [time for tally in tallies for time in tally.times],
        [mark for tally in tallies for mark in tally.marks],
        [failure for tally in tallies for failure in tally.failures],
    )


def run(load: Load, folder: Path) -> tuple[list[str], bool]:
    """Run a load on a new hub in an empty folder; return report and success."""
    tallies, spent, took, texts = _run(load, folder)
    report = [tally.line(role, load.seconds) for role, tally in tallies.items()]
    acts = len(tallies["agent"].times)
    report.append(f"server: {spent:.1f} CPU s in {took:.1f} s, {acts} writes")
    marks = [*tallies["agent"].marks, *tallies["program"].marks]
    wrong = list(wrong_of(marks, texts))
    failed = any(tally.failures for tally in tallies.values())
    return [*report, *wrong], not (wrong or failed)


def ten_agents(folder: Path) -> dict[str, float]:
    """Return milliseconds of ten agents that write as fast as they can."""
    load = Load(10.0, 10, 10_000.0, appenders=0, readers=0)
    tallies, spent, took, _ = _run(load, folder)
    count = len(tallies["agent"].marks)
    return {
        "from write to write": 1_000 * took / count,
        "CPU of a write": 1_000 * spent / count,
    }


def _run(load: Load, folder: Path) -> tuple[dict[str, Tally], float, float, str]:
    """Run a load; return its tallies, CPU and seconds of the server, all texts."""
    place = Place(folder, (SLUG,))
    generate(place.roots[SLUG])
    hub = Hub(place)
    hub.start()
    place.cookie.write_text(signed_in(hub.link()))
    try:
        _warmed(place, hub)
        before = hub.cpu_seconds
        begun = monotonic()
        tallies = _played(load, place, hub.port)
        spent, took = hub.cpu_seconds - before, monotonic() - begun
    finally:
        hub.stop()
    return tallies, spent, took, texts_in(place.roots[SLUG])


def _warmed(place: Place, hub: Hub) -> None:
    """Warm the server up: its first answers load modules for seconds.

    The process that makes pages begins behind them, and takes as long.
    """
    end = monotonic() + _WARMING
    for role in ("reader", "agent"):
        worker = Worker(f"{role}-first", 1_000.0, end, Random(0), 3 * len(PAGES))
        _ROLES[role](worker, place, hub.port)
    spent = -_RESTING
    while hub.cpu_seconds - spent > _RESTING and monotonic() < end:
        spent = hub.cpu_seconds
        sleep(_LOOK)


def generate(root: Path) -> None:
    """Write a workspace with handoffs and logs."""
    board.generate(root, handoffs=300)
    for day in _DAYS:
        lines = "".join(f"- a line of {day} number {n}\n" for n in range(200))
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n{lines}")


def _played(load: Load, place: Place, port: int) -> dict[str, Tally]:
    """Run each kind of worker in its own process."""
    context = get_context("spawn")
    with ProcessPoolExecutor(len(_ROLES), mp_context=context) as processes:
        playing = {
            role: processes.submit(play, role, load, place, port) for role in _ROLES
        }
        return {role: tally.result() for role, tally in playing.items()}


def texts_in(root: Path) -> str:
    """Return the texts of all files."""
    return "\n".join(path.read_text() for path in sorted(root.rglob("*.md")))


def wrong_of(marks: Sequence[str], texts: str) -> Iterator[str]:
    """Count acknowledged marks that texts lack or have twice."""
    found = Counter(_MARK.findall(texts))
    lost = [mark for mark in marks if not found[mark]]
    doubled = [mark for mark in marks if found[mark] > 1]
    for name, odd in (("LOST", lost), ("DOUBLED", doubled)):
        if odd:
            yield f"{name}: {len(odd)} of {len(marks)}, such as {odd[:3]}"


def main() -> int:
    """Run the load and print its report; return 1 on loss, doubling or failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    for each in fields(Load):
        parser.add_argument(
            f"--{each.name}", type=type(each.default), default=each.default
        )
    asked = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        report, held = run(Load(**asked), Path(folder))
    print("\n".join(report))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
