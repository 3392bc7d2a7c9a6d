"""The console script itself: the overview, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryhub import cli
from tests.browser.hub import ROOT, empty_hub
from tests.warm import python


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_it_lists_its_commands(
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["memoryhub", *arguments])

    assert cli.main() == 0
    assert capsys.readouterr().out == cli.overview()


def test_the_overview_does_not_load_django() -> None:
    code = (
        "import sys; from memoryhub import cli; sys.argv = ['memoryhub'];"
        " cli.main(); sys.exit('django' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False
    )

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("loaded", "missing"),
    [
        (
            "memoryhub.database.schema",
            ["cryptography", "memoryhub.formats.secrets.detection", "ninja"],
        ),
        ("memoryhub.urls", ["memoryhub.api.application"]),
    ],
)
def test_what_few_need_is_loaded_when_it_is_needed(
    loaded: str, missing: list[str]
) -> None:
    code = f"import sys, django; django.setup(); import {loaded}"
    code += f"; print(*(m for m in {missing} if m in sys.modules))"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "memoryhub.settings"}

    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    )

    assert done.stdout == b"\n"


def test_help_of_a_command_is_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["memoryhub", "help", "sync"])

    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert ended.value.code == 0
    assert "example: memoryhub sync" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0)]
)
def test_it_ends_quietly(
    error: type[BaseException], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", interrupted)
    monkeypatch.setattr(cli, "_drop_output", lambda: None)
    monkeypatch.setattr(sys, "argv", ["memoryhub", "sync"])

    assert cli.main() == code


def test_a_reader_that_closes_the_pipe_is_no_failure(tmp_path: Path) -> None:
    empty_hub(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        python("-m", "memoryhub", "status"),
        env={**os.environ, "MEMORYHUB_DATA": str(tmp_path / "data")},
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


def test_its_version_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["memoryhub", "--version"])

    assert cli.main() == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("serch", "no command serch. Did you mean search?"),
        ("open_item", "no command open_item. Did you mean open-items?"),
        ("core-memory", "no command core-memory. Did you mean tool core_memory?"),
        ("snapshot", "no command snapshot. Did you mean tool snapshot_save?"),
        ("tool core-memroy", "tool: no core-memroy. Did you mean core_memory?"),
        ("handoff tkae", "handoff: no tkae. Did you mean take?"),
        ("tool zzz", "tool: no zzz."),
        ("zzz", "no command zzz. memoryhub --help"),
        ("se\x1brch", "no command se\\x1brch. Did you mean search?"),
    ],
)
def test_an_unknown_command_names_the_nearest_of_ours(
    typed: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["memoryhub", *typed.split(" ")])

    with pytest.raises(SystemExit, match="2"):
        sys.exit(cli.main())

    said = capsys.readouterr().err
    assert told in said
    assert "manage.py" not in said
