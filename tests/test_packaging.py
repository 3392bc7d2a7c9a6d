from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from django.conf import settings
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from memoryhub import __version__
from memoryhub.dialects.registry import BY_NAME
from memoryhub.web.help import INDEX, page_names

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "templates",
    "static",
    "samples/acme-checkout",
    "integrations/claude-code",
    "integrations/openclaw",
    "docs",
)
#: Of the manual, the pages of dialects lie in their folders.
MANUAL = {f"{name}.md" for name in (INDEX, *page_names())} - {
    f"formats/{name}.md" for name in BY_NAME
}
#: Runs in the installed environment: where it looks for what it ships.
_WHERE = """
import json, django, memoryhub
from django.conf import settings
django.setup()
print(json.dumps([memoryhub.__file__, str(settings.BASE_DIR)]))
"""
#: What a host of the Model Context Protocol says first.
_INITIALIZE = """{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": \
{"protocolVersion": "2025-06-18", "capabilities": {}, \
"clientInfo": {"name": "host", "version": "1"}}}
"""


def requirements(name: str) -> list[Requirement]:
    lines = (ROOT / name).read_text().splitlines()
    return [Requirement(line) for line in lines if line and line[0] not in "#-"]


def test_every_dependency_is_pinned_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = {
        r.name.lower(): str(r.specifier)[2:] for r in requirements("requirements.txt")
    }

    for wanted in map(Requirement, project["dependencies"]):
        assert pins[wanted.name.lower()] in wanted.specifier


def test_what_is_pinned_is_what_the_package_needs_and_no_more() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed: dict[str, None] = {}
    wanted = [*map(Requirement, project["dependencies"])]
    while wanted:
        one = wanted.pop()
        marks = [{"extra": extra} for extra in ("", *one.extras)]
        if one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        key = str(canonicalize_name(one.name))
        if f"{key}{sorted(one.extras)}" in needed:
            continue
        needed |= {key: None, f"{key}{sorted(one.extras)}": None}
        for line in requires(one.name) or ():
            found = Requirement(line)
            if found.marker and any(map(found.marker.evaluate, marks)):
                found.marker = None
            wanted.append(found)
    pinned = {str(canonicalize_name(r.name)) for r in requirements("requirements.txt")}

    assert {name for name in needed if "[" not in name} == pinned


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_the_tests_run_with_the_pinned_versions(name: str) -> None:
    for pin in requirements(name):
        if pin.marker is None or pin.marker.evaluate():
            assert str(pin.specifier) == f"=={version(pin.name)}", pin.name


def test_the_checkout_holds_what_is_shipped() -> None:
    assert settings.BASE_DIR == ROOT
    for folder in SHIPPED:
        assert (ROOT / folder).is_dir()


def test_every_make_target_is_explained() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    phony = next(line for line in lines if line.startswith(".PHONY:"))

    for target in phony.split()[1:]:
        rule = next(n for n, line in enumerate(lines) if line.startswith(f"{target}:"))
        assert lines[rule - 1].startswith("# "), target


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the project installed, away from the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    checkout = folder / "checkout"
    _copy_checkout(checkout)
    python = folder / "venv/bin/python"
    subprocess.run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "-c",
            ROOT / "requirements.txt",
            ".",
        ],
        cwd=checkout,
        check=True,
    )
    return folder


