"""Templates can be read: short lines, short files, and nothing of that is sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Engine

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MESSAGES = sorted((ROOT / "templates").rglob("*.txt"))
_ADDRESS = re.compile(r'[\w-]+="/|"/"|%\}/[^>]')
LINES, CHARACTERS = 400, 120


@pytest.mark.parametrize(
    "path", [*TEMPLATES, *MESSAGES], ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_template_is_short_and_so_are_its_lines(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()

    assert len(lines) <= LINES
    assert [line for line in lines if len(line) > CHARACTERS] == []
    # The line above a signature is told from others by its space.
    padded = [line for line in lines if line != line.rstrip() and line != "-- "]
    assert [*padded, *(line for line in lines if "\t" in line)] == []


@pytest.mark.parametrize(
    "path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_template_names_no_address_of_its_own(path: Path) -> None:
    # The hub may have a base path: addresses come from `url`, `static` and values.
    written = _ADDRESS.findall(path.read_text(encoding="utf-8"))

    assert written == []


def test_indentation_is_not_sent() -> None:
    source = (ROOT / "templates/404.html").read_text(encoding="utf-8")
    read = Engine.get_default().get_template("404.html").source

    assert read.splitlines() == [line.lstrip() for line in source.splitlines()]
