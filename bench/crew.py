"""A simulated crew hands work to each other by a real hub: ``python -m bench.crew``.

Agents are processes that die and come back, and so is the server with ``--kill N``.
What must never be is looked for while they work, and in all answers and files when
they are done. The exit code is 1 when something was found.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, cycle
from pathlib import Path
from time import monotonic, sleep

from bench import crew_claims, crew_heard, crew_judge, crew_terms
from bench.crew_alarms import AlarmWatch, alarms_as_expected, expected_alarms
from bench.crew_calls import Call, Client, Fields, Ledger
from bench.crew_files import read_handoffs
from bench.crew_hands import SCRIBE
from bench.crew_history import COORDINATOR, History, Violation, histories
from bench.crew_hub import Hub, Place
from bench.crew_person import person_at, signed_in

Process = subprocess.Popen[bytes]

_CHECKOUT = Path(__file__).parents[1]
_NAMES = ("planner", "builder", "reviewer", "tester", "writer", "scout", "docs")
_OBSERVER = "observer"
#: Seconds between two looks at the handoffs in progress, and at who is alive.
_LOOK, _WATCH = 0.1, 0.05


@dataclass(frozen=True, slots=True)
class Crew:
    """Who works, how much, and how often the server is killed."""

    agents: int = 8
    handoffs: int = 2_000
    kills: int = 0
    seed: str = "1"
    seconds: float = 3_600.0
    workspaces: int = 1

    @property
    def slugs(self) -> tuple[str, ...]:
        return _numbered("crew", self.workspaces)

    @property
    def names(self) -> tuple[str, ...]:
        """Who is where, as ``workspace/agent``; each workspace has a coordinator."""
        more = (f"agent{number}" for number in range(self.agents))
        agents = (*_numbered(COORDINATOR, self.workspaces), *_NAMES, *more)
        homes = cycle(self.slugs)
        return tuple(map("/".join, zip(homes, agents[: self.agents], strict=False)))

    @property
    def scribe(self) -> str:
        """The agent of the first workspace that works with files alone."""
        return f"{self.slugs[0]}/{SCRIBE}"

    @property
    def workers(self) -> frozenset[str]:
        """Those in the pools of workers: every other agent of each workspace."""
        homes = ([n for n in self.names if n.startswith(f"{s}/")] for s in self.slugs)
        return frozenset(n.partition("/")[2] for home in homes for n in home[1::2])

    def quota(self, name: str) -> int:
        """Return how many handoffs an agent sends."""
        whole, rest = divmod(self.handoffs, self.agents)
        return whole + (self.names.index(name) < rest)


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return (name, *(f"{name}-{number}" for number in range(2, count + 1)))


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a run: violations, calls, states and times."""

    violations: tuple[Violation, ...]
    calls: tuple[Call, ...]
    states: Counter[str]
    seconds: float
    cpu: float
    kills: int
    deaths: int
    #: How many alarms had to be raised.
    alarms: int = 0
    #: How many messages agents were given.
    messages: int = 0

    def lines(self) -> Iterator[str]:
        """Give the report as text."""
        yield (
            f"{self.states.total():,} handoffs ({_said(self.states)}),"
            f" {len(self.calls):,} calls in {self.seconds:.1f} s,"
            f" {len(self.calls) / self.seconds:.1f} a second"
        )
        yield f"server killed {self.kills} times, agents {self.deaths} times"
        yield f"{self.alarms:,} alarms expected, {self.messages:,} messages heard"
        yield f"server CPU: {1_000 * self.cpu / len(self.calls):.1f} ms a call"
        by_tool = defaultdict[str, list[float]](list)
        for call in self.calls:
            by_tool[call.tool].append(1_000 * (call.ended - call.started))
        for tool, times in sorted(by_tool.items()):
            yield f"{tool}: {len(times):,} calls, {_percentiles(times)}"
        refused = Counter(c.code for c in self.calls if not c.is_read and c.code)
        yield f"refused: {_said(refused)}"
        yield from (f"VIOLATION {violation}" for violation in self.violations)


class Observer:
    """Polls the work in progress while the other agents run."""

    def __init__(self, place: Place, port: int) -> None:
        self._ledger = Ledger(place.ledgers / f"{_OBSERVER}.jsonl")
        self._clients = _clients(place, port, self._ledger)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=_OBSERVER)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_LOOK):
            for client in self._clients.values():
                rows = client.listed(state="in_progress", limit=200)
                for violation in _seen_wrong(rows):
                    self._ledger.accuse(str(violation))
        for client in self._clients.values():
            client.close()


