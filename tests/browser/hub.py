"""A real hub with real files on a free port, for browser tests and pictures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Return where a browser is installed, or None."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


@contextmanager
def running_hub(folder: Path) -> Iterator[str]:
    """Give the address of a hub with copies of the samples: `acme` and `nasty`."""
    sample = folder / "acme"
    shutil.copytree(ROOT / "samples/acme-checkout", sample)
    environment = {**os.environ, "MEMORYHUB_DATA": str(folder / "data")}
    manage = [sys.executable, str(ROOT / "manage.py")]
    nasty = folder / "nasty"
    subprocess.run(
        [sys.executable, str(ROOT / "samples/make_nasty.py"), str(nasty)], check=True
    )
    for command in (["add", str(sample)], ["add", str(nasty)], ["sync"]):
        subprocess.run(
            [*manage, *command], env=environment, check=True, capture_output=True
        )
    server = subprocess.Popen(
        [*manage, "serve", "--port", "0", "--no-watch"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, "the hub did not say its address"
        yield found[0].rstrip("/")
    finally:
        server.terminate()
        server.communicate(timeout=10)
