"""`memoryhub token`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memoryhub.people.services.tokens import token_with
from tests.factories import make_workspace_row

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def workspace(db: None) -> None:
    make_workspace_row("acme")


def told(capsys: Capture, *words: str) -> Any:
    call_command("token", *words, "--json")
    return json.loads(capsys.readouterr().out)


def test_it_makes_lists_and_revokes_a_token(capsys: Capture) -> None:
    words = ("--scope", "read", "--scope", "handoff", "--days", "9")
    made = told(capsys, "make", "builder", *words)
    (token,) = token_with(made.pop("token"))
    (listed,) = told(capsys, "list")

    assert token.agent == "builder"
    assert listed["scopes"] == ["read", "handoff"] and listed["last_used_at"]
    assert told(capsys, "revoke", made["prefix"])["agent"] == "builder"
    assert told(capsys, "list") == []


def test_people_get_the_secret_alone_and_a_line_a_token(capsys: Capture) -> None:
    call_command("token", "make", "builder")
    secret = capsys.readouterr().out.strip()
    call_command("token", "list")

    assert token_with(secret)
    said = capsys.readouterr().out
    assert re.search(r"… builder: read, until 20\d\d-\d\d-\d\d, not used yet", said)


def test_write_is_memory_and_a_token_for_ever_is_asked_for(capsys: Capture) -> None:
    made = told(capsys, "make", "a", "--scope", "write", "--days", "0", "--shared")

    assert (made["scopes"], made["expires_at"]) == (["memory"], None)
    assert made["shared"] is True
    call_command("token", "list")
    assert "a: memory,shared, never expires" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [("make", "operator"), ("make", "a", "--days", "-1"), ("revoke", "mhub_x")]
)
def test_what_cannot_be_done_is_a_line(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("token", *words)


def test_a_file_of_names_makes_a_token_for_each(
    capsys: Capture, tmp_path: Path
) -> None:
    make_workspace_row("ops")
    names = tmp_path / "names.txt"
    names.write_text("builder\n\nplanner\n")
    both = ("--workspace", "acme", "--workspace", "ops")

    call_command("token", "make", "--names", str(names), *both)

    made = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert list(made) == ["builder", "planner"]
    for secret in made.values():
        assert [row.workspace.slug for row in token_with(secret)] == ["acme", "ops"]


def test_a_token_is_rotated_with_an_overlap(capsys: Capture) -> None:
    old = told(capsys, "make", "builder", "--days", "9")
    new = told(capsys, "rotate", old["prefix"], "--overlap", "2h")

    assert new["prefix"] != old["prefix"]
    assert token_with(old["token"]) and token_with(new["token"])
    ends = {one["prefix"]: one["expires_at"] for one in told(capsys, "list")}
    assert ends[old["prefix"]] < old["expires_at"] <= ends[new["prefix"]]