def _clients(place: Place, port: int, ledger: Ledger) -> dict[str, Client]:
    """Return who looks at each workspace, by its slug."""
    return {
        slug: Client(port, slug, _OBSERVER, ledger, place.token) for slug in place.slugs
    }


def _seen_wrong(rows: Sequence[Fields]) -> Iterator[Violation]:
    """Check one sample of handoffs; those done in another workspace are left out."""
    here = [row for row in rows if "/" not in row["recipient"]]
    writes = [row for row in here if row["type"] == "write"]
    for one, other in combinations(writes, 2):
        named = {row["repository"] for row in (one, other)} - {""}
        if len(named) < 2:
            both = f"{one['task_id']}, {other['task_id']}"
            yield Violation("two-writes", both)
    for row in rows:
        if row["type"] == "decision" and not row["signed_by"]:
            yield Violation("unsigned-decision", row["task_id"])


def run(crew: Crew, folder: Path) -> Report:
    """Have a crew do its work in an empty folder, and judge it."""
    place, begun = Place(folder, crew.slugs), monotonic()
    place.ledgers.mkdir(parents=True)
    _declare_coordinators(crew, place)
    hub = Hub(place)
    hub.start()
    place.cookie.write_text(signed_in(hub.link()))
    _name_coordinators(crew, place, hub.port)
    observer = Observer(place, hub.port)
    quiet = Ledger(place.folder / "alarms")
    watch = AlarmWatch(_clients(place, hub.port, quiet))
    observer.start()
    watch.start()
    try:
        late = _worked(crew, place, hub)
        seconds = monotonic() - begun
        records = _records(place, hub.port)
    finally:
        observer.stop()
        watch.stop()
        hub.stop()
    ledgers = [Ledger(path) for path in sorted(place.ledgers.glob("*.jsonl"))]
    found, violations = _judged(place, ledgers, records)
    violations += crew_terms.taken_by_strangers(found, crew.workers)
    calls = [c for each in ledgers for c in (*each.calls.values(), *each.reads)]
    violations += _told_wrong(found, ledgers, calls, watch)
    here = (history for history in found.values() if not history.file.away)
    return Report(
        (*late, *violations),
        tuple(calls),
        Counter(history.state for history in here),
        seconds,
        hub.cpu_seconds,
        hub.kills,
        sum(max(each.starts - 1, 0) for each in ledgers),
        expected_alarms(found) + crew_claims.alarms_of_claims(calls),
        crew_heard.messages_heard(ledgers),
    )


def _told_wrong(
    found: Mapping[str, History],
    ledgers: Sequence[Ledger],
    calls: Sequence[Call],
    watch: AlarmWatch,
) -> Iterator[Violation]:
    """Yield the violations of alarms, inboxes and claims."""
    yield from alarms_as_expected(found, watch.looks)
    by_name = {ledger.name: ledger for ledger in ledgers if ledger.cursor}
    yield from crew_heard.unheard(found, by_name)
    yield from crew_claims.claims_wrong(calls, watch.looks)


def _declare_coordinators(crew: Crew, place: Place) -> None:
    """Say in each workspace who coordinates, whatever the agent is called."""
    for name in crew.names[: crew.workspaces]:
        slug, _, agent = name.partition("/")
        root = place.roots[slug]
        root.mkdir(parents=True)
        others = (each.partition("/") for each in crew.names if each != name)
        workers = "".join(
            f"- {each}: Worker\n"
            for home, _, each in others
            if home == slug and each in crew.workers
        )
        text = f"## Agents\n\n- {agent}: Coordinator\n{workers}"
        (root / "AGENTS.md").write_text(text)


def _name_coordinators(crew: Crew, place: Place, port: int) -> None:
    """Set the coordinators as a person; names in files are suggestions only."""
    ledger = Ledger(place.folder / "person")
    for name in crew.names[: crew.workspaces]:
        slug, _, agent = name.partition("/")
        person_at(place, port, slug, ledger).name_coordinators([agent])


