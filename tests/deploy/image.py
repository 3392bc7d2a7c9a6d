"""The steps of our Dockerfile, run in empty Debian roots instead of by an engine.

It needs root, `debootstrap` and a network. Python packages are fetched outside and lie
in a folder of the root, because only Debian's own sources are known inside.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.browser.hub import ROOT

_SUITE = "bookworm"
_WHEELS = "/wheels"
_OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": _WHEELS}
_BASIC = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


class Step(NamedTuple):
    """An instruction of a Dockerfile: ``RUN`` and what follows it."""

    name: str
    rest: str


@dataclass(slots=True)
class Image:
    """A root that was built, and how its program is run."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(_BASIC))
    folder: str = "/"
    user: str = "root"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def inside(self, line: list[str], **variables: str) -> list[str]:
        """Return the command that runs a line as the image's user, in its folder."""
        own = {**self.environment, **variables}
        return [
            "chroot",
            f"--userspec={self.user}",
            str(self.root),
            "/usr/bin/env",
            "-i",
            *(f"{name}={value}" for name, value in own.items()),
            "/bin/sh",
            "-c",
            f"cd {shlex.quote(self.folder)} && exec {shlex.join(line)}",
        ]


def missing_tools() -> list[str]:
    """Return what is missing to run the steps."""
    tools = [tool for tool in ("debootstrap", "unshare") if not shutil.which(tool)]
    return tools if os.geteuid() == 0 else [*tools, "root"]


def steps(text: str) -> list[Step]:
    """Return the instructions of a Dockerfile, each on one line."""
    joined = re.sub(r"\\\n\s*", "", text)
    lines = (line for line in joined.splitlines() if line and line[0] != "#")
    return [Step(*line.split(" ", 1)) for line in lines]


def built(folder: Path) -> Image:
    """Run all steps of our Dockerfile; return the last stage's image."""
    base = folder / "debian"
    _run(["debootstrap", "--variant=minbase", _SUITE, str(base)])
    wheels = folder / "wheels"
    _fetch(wheels)
    stages: dict[str, Image] = {}
    image = Image(base)
    for step in steps((ROOT / "Dockerfile").read_text()):
        if step.name == "FROM":
            assert step.rest.startswith(f"debian:{_SUITE}-slim"), step
            name = step.rest.partition(" AS ")[2] or "last"
            image = stages[name] = Image(folder / name)
            _run(["cp", "-a", str(base), str(image.root)])
            shutil.copytree(wheels, image.root / _WHEELS[1:])
        else:
            _take(step, image, stages)
    shutil.rmtree(image.root / _WHEELS[1:])
    return image


def _take(step: Step, image: Image, stages: dict[str, Image]) -> None:
    match step:
        case ("RUN", line):
            _run(image.inside(["/bin/sh", "-ec", line], **_OFFLINE))
        case ("COPY", line):
            _copy(line.split(), image, stages)
        case ("ENV", line):
            image.environment |= dict(part.split("=", 1) for part in line.split())
        case ("WORKDIR", line):
            image.folder = line
            (image.root / line[1:]).mkdir(exist_ok=True)
        case ("USER", line):
            image.user = line
        case ("ENTRYPOINT", line):
            image.entrypoint = json.loads(line)
        case ("CMD", line):
            image.command = json.loads(line)
        case ("HEALTHCHECK", line):
            image.health = json.loads(line.partition(" CMD ")[2])
        case ("VOLUME" | "EXPOSE" | "STOPSIGNAL", _):
            pass
        case _:
            raise AssertionError(f"a step that nobody runs here: {step}")


def _copy(words: list[str], image: Image, stages: dict[str, Image]) -> None:
    if words[0].startswith("--from="):
        stage, place, goal = words
        source = stages[stage.removeprefix("--from=")].root / place[1:]
        shutil.copytree(source, image.root / goal[1:], symlinks=True)
        return
    target = image.root / image.folder[1:] / words[-1]
    for name in words[:-1] if words[:-1] != ["."] else context():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy)


def context() -> list[str]:
    """Return the files of the checkout that an engine would be given."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[0] == "*"
    kept = {line[1:] for line in lines if line.startswith("!")}
    return [
        name
        for name in listed
        if name.split("/")[0] in kept and (ROOT / name).is_file()
    ]


def _fetch(wheels: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(wheels)]
    kind = ["--only-binary", ":all:", "--python-version", "3.11"]
    _run([*pip, *kind, "-r", str(ROOT / "requirements.txt"), "setuptools>=77"])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (
        f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    )
