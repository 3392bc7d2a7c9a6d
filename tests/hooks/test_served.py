"""Hooks of a real hub: its server answers, is killed, comes back; nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memoryhub.hooks import client
from memoryhub.hooks.client import SOCKET, SPOOL
from tests.browser.hub import empty_hub, manage
from tests.waiting import wait_for
from tests.warm import python

ROOT = Path(__file__).parents[2]
SERVE = (ROOT / "manage.py", "serve", "--port", "0")


class Hub:
    """A hub whose server can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "shop"
        self.data = folder / "data"
        self._server: subprocess.Popen[bytes] | None = None
        (self.root / "memory").mkdir(parents=True)
        empty_hub(folder)
        manage(folder, "add", str(self.root))

    def start(self, program: Sequence[object] = SERVE) -> None:
        self._server = subprocess.Popen(
            python(*program), env=self._environment, stdout=subprocess.PIPE, cwd=ROOT
        )
        wait_for((self.data / SOCKET).is_socket)

    def ended(self) -> int:
        """Wait until the server has ended by itself; return its exit code."""
        assert self._server is not None
        self._server.communicate(timeout=60)
        return self._server.returncode

    def kill(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGKILL)
            self._server.communicate()
            (self.data / SOCKET).unlink(missing_ok=True)

    def hook(self, event: str, said: object, *options: str) -> str:
        done = subprocess.run(
            [sys.executable, client.__file__, event, *options],
            input=json.dumps(said).encode(),
            capture_output=True,
            env=self._environment,
            check=True,
        )
        return done.stdout.decode()

    def saves_at(self, event: str, said: object) -> str:
        """Return what a hook is told that saves, when it has: a busy server is late."""
        before = sum(self.saves().values())
        answer = self.hook(event, said)
        wait_for(lambda: sum(self.saves().values()) > before)
        return answer

    def told(self, event: str, said: object) -> Any:
        """Return what a hook is told, as soon as the server has the time to tell it."""
        answers = (self.hook(event, said) for _ in range(100))
        return json.loads(next(filter(None, answers)))

    def saves(self) -> dict[str, int]:
        """Return how many saves each topic's history tells of."""
        files = (self.root / "memory").glob("context-*.md")
        return {path.stem: path.read_text().count("Auto-saved") for path in files}

    @property
    def _environment(self) -> dict[str, str]:
        settings = {"DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
        return {**os.environ, **settings, "MEMORYHUB_DATA": str(self.data)}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    hub = Hub(tmp_path_factory.mktemp("hooks"))
    hub.start()
    yield hub
    hub.kill()


def compaction(session: str) -> dict[str, object]:
    return {"event": {"messageCount": 280}, "ctx": {"sessionKey": session}}


def test_what_was_told_is_in_what_is_asked_next(hub: Hub) -> None:
    said = compaction("agent:main:telegram:asked")
    assert hub.saves_at("before_compaction", said) == ""

    given = hub.told("before_prompt_build", said)

    assert "Auto-saved before compaction (280 messages)" in given["appendSystemContext"]


def test_claude_code_is_answered_in_its_own_form(hub: Hub) -> None:
    said = {"session_id": "s1", "cwd": str(hub.root)}
    hub.saves_at("PreCompact", said)

    output = hub.told("SessionStart", said)["hookSpecificOutput"]

    assert output["hookEventName"] == "SessionStart"
    assert "> # shop" in output["additionalContext"]


def test_an_edit_of_a_held_file_is_refused_and_of_a_free_one_goes_on(hub: Hub) -> None:
    request = json.dumps({"paths": ["src/**/*.py"], "reason": "new parser"})
    words = ["--workspace", "shop", "--agent", "ann", "--request", request]
    manage(hub.folder, "tool", "files_claim", *words)
    said = {"session_id": "s2", "cwd": str(hub.root), "tool_name": "Write"}
    held = said | {"tool_input": {"file_path": str(hub.root / "src/a/b.py")}}
    free = said | {"tool_input": {"file_path": str(hub.root / "src/a/b.md")}}

    output = hub.told("PreToolUse", held)["hookSpecificOutput"]

    assert output["permissionDecision"] == "deny"
    assert "by ann until" in output["permissionDecisionReason"]
    assert hub.hook("PreToolUse", free) == ""
    assert hub.hook("PreToolUse", held, "--agent", "ann") == ""


def test_only_its_owner_can_open_the_socket(hub: Hub) -> None:
    assert (hub.data / SOCKET).stat().st_mode & 0o777 == 0o600


def test_a_refused_event_is_a_line_and_is_named_afterwards(hub: Hub) -> None:
    said = compaction("agent:main:x")
    assert hub.hook("before_prompt_build", said, "--workspace", "none") == ""

    hub.hook("before_compaction", said, "--workspace", "none")

    wait_for(lambda: list((hub.data / SPOOL / "refused").glob("*.reason")))


def told_while_killed(hub: Hub, name: str, count: int) -> list[int | None]:
    """Tell of a compaction in many sessions; the server dies in between, and returns.

    Return how many saves each session's topic tells of.
    """
    sessions = [f"{name}-{number:04d}" for number in range(count)]
    for number, session in enumerate(sessions):
        if number == count // 3:
            hub.kill()
        if number == 2 * count // 3:
            hub.start()
        hub.hook("before_compaction", compaction(f"agent:main:{session}"))
    spool = hub.data / SPOOL
    wait_for(lambda: not [p for p in spool.iterdir() if p.is_file()], 60 + count / 2)
    saves = hub.saves()
    return [saves.get(f"context-agent-main-{session}") for session in sessions]


def test_nothing_is_lost_or_doubled_when_the_server_is_killed(hub: Hub) -> None:
    assert told_while_killed(hub, "killed", 24) == [1] * 24


@pytest.mark.parametrize("moment", ["rename:1", "fsync:2", "unlink:2"])
def test_an_event_is_done_once_wherever_the_server_dies_over_it(
    tmp_path: Path, moment: str
) -> None:
    hub = Hub(tmp_path)
    hub.start(["-m", "tests.dying_server", moment])
    hub.hook("before_compaction", compaction("agent:main:dying"))

    assert hub.ended() == -signal.SIGKILL
    hub.hook("before_compaction", compaction("agent:main:later"))

    told = json.loads(manage(tmp_path, "status", "--json"))

    assert hub.saves() == {"context-agent-main-dying": 1, "context-agent-main-later": 1}
    assert told["hooks"] == {"waiting": 0, "drafts": 0, "refused": 0}


@pytest.mark.soak
def test_nothing_of_a_thousand_calls_is_lost_or_doubled(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    hub.start()
    try:
        assert told_while_killed(hub, "many", 1000) == [1] * 1000
    finally:
        hub.kill()