def _worked(crew: Crew, place: Place, hub: Hub) -> list[Violation]:
    """Run the agents to their end; return their own failures."""
    running = {name: _started(crew, place, hub.port, name) for name in crew.names}
    running[crew.scribe] = _started(crew, place, hub.port, crew.scribe)
    end = monotonic() + crew.seconds
    wrong = list[Violation]()
    try:
        while running and monotonic() < end:
            wrong += _looked_after(crew, place, hub.port, running)
            if _kills_due(crew, place) > hub.kills:
                hub.kill()
                hub.start()
            sleep(_WATCH)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    return [*wrong, *(Violation("not-finished", name) for name in running)]


def _looked_after(
    crew: Crew, place: Place, port: int, running: dict[str, Process]
) -> Iterator[Violation]:
    """Start agents again that have died, and let go of those that are done."""
    for name, process in list(running.items()):
        code = process.poll()
        if code == -signal.SIGKILL:
            running[name] = _started(crew, place, port, name)
        elif code is not None:
            del running[name]
            if code:
                yield Violation("agent-failed", f"{name} ended with {code}")


def _kills_due(crew: Crew, place: Place) -> int:
    """Return how often the server is killed by now: evenly over all handoffs."""
    folders = (root / "memory/handoffs" for root in place.roots.values())
    done = sum(1 for folder in folders for _ in folder.glob("*.md"))
    return min(crew.kills, done * (crew.kills + 1) // crew.handoffs)


def _started(crew: Crew, place: Place, port: int, name: str) -> Process:
    names = ",".join((*crew.names, crew.scribe))
    if name == crew.scribe:
        command = ["-m", "bench.crew_hands", str(place.folder), name, names]
    else:
        part = (crew.seed, name, str(crew.quota(name)), names)
        command = ["-m", "bench.crew_agents", str(place.folder), str(port), *part]
    return subprocess.Popen([sys.executable, *command], cwd=_CHECKOUT)


def _records(place: Place, port: int) -> list[Fields]:
    """Return the hub's records of all handoffs, each where its work is done."""
    clients = _clients(place, port, Ledger(place.folder / "last"))
    return [
        {**record, "name": f"{slug}/{record['task_id']}"}
        for slug, client in clients.items()
        for record in _all_records(client)
        if "/" not in record["recipient"]
    ]


def _all_records(client: Client) -> list[Fields]:
    with closing(client):
        records, following = client.record_page("")
        while following:
            page, following = client.record_page(following)
            records += page
        return records


def _judged(
    place: Place, ledgers: Sequence[Ledger], records: Sequence[Fields]
) -> tuple[dict[str, History], list[Violation]]:
    """Return the histories of all handoffs, and the violations."""
    calls = [call for ledger in ledgers for call in ledger.calls.values()]
    files = read_handoffs(place.roots)
    found = histories(files, calls)
    violations = [
        *(Violation(*each.split(": ", 1)) for led in ledgers for each in led.untrue),
        *(wrong for history in found.values() for wrong in history.violations),
        *crew_judge.lost_or_doubled(files, calls),
        *crew_judge.results_as_reported(files, calls),
        *crew_judge.memory_as_reported(place.roots.values(), calls),
        *crew_judge.overlapping_writes(found.values()),
        *crew_judge.out_of_turn(found.values()),
        *crew_judge.counts_agree(found, records),
        *crew_judge.left_open(records),
        *crew_terms.begun_too_early(found),
    ]
    return found, violations


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.most_common())


def _percentiles(times: Sequence[float]) -> str:
    cuts = statistics.quantiles(times, n=20) if len(times) > 1 else [*times] * 19
    return f"p50 {cuts[9]:.0f} ms, p95 {cuts[18]:.0f} ms"


def main() -> int:
    """Print the report; return 1 when something was found that must never be."""
    parser = argparse.ArgumentParser(prog="bench.crew", description=__doc__)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--handoffs", type=int, default=2_000)
    parser.add_argument("--kill", type=int, default=0, metavar="N", help="the server")
    parser.add_argument("--workspaces", type=int, default=1)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="at most")
    parser.add_argument("--folder", type=Path, help="an empty one, which is kept")
    options = parser.parse_args()
    crew = Crew(
        options.agents,
        options.handoffs,
        options.kill,
        options.seed,
        options.seconds,
        options.workspaces,
    )
    with tempfile.TemporaryDirectory(prefix="memoryhub-crew-") as folder:
        report = run(crew, options.folder or Path(folder))
    print("\n".join(report.lines()))
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
