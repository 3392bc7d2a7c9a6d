"""What commands print of files: safe on a terminal, exact for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from memoryhub.audit.recording import record
from memoryhub.errors.terminal import lines, one_line
from memoryhub.management.command import HubCommand
from tests.factories import imported

HOSTILE = "# api\n\n\x1b]0;PWNED\x07 needle \x1b[1A\x1b[2K \x9b2J \u202e rtl\n"
FORGED = "a\nnotes: Import #99, 3 files: FORGED.md"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def hostile(hub_data: Path, db: None, workspace_root: Path) -> Path:
    imported(workspace_root, {"memory/note.md": HOSTILE})
    return workspace_root


def printed(out: io.StringIO, *command: str) -> str:
    call_command(*command, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ("get", "memory/note.md"),
        ("search", "needle"),
        ("tool", "memory_get", "--path", "memory/note.md"),
        ("get", "memory/note.md", "--json"),
    ],
)
def test_nothing_of_a_file_acts_on_a_terminal(
    hostile: Path, command: tuple[str, ...]
) -> None:
    shown = printed(Terminal(), *command)

    assert shown == lines(shown)


@pytest.mark.parametrize("action", ["list", "csv"])
def test_no_subject_of_the_audit_log_acts_on_a_terminal(
    hub_data: Path, db: None, action: str
) -> None:
    record("page.a", subject=f"{HOSTILE}{FORGED}", workspace="\x1b[2K", actor="\u202e")

    shown = printed(Terminal(), "audit", action)

    assert "needle" in shown and shown == lines(shown)


@pytest.mark.parametrize("name", ["get", "search"])
def test_agents_are_given_the_text_with_what_hides_as_escapes(
    hostile: Path, name: str
) -> None:
    asked = {"get": "memory/note.md", "search": "needle"}[name]

    line = HOSTILE.splitlines()[2].replace("\u202e", r"\u{202e}")
    assert line in printed(io.StringIO(), name, asked)


def test_programs_are_given_the_text_in_json(hostile: Path) -> None:
    told = json.loads(printed(io.StringIO(), "get", "memory/note.md", "--json"))

    assert told["text"] == HOSTILE.rstrip("\n").replace("\u202e", r"\u{202e}")


@pytest.mark.parametrize("command", [("sync",), ("status", "--problems")])
def test_a_name_forges_no_line_of_a_report(
    hostile: Path, command: tuple[str, ...]
) -> None:
    (hostile / FORGED).symlink_to("/etc/hostname")
    call_command("sync", stdout=io.StringIO())
    shown = printed(io.StringIO(), *command)

    assert '"a\\nnotes: Import #99, 3 files: FORGED.md"' in shown
    assert not [
        line for line in shown.splitlines() if line.startswith("notes: Import #9")
    ]


class Failing(HubCommand):
    def work(self, **options: object) -> int:
        raise KeyError("\x1b[2J\nforged")


def test_a_bug_is_one_safe_line(
    hub_data: Path, db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        Failing().run_from_argv(["memoryhub", "failing"])

    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("memoryhub: it failed: KeyError: ")
    assert line == one_line(line)


def test_a_bug_says_where_it_is_when_asked(
    hub_data: Path, db: None, settings: Settings
) -> None:
    settings.DEBUG = True

    with pytest.raises(KeyError):
        Failing().run_from_argv(["memoryhub", "failing"])
