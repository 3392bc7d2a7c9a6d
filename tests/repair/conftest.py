"""A hub with a journal of some length, in real files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.browser.hub import copy_hub, manage, prepare_hub
from tests.migrated import made_once
from tests.running import ROOT, Done
from tests.warm import python

FILES, VERSIONS = 40, 3
#: The trial migrates a database of its own, which takes most of a run's time.
_WITHOUT_TRIAL = """
import sys
sys.argv[0] = "manage.py"
from manage import main
from memoryhub.management.commands import doctor
doctor._tried_apart = lambda: iter(())
sys.exit(main())
"""


@pytest.fixture(scope="session")
def long_hub() -> Path:
    """Return the folder of a hub with versions of files, which nobody changes."""
    return made_once("long", import_versions)


def import_versions(folder: Path) -> None:
    """Import files of some length, and each of their versions."""
    memory = folder / "notes/memory"
    memory.mkdir(parents=True)
    for version in range(VERSIONS):
        for number in range(FILES):
            lines = (f"- {number}.{version}.{n} says {n * number}" for n in range(60))
            (memory / f"note-{number}.md").write_text("\n".join(lines))
        if version:
            manage(folder, "sync")
        else:
            prepare_hub(folder, [folder / "notes"])


@pytest.fixture
def hub(long_hub: Path, tmp_path: Path) -> Path:
    """Return the data folder of a hub of the test's own."""
    return copy_hub(long_hub, tmp_path / "hub") / "data"


def doctor_command() -> list[str]:
    """Return the command of a repair without the trial, which tests/commands have."""
    return python("-c", _WITHOUT_TRIAL, "doctor", "--repair")


def doctored(data: Path) -> Done:
    """Run that command in a data folder."""
    return subprocess.run(
        doctor_command(),
        env={**os.environ, "MEMORYHUB_DATA": str(data)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
