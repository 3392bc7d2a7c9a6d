"""`memoryhub install` and `uninstall`, where the host's own program is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memoryhub.tools.registry import TOOLS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("host", ["claude-code", "openclaw"])
def test_nothing_is_done_before_somebody_wants_it(
    hub_data: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command("install", host)

    shown = capsys.readouterr().out
    assert f"To be written into {hub_data / 'integrations' / host}" in shown
    assert "Nothing was done." in shown
    assert not (hub_data / "integrations").exists()


def test_what_a_missing_host_has_to_be_told_can_be_done_by_hand(hub_data: Path) -> None:
    by_hand = r"run by hand: claude plugin marketplace add .*; claude plugin install "
    with pytest.raises(CommandError, match=by_hand):
        call_command("install", "claude-code", "--agent=builder", "--yes")

    (place,) = (hub_data / "integrations").rglob(".mcp.json")
    (server,) = json.loads(place.read_text())["mcpServers"].values()
    assert server["args"] == ["-m", "memoryhub", "mcp", "--agent", "builder"]


def test_the_skill_says_whose_duty_a_compaction_is() -> None:
    (skill,) = (settings.BASE_DIR / "integrations").rglob("SKILL.md")

    text = skill.read_text()
    assert "compaction is your own duty" in text
    assert TOOLS.keys() >= {"compact_transcript", "compaction_report"}
    assert all(f"`{n}`" in text for n in ("compact_transcript", "compaction_report"))


@pytest.mark.parametrize("host", ["claude-code", "openclaw"])
def test_the_plugin_stays_while_its_host_cannot_be_run(
    hub_data: Path, host: str
) -> None:
    for command in ("install", "uninstall"):
        with pytest.raises(CommandError, match="not on the PATH"):
            call_command(command, host, "--yes")

    assert list((hub_data / "integrations" / host).iterdir())


def test_uninstalling_again_says_that_nothing_is_there(
    hub_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = tmp_path / "claude"
    host.write_text("#!/bin/sh\n")
    host.chmod(0o755)
    for command in ("install", "uninstall", "uninstall"):
        call_command(command, "claude-code", "--yes")

    assert "The hub is not installed in claude-code." in capsys.readouterr().out
    assert not list((hub_data / "integrations").iterdir())
