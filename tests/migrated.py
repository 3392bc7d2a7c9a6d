"""What is made once for all workers of a run, and copied: a migrated database, hubs."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from memoryhub.disk.files import locked
from tests.warm import python

DATABASE = "memoryhub.sqlite3"
_ROOT = Path(__file__).parents[1]
_VARIABLE = "MEMORYHUB_TESTS_MIGRATED"
_MIGRATE = "from memoryhub.database.schema import ensure_schema; ensure_schema()"


def share() -> Path:
    """Return the folder for it of this process and of all that it starts."""
    if _VARIABLE not in os.environ:
        os.environ[_VARIABLE] = tempfile.mkdtemp(prefix="migrated-")
        atexit.register(shutil.rmtree, os.environ[_VARIABLE])
    return Path(os.environ[_VARIABLE])


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first worker fills and the others wait for.

    `make` gets the empty folder; if it raises, the next one who asks begins anew.
    """
    folder, done = share() / name, share() / f"{name}.done"
    with locked(share() / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


@cache
def migrated() -> bytes:
    """Return the bytes of a database without a row of its own."""
    return (made_once("migrated", _migrate) / DATABASE).read_bytes()


def _migrate(data: Path) -> None:
    data.chmod(0o700)
    subprocess.run(
        python(_ROOT / "manage.py", "shell", "-c", _MIGRATE),
        env={**os.environ, "MEMORYHUB_DATA": str(data)},
        check=True,
        capture_output=True,
    )
