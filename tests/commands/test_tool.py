"""`memoryhub tool`: every tool, with options made from its request."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Literal

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import CommandParser
from pydantic import BaseModel, Field

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.management.tool_command import (
    Form,
    ToolParser,
    add_tool_arguments,
    fields_in,
)
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.registry import TOOLS
from tests.conftest import MakeWorkspace


class Place(BaseModel):
    line: int


class Odd(Request):
    text: str = Field(description="100 % of it")
    historyLine: str | None = None  # noqa: N815
    words: list[str] = []
    places: list[Place] = []
    level: Literal[1, 2] = 1
    form: Literal["a", "b"] = "a"
    agent: str = ""
    write: bool = False


@tool("Odd", Scope.READ)
def odd(caller: Caller, request: Odd) -> Answer:
    """Say nothing."""
    return Answer()


def told(*arguments: str, form: Form | None = None) -> dict[str, object]:
    form = form or Form(odd)
    parser = CommandParser()
    add_tool_arguments(parser, form)
    return fields_in(vars(parser.parse_args(arguments)))


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    return make_workspace(workspace_root)


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (["--text=a"], {"text": "a"}),
        (["--history-line=h"], {"historyLine": "h"}),
        (["--words=a", "--words=b"], {"words": ["a", "b"]}),
        (['--places={"line": 1}'], {"places": [{"line": 1}]}),
        (["--level=2", "--form=b"], {"level": 2, "form": "b"}),
        (["--agent=a", "--field-agent=b"], {"agent": "b"}),
        (["--write"], {"write": True}),
        (["--no-write"], {"write": False}),
        (
            ['--request={"text": "a", "form": "b"}', "--text=c"],
            {"text": "c", "form": "b"},
        ),
    ],
)
def test_options_are_fields(arguments: list[str], fields: dict[str, object]) -> None:
    assert told(*arguments) == fields


@pytest.mark.parametrize("argument", ["--level=x", "--request=[]", "--request={"])
def test_what_is_no_json_is_a_wrong_command_line(argument: str) -> None:
    with pytest.raises(CommandError) as caught:
        told(argument)

    assert caught.value.returncode == 2


def test_a_text_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeffé\n".encode())
    form = Form(odd, positional=("text",), files=("text",))

    assert told(str(tmp_path / "a.md"), form=form) == {"text": "é\n"}


@pytest.mark.parametrize("data", [None, b"\xff"])
def test_a_file_that_cannot_be_read_is_named(
    data: bytes | None, tmp_path: Path
) -> None:
    if data is not None:
        (tmp_path / "a.md").write_bytes(data)

    with pytest.raises(CommandError, match=r"a\.md"):
        told(str(tmp_path / "a.md"), form=Form(odd, ("text",), ("text",)))


def test_a_request_can_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b'{"text": "a"}'))
    monkeypatch.setattr("sys.stdin", given)

    assert told("--request=-") == {"text": "a"}


def test_it_answers_for_people_and_for_programs(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("tool", "workspace_status")
    call_command("tool", "workspace_status", "--json")

    for_people, for_programs = capsys.readouterr().out.split("}\n", 1)
    assert json.loads(for_people + "}") == json.loads(for_programs)


def test_a_refusal_is_told_to_both(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match="no workspace is called nope"):
        call_command("tool", "workspace_status", "--json", "--workspace=nope")

    told = json.loads(capsys.readouterr().out)
    assert told["error"]["code"] == "workspace-unknown"


def test_the_current_folder_names_the_workspace(
    workspace: Workspace,
    make_workspace: MakeWorkspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_workspace(tmp_path)
    monkeypatch.chdir(workspace.root)

    call_command("tool", "workspace_status", "--json")

    assert json.loads(capsys.readouterr().out)["workspace"] == workspace.slug


def test_without_a_name_it_lists_the_tools(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("tool")

    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(TOOLS)


def test_options_of_a_tool_are_made_when_it_is_used() -> None:
    parser = ToolParser(form=Form(odd))
    assert "--words" not in parser.format_help()

    parser.parse_args([])

    assert "--words" in parser.format_help()


@pytest.mark.parametrize(
    "line",
    [
        ("--operation=import", "--text", "-"),
        ("--operation=import", "--file", "-"),
        ("--operation=import",),
        ("import",),
    ],
)
def test_a_session_memory_is_imported_from_a_pipe(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    piped = io.TextIOWrapper(io.BytesIO("It went well – 好\n".encode()))
    monkeypatch.setattr("sys.stdin", piped)
    call_command(
        "tool",
        "core_memory",
        *line,
        f"--workspace={workspace.slug}",
        stdout=io.StringIO(),
    )

    (saved,) = (Path(workspace.root) / "memory/sessions").iterdir()
    assert "It went well – 好" in saved.read_text()


@pytest.mark.parametrize("text", ["## Objective\n\tShip > it", "no end", "- é 好\n\n"])
def test_a_command_exports_exactly_the_text_that_was_imported(
    workspace: Workspace, text: str
) -> None:
    def told(*line: str) -> str:
        out = io.StringIO()
        call_command(*line, f"--workspace={workspace.slug}", stdout=out)
        return out.getvalue()

    made = told("tool", "core_memory", "import", f"--text={text}", "--json")
    line = (
        "tool",
        "core_memory",
        "--operation=export",
        f"--id={json.loads(made)['id']}",
    )

    assert told(*line) == text.strip()
    assert "\n> " in told(*line, "--agent=scout")
