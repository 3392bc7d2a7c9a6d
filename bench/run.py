"""Measure the product as multiples of the floors: ``python -m bench.run --quick``.

Corpus, floor and product each run in processes of their own, in turn. The exit code
is 1 when a figure is over its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench import load
from bench.board import HANDOFFS
from bench.commands import COMMANDS
from bench.results import Result, over_limit, table

_CHECKOUT = Path(__file__).parents[1]
_SIZES = (1_000, 10_000, 30_000)
_QUICK_SIZES = (1_000, 10_000)
#: The size that limits are judged at; others only show how the cost grows.
_JUDGED = 10_000

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Bench:
    """A corpus of one size, with the databases of floor and product."""

    folder: Path
    files: int

    @property
    def root(self) -> str:
        """The workspace that is measured."""
        return str(self.folder / "workspace")

    @property
    def data(self) -> Path:
        """The product's own folder."""
        return self.folder / "data"

    def write_corpus(self) -> None:
        """Write the workspace."""
        self._python("bench.corpus", self.root, "--files", str(self.files))

    def write_handoffs(self) -> None:
        """Write a workspace of handoffs alone."""
        self._python("bench.board", self.root, "--handoffs", str(self.files))

    def floor(self, name: str) -> Figures:
        """Measure the floors in a new folder of this name."""
        return self._figures("bench.floor", self.root, str(self.folder / name))

    def probe(self, name: str, *arguments: str) -> Figures:
        """Run one probe of the product."""
        return self._figures("bench.probes", name, *arguments)

    def hooks(self) -> Figures:
        """Measure how long hooks take."""
        return self._figures("bench.hooks", self.root)

    def commands(self) -> Figures:
        """Measure the CPU of commands."""
        return self._figures("bench.commands")

    def writes(self) -> Figures:
        """Measure the cost of agents' writes."""
        return self._figures("bench.writes", str(self.folder))

    def appended(self) -> Figures:
        """Measure one appended line in logs of three sizes."""
        return self._figures("bench.appended", str(self.folder))

    def command(self, *arguments: str) -> float:
        """Return the seconds that a command of the product takes, start included."""
        start = perf_counter()
        self._run(["manage.py", *arguments])
        return perf_counter() - start

    def _figures(self, module: str, *arguments: str) -> Figures:
        lines = self._python(module, *arguments).splitlines()
        figures: Figures = json.loads(lines[-1])
        return figures

    def _python(self, module: str, *arguments: str) -> str:
        return self._run(["-m", module, *arguments])

    def _run(self, arguments: list[str]) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=_CHECKOUT,
            env=os.environ | {"MEMORYHUB_DATA": str(self.data)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout


def measure(folder: Path, sizes: tuple[int, ...]) -> Iterator[Result]:
    """Measure first imports of every size, and everything at the judged one."""
    judged = min(sizes, key=lambda size: abs(size - _JUDGED))
    first_cost = 0.0
    for size in sizes:
        bench = Bench(folder / str(size), size)
        bench.write_corpus()
        floor, imported = _first_imports(bench)
        seconds = imported["seconds"]
        yield Result(
            "first import", seconds, floor["first_import"], size, size == judged
        )
        recorded = imported["recorded"]
        floor_of_all = floor["first_import"]
        yield Result("record of a first import", recorded, floor_of_all, size)
        cost = seconds / size * 1_000
        first_cost = first_cost or cost
        yield Result("cost of a file", cost, first_cost, size)
        if size == judged:
            yield Result("peak memory", imported["peak"])
            yield Result("database", imported["database"], floor["text"])
            yield Result("search index", imported["index"], floor["text"])
            made = imported["indexing"]
            yield Result("search index, made", made, floor["first_import"])
            for probe in ("searches", "questions"):
                for name, milliseconds in bench.probe(probe).items():
                    yield Result(name, milliseconds)
            yield from _later_syncs(bench, floor)
            yield from _hooks(bench)
            yield from _commands(bench)
        shutil.rmtree(bench.folder)
    yield from _full_board(Bench(folder / "board", HANDOFFS))
    yield from _writes(Bench(folder / "writes", HANDOFFS))
    yield from _appended(Bench(folder / "appended", 0))
    large = Bench(folder / "large", 0)
    peak = large.probe("large_file", large.root)["peak"]
    yield Result("peak memory, a file of 30 MB", peak)
    (folder / "agents").mkdir()
    for name, milliseconds in load.ten_agents(folder / "agents").items():
        yield Result(f"ten agents, {name}", milliseconds)
    yield from _home(Bench(folder / "home", 0))


def _full_board(bench: Bench) -> Iterator[Result]:
    bench.write_handoffs()
    bench.probe("first_import", bench.root)
    for name, measured in bench.probe("boards").items():
        yield Result(name, measured)


def _home(bench: Bench) -> Iterator[Result]:
    bench.probe("many_workspaces", bench.root)
    for name, measured in bench.probe("home").items():
        yield Result(name, measured)


def _writes(bench: Bench) -> Iterator[Result]:
    bench.folder.mkdir()
    measured = bench.writes()
    for name, milliseconds in measured.items():
        if floor := measured.get(f"{name}, floor"):
            yield Result(f"write, {name}", milliseconds, floor)
            count = measured[f"{name}, statements"]
            yield Result(f"write, {name}: statements", count)


def _appended(bench: Bench) -> Iterator[Result]:
    bench.folder.mkdir()
    measured = bench.appended()
    for name, milliseconds in measured.items():
        if floor := measured.get(f"{name}, floor"):
            yield Result(f"appended line, {name}", milliseconds, floor)


def _first_imports(bench: Bench) -> tuple[Figures, Figures]:
    """Return the best of two floors and of two imports, taken in turn."""
    floors, imports = [], []
    for turn in ("one", "two"):
        shutil.rmtree(bench.data, ignore_errors=True)
        floors.append(bench.floor(turn))
        imports.append(bench.probe("first_import", bench.root))
    return _lowest(floors), _lowest(imports)


def _lowest(measured: list[Figures]) -> Figures:
    return {name: min(each[name] for each in measured) for name in measured[0]}


def _later_syncs(bench: Bench, floor: Figures) -> Iterator[Result]:
    quiet = bench.probe("no_change")["seconds"]
    yield Result("no-change sync", quiet, floor["no_change"])
    seconds = min(bench.command("sync") for _ in range(3))
    yield Result("no-change command", seconds)
    changed = bench.probe("changed_file", bench.root)["seconds"]
    yield Result("one changed file, more", changed)
    target = str(bench.folder / "export")
    yield Result("export", bench.probe("export", target)["seconds"], floor["export"])
    replayed = bench.probe("rebuild")["seconds"]
    yield Result("rebuild", replayed, floor["first_import"])
    for probe in ("pages", "every_page"):
        for name, measured in bench.probe(probe).items():
            yield Result(name, measured)


def _hooks(bench: Bench) -> Iterator[Result]:
    measured = bench.hooks()
    for name in ("told", "asked"):
        yield Result(f"hook, {name}", measured[name], measured[f"{name}, floor"])
        yield Result(f"hook, {name} without a server", measured[f"{name}, alone"])


def _commands(bench: Bench) -> Iterator[Result]:
    measured = bench.commands()
    for name in COMMANDS:
        yield Result(f"command, {name}", measured[name], measured["floor"])
        alone = measured[f"{name}, alone"]
        yield Result(f"command, {name} without a server", alone, measured["floor"])


def main() -> int:
    """Print the table; return 1 when a limit is broken."""
    options = _options()
    sizes = tuple(options.files or (_QUICK_SIZES if options.quick else _SIZES))
    results = []
    with tempfile.TemporaryDirectory(prefix="memoryhub-bench-") as folder:
        for result in measure(Path(folder), sizes):
            print(f"measured: {result.name}", file=sys.stderr, flush=True)
            results.append(result)
    print(table(results))
    if options.json:
        rows = [result.as_json() for result in results]
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 1 if over_limit(results) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 30,000 files")
    parser.add_argument("--files", type=int, nargs="+", help="sizes of corpus")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
