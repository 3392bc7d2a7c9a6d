"""Mutants are made and traced as they should be; a sample of each area is noticed."""

from __future__ import annotations

import builtins
import subprocess
import sys
import tomllib

import pytest

from memoryhub.formats.text.line_edits import folded, one_line
from tests.mutation.__main__ import SURVIVORS
from tests.mutation.areas import AREAS, ROOT
from tests.mutation.mutants import REACHED, Mutant, mutants_of, traced

MODULE = ROOT / "memoryhub/formats/text/line_edits.py"
QUOTED = '"\\n" not in value'


def mutant(function: str, after: str) -> Mutant:
    found = [m for m in mutants_of(MODULE, 1) if m.function == function]
    return next(m for m in found if after in m.change[2])


def test_a_mutant_is_one_change_of_one_function() -> None:
    made = mutant("one_line", QUOTED)
    line, before, after = made.change

    assert before == 'if "\\n" in value or "\\r" in value:'
    assert after == 'if "\\n" not in value or "\\r" in value:'
    assert MODULE.read_text().splitlines()[line - 1].strip() == before
    assert made.code() is not None


@pytest.mark.parametrize("area", AREAS)
def test_what_an_area_names_is_there(area: str) -> None:
    named = [*AREAS[area].mutated, *AREAS[area].tests]

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_same_seed_draws_the_same_mutants() -> None:
    first, again, other = (
        [(m.function, m.draw) for m in mutants_of(MODULE, seed)] for seed in (1, 1, 2)
    )

    assert first == again != other


def test_running_a_mutant_changes_what_the_function_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = mutant("folded", '"XX XX".join')
    code = made.code()
    assert code is not None
    assert folded("a  b") == "a b"

    monkeypatch.setattr(made.live(), "__code__", code)

    assert folded("a  b") == "aXX XXb"


def test_a_traced_function_reports_the_statements_it_comes_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: set[int] = set()
    monkeypatch.setattr(builtins, REACHED, seen.add, raising=False)
    made = [mutant("one_line", x) for x in (QUOTED, "VALUE-IS-EMPTY")]
    for name, code in traced(list(enumerate(made))).items():
        assert name == "one_line"
        monkeypatch.setattr(one_line, "__code__", code)

    assert one_line(" a ") == "a"

    assert seen == {0}


def test_listed_survivors_have_a_reason() -> None:
    listed = tomllib.loads(SURVIVORS.read_text()).get("survivor", [])
    assert all(one["function"] and one["why"] for one in listed)


def test_listed_survivors_are_of_lines_that_are_still_there() -> None:
    for one in tomllib.loads(SURVIVORS.read_text())["survivor"]:
        lines = (ROOT / one["path"]).read_text().splitlines()
        source = " ".join(line.strip() for line in lines if line.strip())
        assert one["before"][:40] in source, one


@pytest.mark.soak
@pytest.mark.parametrize("area", AREAS)
def test_nine_of_ten_breaks_are_noticed_and_the_rest_is_listed(area: str) -> None:
    command = [sys.executable, "-m", "tests.mutation", area, "--sample", "100"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
