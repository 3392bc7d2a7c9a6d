"""A real hub that a simulated crew works with: it is served, killed, served again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_CHECKOUT = Path(__file__).parents[1]
_MANAGE = (sys.executable, str(_CHECKOUT / "manage.py"))
_STAT = "/proc/{pid}/stat"


@dataclass(frozen=True, slots=True)
class Place:
    """Where workspaces and their hub's own files are."""

    folder: Path
    slugs: tuple[str, ...] = ("crew",)

    @property
    def roots(self) -> dict[str, Path]:
        """The folder of each workspace, by its slug."""
        return {slug: self.folder / slug for slug in self.slugs}

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def token(self) -> str:
        """The hub's token for programs of this computer."""
        return (self.data / "local.token").read_text().strip()

    @property
    def cookie(self) -> Path:
        """The cookie of the browser that the crew's person signed in."""
        return self.folder / "person.cookie"

    @property
    def ledgers(self) -> Path:
        return self.folder / "ledgers"


class Hub:
    """The server of workspaces, always at the same port."""

    def __init__(self, place: Place, **settings: str) -> None:
        self._place = place
        self._settings = settings
        self._server: subprocess.Popen[str] | None = None
        self._spent = 0.0
        self.port = 0
        self.kills = 0

    def start(self) -> None:
        """Serve, and come back when the port answers."""
        if not self.port:
            for slug, root in self._place.roots.items():
                (root / "memory").mkdir(parents=True, exist_ok=True)
                self._manage("add", str(root), "--slug", slug)
            self._manage("sync")
        with (self._place.folder / "server.log").open("a") as log:
            self._server = subprocess.Popen(
                [*_MANAGE, "serve", "--port", str(self.port)],
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._server.stdout is not None
        said = self._server.stdout.readline()
        found = re.search(r"http://[^:]+:(\d+)", said)
        if not found:
            raise RuntimeError(f"the hub did not start: {said}")
        self.port = int(found[1])

    def kill(self) -> None:
        """End the server in the middle of whatever it does."""
        self._end(signal.SIGKILL)
        self.kills += 1

    def stop(self) -> None:
        """End the server as a person would."""
        self._end(signal.SIGTERM)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds used so far by all its processes."""
        return self._spent + self._used()

    def _end(self, how: signal.Signals) -> None:
        if self._server is not None:
            self._spent += self._used()
            self._server.send_signal(how)
            self._server.communicate()
            self._server = None

    def _used(self) -> float:
        if self._server is None:
            return 0.0
        pid = self._server.pid
        return sum(map(_cpu_seconds, (pid, *_children(pid))))

    def prepare(self, function: str) -> None:
        """Call a function, such as ``bench.team:people``, with the hub's data."""
        subprocess.run(
            [sys.executable, "-m", "bench.prepared", function, str(self._place.folder)],
            env=self._environment,
            cwd=_CHECKOUT,
            check=True,
        )

    def link(self) -> str:
        """Return a link that signs a browser in."""
        return self._manage("open", "--print").strip()

    def _manage(self, *command: str) -> str:
        return subprocess.run(
            [*_MANAGE, *command],
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    @property
    def _environment(self) -> dict[str, str]:
        own = {"MEMORYHUB_DATA": str(self._place.data)}
        return {**os.environ, **own, **self._settings}


def _children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task").glob("*/children")
    try:
        return [int(child) for file in children for child in file.read_text().split()]
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    try:
        stat = Path(_STAT.format(pid=pid)).read_text()
    except OSError:
        return 0.0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
