"""A migrated database to copy, made once for all workers: migrating takes seconds."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
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


@cache
def migrated() -> bytes:
    """Return the bytes of a database without a row of its own; the first one waits."""
    folder = share()
    data = folder / "data"
    with locked(folder / "lock"):
        if not (data / DATABASE).exists():
            data.mkdir(mode=0o700)
            subprocess.run(
                python(_ROOT / "manage.py", "shell", "-c", _MIGRATE),
                env={**os.environ, "MEMORYHUB_DATA": str(data)},
                check=True,
                capture_output=True,
            )
    return (data / DATABASE).read_bytes()
