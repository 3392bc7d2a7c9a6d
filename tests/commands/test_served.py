"""Commands run by the server: as in a process of their own, which does them without."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.core.management import load_command_class

from memoryhub.hooks.client import SOCKET
from memoryhub.management.client import READS, SERVED, WRITES, part_of
from memoryhub.management.commands.status import Command as Status
from memoryhub.management.standing import (
    Standing,
    current_folder,
    current_session,
    standard_input,
    standing_at,
)
from memoryhub.management.tool_command import ToolCommand
from tests.running import ROOT, done
from tests.waiting import wait_for
from tests.warm import python

#: Runs a command, and ends with 99 if it loaded Django for it.
_LIGHT = """
import os, sys
from memoryhub.cli import main
try:
    code = main()
finally:
    if "django" in sys.modules:
        os._exit(99)
sys.exit(code)
"""
#: A setting that the server has not: with it a command runs in its own process.
_ALONE = {"MEMORYHUB_PORT": "1"}
_DAY = "memory/2026-11-20.md"
_TEXT = "# Day\n\n- [ ] Ship the **parser** – today\n\nDecision: use JWT.\n"
Done = tuple[int, bytes, bytes]


class Hub:
    """A hub with a workspace, and perhaps its server."""

    def __init__(self, folder: Path) -> None:
        self.root, self.data = folder / "shop", folder / "data"
        (self.root / "memory").mkdir(parents=True)
        (self.root / _DAY).write_text(_TEXT)
        (self.root / "memory/\udcff.md").write_text("# An odd name: parser\n")
        done(self.data, "add", self.root)
        done(self.data, "sync")

    @contextmanager
    def serving(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the server; end it by a kill if it has not ended."""
        server = subprocess.Popen(
            python(ROOT / "manage.py", "serve", "--port", "0", "--no-watch"),
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
        )
        try:
            wait_for((self.data / SOCKET).is_socket)
            yield server
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()

    def light(self, *command: str, stdin: bytes = b"", **env: str) -> Done:
        """Run a command that must not load Django."""
        program = [sys.executable, "-c", _LIGHT]
        return self.ended(program, command, stdin, {"PYTHONPATH": str(ROOT), **env})

    def alone(self, *command: str, stdin: bytes = b"", **env: str) -> Done:
        """Run a command in its own process."""
        program = python(ROOT / "manage.py")
        return self.ended(program, command, stdin, {**_ALONE, **env})

    def anyhow(self, *command: str, stdin: bytes = b"") -> Done:
        """Run a command as people do."""
        return self.ended(python(ROOT / "manage.py"), command, stdin, {})

    def environment(self) -> dict[str, str]:
        settings = {"DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
        return {**os.environ, **settings, "MEMORYHUB_DATA": str(self.data)}

    def ended(
        self,
        program: Sequence[str],
        command: Sequence[str],
        stdin: bytes,
        env: dict[str, str],
    ) -> Done:
        """Run a program with a command, in the folder of the workspace's memory."""
        ended = subprocess.run(
            [*program, *command],
            input=stdin,
            env=self.environment() | env,
            cwd=self.root / "memory",
            capture_output=True,
            check=False,
            timeout=120,
        )
        return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    hub = Hub(tmp_path_factory.mktemp("served"))
    with hub.serving():
        yield hub


@pytest.mark.parametrize("name", sorted(SERVED - {"status", "checkpoint"}))
def test_a_served_command_calls_a_tool(name: str) -> None:
    command = load_command_class("memoryhub", name.replace("-", "_"))

    assert isinstance(command, ToolCommand)


def test_what_only_reads_is_told_so_to_clients() -> None:
    assert Status.reads


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        (["status"], b""),
        (["status", "none"], b""),
        (["search", "parser"], b""),
        (["search", "parser", "--json"], b""),
        (["search"], b""),
        (["search", "parser", "--workspace", "none", "--json"], b""),
        (["search", "--request", "-"], b'{"query": "parser"}'),
        (["get", "2026-11-20.md"], b""),
        (["get", "2026-11-20.md", "--agent", "ann"], b""),
        (["get", "\udcff.md"], b""),
        (["get", "nothing.md"], b""),
        (["get", "2026-11-20.md", "--from", "x"], b""),
        (["recall"], b""),
        (["open-items"], b""),
        (["handoff", "list"], b""),
        (["compact", "-"], b'{"role": "user", "content": "Hi"}\n'),
        (["tool"], b""),
        (["tool", "workspace_status", "--json"], b""),
        (["tool", "core_memory"], b""),
        (["tool", "memory_get", "--request", "{}"], b""),
    ],
)
def test_a_command_gives_the_same_without_loading_anything(
    hub: Hub, command: list[str], stdin: bytes
) -> None:
    assert hub.light(*command, stdin=stdin) == hub.alone(*command, stdin=stdin)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1:replace"])
