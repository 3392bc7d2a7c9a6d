"""One version, stated everywhere; what was released stays."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from django.test import Client

from memoryhub import __version__
from tests.conftest import MakeWorkspace
from tests.released import migrations, released
from tests.running import done
from tests.signing import own_program

ROOT = Path(__file__).parents[1]


def test_released_migrations_are_never_changed() -> None:
    now = migrations()

    assert len(released()) > 15
    for path, digest in released().items():
        assert now.get(path) == digest, f"{path} was released: add another migration"


def test_the_newest_part_of_the_changelog_is_this_version() -> None:
    text = (ROOT / "docs/changelog.md").read_text()
    titles = re.findall(r"^## (\S+)", text, re.MULTILINE)
    spelled = re.sub(r"b(\d+)$", r"-beta.\1", __version__)

    assert next(title for title in titles if title != "Unreleased") == spelled


def test_the_package_takes_its_version_from_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert project["project"]["dynamic"] == ["version"]
    attribute = project["tool"]["setuptools"]["dynamic"]["version"]["attr"]
    assert attribute == "memoryhub.__version__"


def test_command_page_and_api_say_the_version(
    client: Client, make_workspace: MakeWorkspace, workspace_root: Path, tmp_path: Path
) -> None:
    make_workspace(workspace_root)
    program = own_program()

    assert done(tmp_path, "--version").strip() == __version__
    described = program.get("/api/v1/openapi.json").json()
    assert described["info"]["version"] == __version__
    (slug,) = [one["slug"] for one in program.get("/api/v1/workspaces").json()["data"]]
    answer = program.get(f"/api/v1/workspaces/{slug}/snapshots")
    assert answer["MemoryHub-Version"] == __version__
    assert f"MemoryHub {__version__}</footer>" in client.get("/?all").content.decode()