def _copy_checkout(target: Path) -> None:
    """Copy the files git knows or would add, so that no earlier build gets in."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in map(os.fsdecode, filter(None, listed)):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())


def run(installed: Path, program: str, *arguments: str, given: str = "") -> str:
    """Run a program of the environment outside the checkout and return its output."""
    result = subprocess.run(
        [installed / "venv/bin" / program, *arguments],
        cwd=installed,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(installed),
            "MEMORYHUB_DATA": str(installed / "data"),
            "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        },
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.packaging
def test_an_installed_program_ships_templates_and_static_files(installed: Path) -> None:
    module, base = map(Path, json.loads(run(installed, "python", "-c", _WHERE)))

    assert installed in module.parents
    for folder in SHIPPED:
        here, there = ROOT / folder, base / folder
        assert _names(there) == (_names(here) if folder != "docs" else MANUAL)
    for name in BY_NAME:
        assert (module.parent / "dialects" / name / "manual.md").exists()


def _names(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files}


def _top(folder: str) -> str:
    return folder.partition("/")[0]


@pytest.mark.packaging
def test_an_installed_program_leaves_no_folder_beside_itself(installed: Path) -> None:
    packages = next((installed / "venv/lib").glob("python*/site-packages"))

    names = {path.name for path in packages.iterdir()}
    assert names.isdisjoint({*map(_top, SHIPPED), "tests", "bench"})


@pytest.mark.packaging
def test_an_installed_program_imports_and_checks_itself(installed: Path) -> None:
    commands = run(installed, "memoryhub", "--help")
    run(installed, "memoryhub", "check", "--fail-level", "WARNING")
    if "doctor" in commands:
        run(installed, "memoryhub", "doctor")


@pytest.mark.packaging
def test_an_installed_program_imports_the_sample(installed: Path) -> None:
    _, base = json.loads(run(installed, "python", "-c", _WHERE))

    run(installed, "memoryhub", "add", f"{base}/samples/acme-checkout")
    (report,) = run(installed, "memoryhub", "sync", "--json").splitlines()

    assert json.loads(report)["files"] == json.loads(report)["added"] > 30


@pytest.mark.packaging
def test_an_installed_program_serves_agents(installed: Path) -> None:
    root = installed / "shop"
    (root / "memory").mkdir(parents=True)
    (root / "memory/context-shop.md").write_text("# shop\n\n## Current Status\nUp.\n")
    run(installed, "memoryhub", "add", str(root), "--slug", "shop")
    run(installed, "memoryhub", "sync", "shop")

    started = json.dumps({"cwd": str(root), "session_id": "1", "source": "startup"})
    assert "> Up." in run(installed, "memoryhub", "recall", "--workspace=shop")
    assert "Up." in run(installed, "memoryhub", "hook", "SessionStart", given=started)
    server = run(installed, "memoryhub", "mcp", "--workspace=shop", given=_INITIALIZE)
    assert json.loads(server)["result"]["serverInfo"]["name"] == "memoryhub"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel, and in `tools` an environment with pipx and uv."""
    folder = tmp_path_factory.mktemp("wheel")
    _copy_checkout(folder / "checkout")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", "."]
    subprocess.run([*build, "./checkout"], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "tools"], check=True)
    pip = [str(folder / "tools/bin/python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "pipx", "uv"], check=True)
    return next(folder.glob("*.whl"))


@pytest.mark.packaging
@pytest.mark.parametrize(
    "install",
    [
        ["pipx", "install", "--pip-args=-c {pins}", "{wheel}"],
        ["uv", "tool", "install", "-c", "{pins}", "{wheel}"],
    ],
    ids=lambda install: install[0],
)
def test_the_wheel_is_installed_as_a_tool(
    wheel: Path, tmp_path: Path, install: list[str]
) -> None:
    names = {"pins": ROOT / "requirements.txt", "wheel": wheel}
    own = {
        "PIPX_HOME": tmp_path / "pipx",
        "PIPX_BIN_DIR": tmp_path / "bin",
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_TOOL_DIR": tmp_path / "uv",
        "UV_TOOL_BIN_DIR": tmp_path / "bin",
        "UV_PYTHON": sys.executable,
        "MEMORYHUB_DATA": tmp_path / "data",
    }
    environment = {**os.environ, **{name: str(value) for name, value in own.items()}}
    program, *arguments = (part.format(**names) for part in install)
    command = [str(wheel.parent / "tools/bin" / program), *arguments]
    subprocess.run(command, env=environment, check=True, capture_output=True)

    for line in (["--version"], ["check", "--fail-level", "WARNING"]):
        done = subprocess.run(
            [str(tmp_path / "bin/memoryhub"), *line],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert line[0] != "--version" or done.stdout.strip() == __version__


@pytest.mark.packaging
def test_the_bill_of_materials_lists_every_pinned_package() -> None:
    subprocess.run(["make", "sbom"], cwd=ROOT, check=True, capture_output=True)

    told = json.loads((ROOT / "build/sbom.json").read_text())

    assert told["bomFormat"] == "CycloneDX"
    assert told["metadata"]["component"]["name"] == "memoryhub"
    listed = {
        (str(canonicalize_name(c["name"])), c["version"]) for c in told["components"]
    }
    assert listed == {
        (str(canonicalize_name(r.name)), str(r.specifier)[2:])
        for r in requirements("requirements.txt")
    }