def test_output_has_the_encoding_of_the_caller(hub: Hub, encoding: str) -> None:
    words = ["get", "2026-11-20.md"]
    program = [sys.executable, str(ROOT / "manage.py")]
    cold = {**_ALONE, "PYTHONIOENCODING": encoding}

    told = hub.light(*words, PYTHONIOENCODING=encoding)

    assert told == hub.ended(program, words, b"", cold)


@pytest.mark.parametrize(
    "command",
    [
        ["search", "--help"],
        ["search", "--nothing"],
        ["tool", "no_such"],
        ["tool", "memory_get", "--request", "no JSON"],
    ],
)
def test_help_and_wrong_command_lines_are_the_own_process(
    hub: Hub, command: list[str]
) -> None:
    assert hub.light(*command)[0] == 99
    assert hub.anyhow(*command) == hub.alone(*command)


def test_a_command_that_writes_is_done_once_and_says_who(hub: Hub) -> None:
    words = ["--status", "Tokens rotate.", "--as", "ann"]

    assert hub.light("checkpoint", "auth", *words)[0] == 0

    text = (hub.root / "memory/context-auth.md").read_text()
    assert text.count("Tokens rotate.") == 1
    assert "checkpoint" in done(hub.data, "audit", "list")


def test_a_command_stands_where_its_client_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "the server's")
    client = Standing(tmp_path, "the client's", has_keyboard=True, piped=b"text")

    with standing_at(client):
        assert current_session() == "the client's"
        assert (current_folder(), standard_input()) == (tmp_path, b"text")
    assert current_session() == "the server's"


def test_a_killed_server_leaves_commands_their_own_process(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    with hub.serving():
        before = hub.light("open-items")

    assert hub.anyhow("open-items") == before


@contextmanager
def answering(data: Path, *answer: bytes) -> Iterator[None]:
    """Answer one client of a hub's socket with these bytes, and end."""
    (data / SOCKET).unlink(missing_ok=True)
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(data / SOCKET))
        listening.listen()

        def answer_one() -> None:
            client, _ = listening.accept()
            with closing(client):
                while client.recv(1 << 16):
                    pass
                for part in answer:
                    client.sendall(part)

        thread = threading.Thread(target=answer_one, daemon=True)
        thread.start()
        yield
        thread.join(10)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Hub:
    return Hub(tmp_path_factory.mktemp("quiet"))


@pytest.mark.parametrize(
    "answer",
    [
        [b"-not a frame of this version"],
        [b""],
        [READS],
        [READS, part_of(1, b"half")],
        [READS, part_of(1, b"half of it")[:-3]],
    ],
)
def test_another_server_or_a_dying_one_leaves_the_own_process(
    quiet: Hub, answer: list[bytes]
) -> None:
    expected = quiet.alone("open-items")
    with answering(quiet.data, *answer):
        assert quiet.anyhow("open-items") == expected


def test_a_write_is_not_repeated_when_the_server_dies_over_it(quiet: Hub) -> None:
    with answering(quiet.data, WRITES):
        code, out, err = quiet.light("tool", "workspace_status")

    assert (code, out) == (1, b"")
    assert b"may be done or not" in err


def test_a_server_that_hangs_is_not_waited_for(quiet: Hub) -> None:
    (quiet.data / SOCKET).unlink(missing_ok=True)
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(quiet.data / SOCKET))
        listening.listen()

        assert quiet.anyhow("open-items")[0] == 0
