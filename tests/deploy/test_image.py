"""Image, compose file, samples and service: what they promise, checked by running."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from django.conf import settings

from memoryhub import __version__
from tests.browser.hub import IN_CI, ROOT, signed_in_by
from tests.deploy.image import Image, built, context, missing_tools
from tests.deploy.proxies import free_port
from tests.running import run

SAMPLE = ROOT / "deploy/env.sample"
#: Mounts of `read_only`, `tmpfs` and the volume, then the program.
_READ_ONLY = """
mount --bind {root} {root} && mount -o remount,bind,ro {root}
mount -t tmpfs tmpfs {root}/tmp && mount -t proc proc {root}/proc
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs {root}/data
exec {line}
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    if (missing := missing_tools()) and not IN_CI:
        pytest.skip(f"missing: {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("image")
    yield built(folder)
    shutil.rmtree(folder)


def started(image: Image, port: int) -> subprocess.Popen[str]:
    """Run the image's program on a read-only root, in mounts of its own."""
    own = {"MEMORYHUB_PORT": str(port), "MEMORYHUB_URL": f"http://localhost:{port}/"}
    line = shlex.join(image.inside([*image.entrypoint, *image.command], **own))
    script = _READ_ONLY.format(root=image.root, line=line)
    return subprocess.Popen(
        ["unshare", "--mount", "/bin/sh", "-ec", script],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.packaging
def test_the_image_serves_as_nobody_on_a_read_only_root(image: Image) -> None:
    port = free_port()
    program = started(image, port)
    try:
        assert program.stdout is not None
        link = program.stdout.readline().split(" at ")[1].strip()
        assert signed_in_by(link)
        with urlopen(f"http://localhost:{port}/static/css/tokens.css") as answer:
            assert answer.status == 200
        status = Path(f"/proc/{program.pid}/status").read_text()
        assert re.search(r"^Uid:\s+10001\s+10001", status, re.MULTILINE)
        health = [part.replace("8765", str(port)) for part in image.health]
        subprocess.run(image.inside(health), check=True)
    finally:
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
    assert program.returncode == 0


@pytest.mark.packaging
def test_a_hub_that_does_not_answer_is_not_healthy(image: Image) -> None:
    health = [part.replace("8765", str(free_port())) for part in image.health]

    assert subprocess.run(image.inside(health), capture_output=True).returncode == 1


def test_nothing_but_the_program_gets_into_the_image() -> None:
    names = context()

    assert {"memoryhub/cli.py", "static/js/app.js", "requirements.txt"} <= {*names}
    assert not [name for name in names if re.match(r"\.|tests/|data/|build/", name)]


def test_the_compose_file_gives_the_hub_no_more_than_it_needs() -> None:
    told = yaml.safe_load((ROOT / "compose.yaml").read_text())
    hub = told["services"]["hub"]

    assert hub["read_only"] is True
    assert hub["cap_drop"] == ["ALL"]
    assert hub["security_opt"] == ["no-new-privileges:true"]
    assert hub["tmpfs"] == ["/tmp"]
    assert all(port.startswith("127.0.0.1:") for port in hub["ports"])
    assert "data:/data" in hub["volumes"] and "data" in told["volumes"]
    assert hub["image"] == "memoryhub:" + re.sub(r"b(\d+)$", r"-beta.\1", __version__)


def variables(text: str) -> dict[str, str]:
    lines = (line.removeprefix("#") for line in text.splitlines())
    return dict(line.split("=", 1) for line in lines if re.match("MEMORYHUB_", line))


def test_the_sample_of_settings_is_accepted_and_explained(tmp_path: Path) -> None:
    sample = variables(SAMPLE.read_text())
    manual = (ROOT / "docs/settings.md").read_text()

    assert len(sample) > 5
    for name in sample:
        assert f"## {name}\n" in manual or not hasattr(settings, name), name
    given = {name: value for name, value in sample.items() if value}
    checked = run(tmp_path, "check", "--deploy", "--fail-level", "WARNING", env=given)
    assert checked.returncode == 0, checked.stderr


def test_the_service_is_understood_and_confined(tmp_path: Path) -> None:
    text = (ROOT / "deploy/memoryhub.service").read_text()
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    assert unit["Service"]["ExecStart"].endswith("/memoryhub serve --no-open")
    assert unit["Service"]["ProtectSystem"] == "strict"
    assert "@resources" not in text, "the courier limits its own memory"
    if (analyze := shutil.which("systemd-analyze")) is None:
        return
    here = tmp_path / "memoryhub.service"
    here.write_text(text.replace("/opt/memoryhub/bin/memoryhub", "/bin/true"))
    for action in (["verify"], ["security", "--offline=true", "--threshold=20"]):
        done = subprocess.run(
            [analyze, *action, str(here)],
            capture_output=True,
            text=True,
            env={**os.environ, "SYSTEMD_COLORS": "0"},
        )
        assert done.returncode == 0, done.stdout[-300:] + done.stderr
