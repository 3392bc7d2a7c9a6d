"""Run mutants: `python -m tests.mutation [AREA ...] [--sample N] [--seed N] [--again]`.

Ends with 1 where less than nine in ten are noticed, or where one survives that
`survivors.toml` does not list.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

from tests.mutation.areas import AREAS, ROOT
from tests.mutation.forking import Forking
from tests.mutation.mutants import Mutant, mutants_of

SURVIVORS = Path(__file__).with_name("survivors.toml")
#: For each area, whether each mutant of the last sample was noticed.
FATES = ROOT / "build/mutants"
#: Smallest share of mutants that tests notice.
LEAST = 0.9
_NOTICED = ("killed", "slow")


def main() -> int:
    """Run the mutants of one area here, those of several in a process each."""
    asked = _asked()
    if len(asked.areas) == 1:
        return _run(asked.areas[0], asked)
    command = [sys.executable, "-m", "tests.mutation"]
    options = ["--sample", str(asked.sample), "--seed", str(asked.seed)]
    options += ["--again"] * asked.again + ["-k", asked.k]
    codes = [subprocess.call([*command, one, *options]) for one in asked.areas]
    return max(codes)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("areas", nargs="*", choices=[*AREAS, []], metavar="AREA")
    parser.add_argument("--sample", type=int, default=100, help="0 for all mutants")
    parser.add_argument("--seed", type=int, default=1)
    again = "only those of the last sample that were not noticed"
    parser.add_argument("--again", action="store_true", help=again)
    parser.add_argument("-k", default="", metavar="EXPRESSION", help="as of pytest")
    asked = parser.parse_args()
    asked.areas = asked.areas or list(AREAS)
    return asked


def _run(name: str, asked: argparse.Namespace) -> int:
    area = AREAS[name]
    for path in (*area.mutated, *area.tests):
        assert (ROOT / path).exists(), f"{path} is named in areas.py"
    known = [m for path in area.files() for m in mutants_of(path, asked.seed)]
    drawn = sorted(known, key=lambda mutant: mutant.draw)
    sample, earlier = asked.sample, dict[str, bool]()
    if asked.again:
        found = json.loads((FATES / f"{name}.json").read_text())
        sample, earlier = 0, {m.key: found[m.key] for m in known if m.key in found}
        drawn = [mutant for mutant in drawn if earlier.get(mutant.key) is False]
    with tempfile.TemporaryDirectory() as place:
        forking = Forking(drawn, sample, Path(place), _tell)
        # A folder of its own: pytest takes away what other sessions have, and is told
        # here to take away what passing tests leave.
        folder = f"--basetemp={place}/tests"
        options = ["-n", "0", "-o", "tmp_path_retention_policy=failed", folder]
        options += ["-k", asked.k]
        pytest.main([*options, *area.tests], plugins=[forking])
    noticed = earlier | {m.key: f in _NOTICED for m, f in forking.fates.items()}
    FATES.mkdir(parents=True, exist_ok=True)
    (FATES / f"{name}.json").write_text(json.dumps(noticed, indent=1))
    return _report(name, forking, list(noticed.values()), len(known))


def _report(name: str, forking: Forking, noticed: list[bool], known: int) -> int:
    listed: list[Mutant] = []
    new: list[Mutant] = []
    for mutant, fate in forking.fates.items():
        if fate not in _NOTICED:
            (listed if _is_listed(mutant) else new).append(mutant)
    for test in forking.failing:
        _say(f"fails without a mutant: {test}")
    share = sum(noticed) / max(1, len(noticed))
    slow = list(forking.fates.values()).count("slow")
    _say(
        f"{name}: {sum(noticed)} of {len(noticed)} mutants noticed ({share:.1%}),"
        f" {slow} of them by their time; {len(listed)} listed, {len(new)} new;"
        f" {known} in all"
    )
    return int(share < LEAST or bool(new) or bool(forking.failing))


def _tell(mutant: Mutant, fate: str) -> None:
    """Print a mutant that no test noticed and that is not listed."""
    if fate not in _NOTICED and not _is_listed(mutant):
        line, before, after = mutant.change
        place = f"{mutant.path}:{line} {mutant.function} ({fate})"
        _say(f"\n{place}\n  - {before}\n  + {after}")


def _is_listed(mutant: Mutant) -> bool:
    _, before, after = mutant.change
    return any(
        (one["function"], one["before"], one["after"])
        == (mutant.function, before, after)
        for one in tomllib.loads(SURVIVORS.read_text()).get("survivor", [])
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
